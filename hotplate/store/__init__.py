"""The only place where SQL is spoken: tables, named queries, and the threads that run them."""
