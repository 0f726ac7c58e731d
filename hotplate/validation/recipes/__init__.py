"""Whether a stack can be made of a recipe, found out before anything is stored."""
