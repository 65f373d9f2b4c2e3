"""smtalloc: a formal model of buffer sharing and a solver-based memory planner for MLIR.

Importing this package is cheap; z3, xdsl and HiGHS are loaded by the modules that need them, when they are first used.
"""

__version__ = "0.1.0"
