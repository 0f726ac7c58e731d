"""Where a command asks: a server, or the application in this process."""
