"""A plan carried out, with a record in every outcome."""
