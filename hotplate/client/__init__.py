"""The API from the other side; used by the command and by others."""
