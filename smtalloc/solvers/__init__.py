"""Solvers, one file each: z3.py (SMT-LIB text in, answer out), highs.py (linear programs). base.py has the protocol."""
