"""The embedding part: ids, tables, lookups."""
