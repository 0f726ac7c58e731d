"""Stories with a real Keystone. Not part of `make test`; `make test-identity` runs them."""
