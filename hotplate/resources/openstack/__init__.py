"""Types whose objects are in an OpenStack cloud: a folder per service, a type per file.

A type is a table: properties, what the service calls them, which of them take names, which state
ends an action (`CloudType`). Code stands only where the service is special. How to add one is in
docs/write-a-cloud-type.md.
"""
