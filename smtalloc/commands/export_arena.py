"""`smtalloc export` of .csv and .json arena problems."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from smtalloc.arena_bounds import heaviest
from smtalloc.arena_json import problem_to_json
from smtalloc.arena_tasks import pool_task
from smtalloc.bitsets import bits
from smtalloc.commands.arena_input import parse_capacities, read_problem
from smtalloc.commands.common import Exit, write_output
from smtalloc.encode_arena import ArenaEncoding, arena_query
from smtalloc.minimalloc import write_csv
from smtalloc.packing import ArenaProblem
from smtalloc.program import InputError, Location


def run(path: str, *, to: str, capacities: Sequence[str], encoding: str | None, output: str | None) -> Exit:
    """`to` is smt2 ("does it fit": into the capacity, else into the bound), csv, json or dot."""
    problem = read_problem(path, parse_capacities(capacities))
    if encoding is not None and (to != "smt2" or encoding not in list(ArenaEncoding)):
        raise InputError(f"--encoding goes with --to smt2 and is one of {', '.join(ArenaEncoding)}")
    if to == "smt2":
        write_output(_query(problem, path, ArenaEncoding(encoding or ArenaEncoding.ORDER)), output)
    elif to == "csv":
        write_output(write_csv(problem), output)
    elif to == "json":
        write_output(json.dumps(problem_to_json(problem), indent=1) + "\n", output)
    else:
        write_output("".join(_dot(problem)), output)
    return Exit.OK


def _query(problem: ArenaProblem, path: str, encoding: ArenaEncoding) -> str:
    if len(problem.pools) != 1:
        raise InputError(f"has {len(problem.pools)} pools; --to smt2 takes one", Location(path))
    (pool,) = problem.pools
    task = pool_task(problem, pool)
    capacity = problem.limits_of[pool].capacity_bytes
    units = heaviest(task).units if capacity is None else capacity // task.unit
    names = "".join(
        f"; {i}: {' '.join(problem.blocks[b].name for b in piece.blocks)}\n" for i, piece in enumerate(task.pieces)
    )
    return names + arena_query(task, units, encoding)


def _dot(problem: ArenaProblem) -> Iterator[str]:
    """The conflict graph for Graphviz: an edge between two blocks that must not meet."""
    yield f"graph {json.dumps(problem.name)} {{\n"
    for b, block in enumerate(problem.blocks):
        yield f"  n{b} [label={json.dumps(f'{block.name} {block.size_bytes:,}')}];\n"
    for pool in problem.pools:
        task = pool_task(problem, pool, gcd=False)
        for i, piece in enumerate(task.pieces):
            for j in bits(task.neighbours[i] >> i + 1 << i + 1):
                for b in piece.blocks:
                    yield from (f"  n{b} -- n{c};\n" for c in task.pieces[j].blocks)
    yield "}\n"
