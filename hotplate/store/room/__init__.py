"""Room for what is stored, and on its way: bytes of projects, of the disk, of slow clients."""
