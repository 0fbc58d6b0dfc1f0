"""What ``situ bench --programs`` measures: whole programs, in the styles in which users write them.

A program is a file of `benches/programs` (`_program`). `_contestants` says how NumPy, Numba and
situ run it, `_trial` runs it on fresh inputs and compares results, `_race` gives each library its
turns in a process of its own, `_results` is what comes out, and `_table`, `_chart` and `_bars`
judge and show it.
"""
