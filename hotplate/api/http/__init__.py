"""Requests and answers: bodies, fields, addresses, faults, schemas."""
