"""How much is kept: bytes of a project, of the disk, and of answers that clients have not taken."""
