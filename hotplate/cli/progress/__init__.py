"""What has happened to each resource during an operation, and how long it may take."""
