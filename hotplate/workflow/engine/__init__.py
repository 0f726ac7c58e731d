"""Running workflows: durably, in any number of processes, with what starts and bounds them."""
