"""The way from every older schema to the newest; see hotplate.store.upgrade."""
