"""The tests of Hotplate; a package of that name, so that no installed `tests` hides it."""
