"""What a store need not keep: found by marking what is needed, and removed without a race."""
