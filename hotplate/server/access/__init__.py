"""Who is let in, and what they may do: tokens of a file, Keystone, and the policy."""
