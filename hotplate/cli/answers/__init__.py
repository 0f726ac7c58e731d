"""What the API answers, read in one place each: plans, deletions, causes, places."""
