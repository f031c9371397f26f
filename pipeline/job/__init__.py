"""The job file: what to convert, for which targets, what must hold."""
