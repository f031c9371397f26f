"""Models that nobody here wrote: public packages, pushed through the product model by model."""
