"""All models of a store at a glance, quick however many there are."""
