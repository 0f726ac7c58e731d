"""What people see: plans, trees, tables, and work while it goes on."""
