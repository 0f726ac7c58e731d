"""The templates that most stories are about."""

from hotplate.testing import plan

BASE = plan("""
    A()
    B()
    C(A, B) = "4alpha"
    D() = ref C
    E() = att C
""")

REPL = plan("""
    A() = "initial"
    B()
    C(B) = ! att A
    D() = ref C
    E() = att C
""")

CHAIN = plan("""
    t1() = "Test1"
    t2(t1) = "Test1"
    t3(t2) = "Test1"
""")
