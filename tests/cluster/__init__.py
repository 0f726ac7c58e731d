"""Servers and workers as processes of their own, on a real broker and real databases."""
