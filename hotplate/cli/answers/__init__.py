"""What the API answers, read in one place each: plans, causes, problems, places."""
