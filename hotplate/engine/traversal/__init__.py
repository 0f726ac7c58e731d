"""Traversals: how they begin, visit, are interrupted and end, through nested stacks.

- `begin.begin`, `visits.begin_visit`: a traversal of a locked stack
- `end.complete`, `end.fail`, `rollback.fail_and_roll_back`: its end
- `interruption.time_out`, `interruption.cancel`: its end before it is done
- `coordinator`, `clearing`: large stacks, in portions
- `nested.begin_children`: what nodes ask of nested stacks
- `between`: deferred changes, made while a stack is at rest
- `transitions`: how the status of a stack changes
"""
