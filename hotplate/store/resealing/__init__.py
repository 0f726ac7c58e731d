"""Sealing what is stored already: rows that are plain, and rows under older keys."""
