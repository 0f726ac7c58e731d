"""Commands that show stacks, and change nothing."""
