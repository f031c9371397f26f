"""What a run would do: its tasks, their places in the cache, what they will take."""
