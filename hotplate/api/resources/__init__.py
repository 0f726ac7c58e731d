"""Resources of stacks, and signals to them."""
