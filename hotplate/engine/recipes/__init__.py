"""What makes a stack: stored, compiled and bound once each; and which of it is secret.

`book.RecipeBook` keeps what is bound, `stored` writes recipes as rows.
"""

from hotplate.environment.recipe import EMPTY, Recipe

__all__ = ["EMPTY", "Recipe"]
