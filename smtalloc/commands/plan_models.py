"""`smtalloc plan` beyond the default: which model, which encoding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from smtalloc.allocate_arena import ArenaOptions
from smtalloc.commands.arena_input import is_problem, parse_capacities
from smtalloc.commands.common import Exit
from smtalloc.dimensions import Given
from smtalloc.encode_arena import ArenaEncoding
from smtalloc.encode_slots import SlotEncoding
from smtalloc.options import Progress, SolveOptions
from smtalloc.plan import Policy, TypeRule
from smtalloc.program import InputError


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the options ask for. `arena`: the arena model, by all engines (None inside) or z3 in one encoding.
    `slots`: the slot model, by z3 in one encoding. Neither: the default."""

    arena: tuple[ArenaEncoding | None] | None = None
    slots: SlotEncoding | None = None
    capacities: Mapping[str, int] = field(default_factory=dict[str, int])
    get_pool: bool = False


def choose(
    files: Sequence[str],
    model: str | None,
    encoding: str | None,
    capacities: Sequence[str],
    *,
    get_pool: bool,
    bind: bool = False,
    assume: bool = False,
) -> Chosen:
    """`bind`, `assume`: something is said of the dimensions that sizes depend on.

    Raises InputError where the options do not go together.
    """
    problems = [is_problem(path) for path in files]
    if model == "slots" and any(problems):
        raise InputError(".csv and .json problems are arenas: --model slots is for MLIR")
    arena = model == "arena" or (model is None and all(problems))
    if not arena and any(problems):
        raise InputError("MLIR and arena problems in one call: say --model arena")
    if not arena and (capacities or get_pool):
        raise InputError("--capacity and --get-pool go with --model arena")
    if arena and bind:
        raise InputError("--bind goes with --model slots: behind a pool's blocks of known size slots are counted")
    if assume and all(problems):
        raise InputError("--assume is for MLIR: a .csv or .json problem has no dimensions")
    known = list(ArenaEncoding) if arena else list(SlotEncoding)
    if encoding is not None and encoding not in known:
        raise InputError(f"--encoding {encoding}: this model has {', '.join(known)}")
    if not arena:
        return Chosen(slots=None if encoding is None else SlotEncoding(encoding))
    return Chosen(
        arena=(None if encoding is None else ArenaEncoding(encoding),),
        capacities=parse_capacities(capacities),
        get_pool=get_pool,
    )


def run(
    chosen: Chosen,
    files: Sequence[str],
    *,
    profile: str | None,
    policy: Policy,
    types: TypeRule,
    time_limit: float,
    seed: int,
    progress: Callable[[Progress], None] | None,
    emit: str,
    generic: bool,
    output: str | None,
    given: Given | None = None,
) -> Exit:
    """Plan as chosen; other arguments as in commands/plan.py."""
    if chosen.arena is not None:
        from smtalloc.commands import plan_arena  # noqa: PLC0415  only what is used is loaded

        (encoding,) = chosen.arena
        return plan_arena.run(
            files,
            profile=profile,
            policy=policy,
            types=types,
            options=ArenaOptions(
                time_limit_s=time_limit,
                seed=seed,
                encoding=encoding or ArenaEncoding.ORDER,
                only_z3=encoding is not None,
                progress=progress,
            ),
            capacities=chosen.capacities,
            emit=emit,
            generic=generic,
            get_pool=chosen.get_pool,
            output=output,
            given=given,
        )
    from smtalloc.allocate_encoding import plan_by_encoding  # noqa: PLC0415
    from smtalloc.commands import plan as command  # noqa: PLC0415

    assert chosen.slots is not None
    encoding_name = chosen.slots
    return command.run(
        files,
        profile=profile,
        policy=policy,
        types=types,
        options=SolveOptions(time_limit_s=time_limit, seed=seed, progress=progress),
        emit=emit,
        generic=generic,
        output=output,
        given=given,
        planner=lambda problem, options: plan_by_encoding(problem, encoding_name, options),
    )
