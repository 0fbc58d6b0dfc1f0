"""What ``situ bench`` and ``make bench`` measure: the same work by several libraries, side by side.

Each library runs in a process of its own (`_worker`), which sleeps while others are measured: the
threads of OpenBLAS, OpenMP and the like keep cores busy for a while after a call, and would be in
the way of whoever comes next. `_crew` starts these processes and lets one of them run at a time,
`_race` gives each its turns, and `_results` is what comes out and what is written to disk.

The work is data: `_lines` names what is compared, `_work` says it once for all libraries, `_bars`
says how fast it should be, `_scaling` has the sizes and layouts of the second table. `_libraries`
knows what each library needs. `_charts`, `_table` and `_page` show results. No test depends on a
time.
"""
