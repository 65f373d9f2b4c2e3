"""The command line. Arguments only: each command's work is in smtalloc/commands, loaded when the command runs."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from typing import Any

import click

from smtalloc import __version__
from smtalloc.plan import Policy, TypeRule
from smtalloc.program import InputError

_PROFILE = click.option(
    "--profile", metavar="NAME|FILE", help="Which op runs where: a built-in profile or a .toml file (default: guessed)."
)
_POLICY = click.option(
    "--policy",
    type=click.Choice([str(p) for p in Policy]),
    default=str(Policy.HOST_EXCLUSIVE),
    show_default=True,
    help="Which pairs of buffers may share.",
)
_TYPES = click.option(
    "--types",
    type=click.Choice([str(t) for t in TypeRule]),
    default=str(TypeRule.BYTES),
    show_default=True,
    help="strict: one element type per slot, as the compiler pass has it; bytes: any contents.",
)
_STRICT = click.option(
    "--types",
    type=click.Choice([str(t) for t in TypeRule]),
    default=str(TypeRule.STRICT),
    show_default=True,
    help="The type rule of the optimum; strict is the compiler pass's own.",
)


def _finite(_context: click.Context, _parameter: click.Parameter, value: float) -> float:
    if math.isnan(value):
        raise click.BadParameter("not a number")
    return value


_TIME = click.option(
    "--time-limit",
    callback=_finite,
    type=click.FloatRange(min=0, min_open=True, max=10_000_000),
    default=60.0,
    show_default=True,
    metavar="S",
    help="Seconds per function; then the best plan and its gap.",
)
_SEED = click.option("--seed", type=int, default=0, show_default=True, help="Of the heuristics.")
_JSON = click.option("--json", "as_json", is_flag=True, help="Answer as JSON.")
_OUTPUT = click.option("-o", "--output", metavar="FILE", help="Write there instead of standard output.")
_GENERIC = click.option("--generic", is_flag=True, help="With --emit mlir: the generic form, which mlir-opt reads.")
_VALUES = click.option(
    "--value",
    "values",
    multiple=True,
    metavar="%NAME=N[,N...]",
    help="Value of an argument or scalar (of BEFORE) for the replay (may be repeated).",
)
_ASSUME = click.option(
    "--assume",
    multiple=True,
    metavar="'NAME in LEAST..MOST'",
    help="Bounds of a dimension that sizes depend on: n, a[0] (may be repeated).",
)
_BIND = click.option(
    "--bind",
    multiple=True,
    metavar="NAME=N",
    help="Minimise at this value of a dimension; the plan holds for all values (may be repeated).",
)
_FILE = click.Path(allow_dash=True)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="smtalloc")
def cli() -> None:
    """Plan and verify the reuse of buffers in MLIR modules whose ops run on a host and on device queues.

    Exit status: 0 safe or done, 1 unsafe, worse or refuted, 2 bad input or usage, 3 unknown (limit reached).
    """


@cli.command()
@click.argument("files", nargs=-1, required=True, type=_FILE, metavar="FILE...")
@_PROFILE
@_POLICY
@_TYPES
@_TIME
@_SEED
@_ASSUME
@_BIND
@click.option(
    "--model",
    type=click.Choice(["slots", "arena"]),
    help="slots: whole buffers share (default); arena: offsets in one pool per memory space (.csv, .json).",
)
@click.option(
    "--capacity",
    "capacities",
    multiple=True,
    metavar="[POOL=]N",
    help="Arenas: most bytes of a pool, by default of the one named 'pool' (may be repeated).",
)
@click.option("--encoding", metavar="NAME", help="Leave the search to z3, in this encoding ('help' lists them).")
@click.option("--emit", type=click.Choice(["text", "mlir", "json", "csv"]), default="text", show_default=True)
@click.option("--get-pool", is_flag=True, help="With --model arena --emit mlir: pools are taken by hip.get_pool.")
@_JSON
@_GENERIC
@_OUTPUT
def plan(
    files: tuple[str, ...],
    profile: str | None,
    policy: str,
    types: str,
    time_limit: float,
    seed: int,
    assume: tuple[str, ...],
    bind: tuple[str, ...],
    model: str | None,
    capacities: tuple[str, ...],
    encoding: str | None,
    emit: str,
    get_pool: bool,
    as_json: bool,
    generic: bool,
    output: str | None,
) -> int:
    """The minimum-memory plan of each function, or of a .csv (MiniMalloc) or .json arena problem, with a proof."""
    from smtalloc.commands import plan_models as models
    from smtalloc.dimensions import given
    from smtalloc.options import SolveOptions
    from smtalloc.show.progress import progress_line

    stated = given(assume, bind)
    chosen = models.choose(files, model, encoding, capacities, get_pool=get_pool, bind=bool(bind), assume=bool(assume))
    with progress_line() as progress:
        if chosen.arena is not None or chosen.slots is not None:
            return models.run(
                chosen,
                files,
                profile=profile,
                policy=Policy(policy),
                types=TypeRule(types),
                time_limit=time_limit,
                seed=seed,
                progress=progress,
                emit="json" if as_json else emit,
                generic=generic,
                output=output,
                given=stated,
            )
        from smtalloc.commands import plan as command

        return command.run(
            files,
            profile=profile,
            policy=Policy(policy),
            types=TypeRule(types),
            options=SolveOptions(time_limit_s=time_limit, seed=seed, progress=progress),
            emit="json" if as_json else emit,
            generic=generic,
            output=output,
            given=stated,
        )


@cli.command()
@click.argument("file", type=_FILE)
@_PROFILE
@click.option(
    "--host-accessed",
    type=click.Choice(["include", "exclude"]),
    default="include",
    show_default=True,
    help="exclude: the fixed pass, which leaves out what the host loads or stores.",
)
@click.option("--emit", type=click.Choice(["text", "mlir", "json"]), default="text", show_default=True)
@_JSON
@_GENERIC
@_OUTPUT
def greedy(
    file: str, profile: str | None, host_accessed: str, emit: str, as_json: bool, generic: bool, output: str | None
) -> int:
    """What the compiler pass hip-optimize-memrefs does (unsound: see verify)."""
    from smtalloc.commands import greedy as command

    return command.run(
        file,
        profile=profile,
        exclude_host_accessed=host_accessed == "exclude",
        emit="json" if as_json else emit,
        generic=generic,
        output=output,
    )


@cli.command()
@click.argument("before", type=_FILE)
@click.argument("after", type=_FILE)
@_PROFILE
@_VALUES
@_ASSUME
@click.option("--z3", is_flag=True, help="Have z3 search the schedules (encodings/order.smt2) instead of the graph.")
@click.option(
    "--trace", metavar="FILE", help="Write the schedules of counterexamples as Chrome trace events (Perfetto)."
)
@click.option("--no-minimum", is_flag=True, help="Do not look for a smaller plan when the output is safe.")
@_JSON
@_OUTPUT
def verify(
    before: str,
    after: str,
    profile: str | None,
    values: tuple[str, ...],
    assume: tuple[str, ...],
    z3: bool,
    trace: str | None,
    no_minimum: bool,
    as_json: bool,
    output: str | None,
) -> int:
    """Was a memory pass's output safe? BEFORE and AFTER are the module before and after it."""
    from smtalloc.commands import verify as command
    from smtalloc.dimensions import given

    inputs = dict(command.parse_value(text) for text in values)
    return command.run(
        before,
        after,
        profile=profile,
        inputs=inputs,
        as_json=as_json,
        output=output,
        minimum=not no_minimum,
        z3=z3,
        trace=trace,
        given=given(assume, ()),
    )


@cli.command()
@click.argument("file", type=_FILE)
@_PROFILE
@_VALUES
@_JSON
@_OUTPUT
def races(file: str, profile: str | None, values: tuple[str, ...], as_json: bool, output: str | None) -> int:
    """One module alone: races on its buffers, and clashes of lives through views of pools."""
    from smtalloc.commands import races as command
    from smtalloc.commands.verify import parse_value

    inputs = dict(parse_value(text) for text in values)
    return command.run(file, profile=profile, inputs=inputs, as_json=as_json, output=output)


@cli.command()
@click.argument("files", nargs=-1, required=True, type=_FILE, metavar="FILE...")
@_PROFILE
@_STRICT
@_TIME
@_SEED
@_ASSUME
@_BIND
@_JSON
@_OUTPUT
def compare(
    files: tuple[str, ...],
    profile: str | None,
    types: str,
    time_limit: float,
    seed: int,
    assume: tuple[str, ...],
    bind: tuple[str, ...],
    as_json: bool,
    output: str | None,
) -> int:
    """The greedy passes against the optimum, a table."""
    from smtalloc.allocate import SolveOptions
    from smtalloc.commands import compare as command
    from smtalloc.dimensions import given

    return command.run(
        files,
        profile=profile,
        types=TypeRule(types),
        options=SolveOptions(time_limit_s=time_limit, seed=seed),
        as_json=as_json,
        output=output,
        given=given(assume, bind),
    )


@cli.command()
@click.argument("plan_file", type=_FILE, metavar="PLAN.json")
@click.argument("program", type=_FILE)
@_PROFILE
@_JSON
def check(plan_file: str, program: str, profile: str | None, as_json: bool) -> int:
    """The independent checker on a written plan (of plan --json)."""
    from smtalloc.commands import check as command

    return command.run(plan_file, program, profile=profile, as_json=as_json)


@cli.command()
@click.argument("file", type=_FILE)
@click.argument("first")
@click.argument("second")
@click.option("--function", metavar="NAME", help="Of the function with this name (default: the first with both).")
@_PROFILE
@_TYPES
@_JSON
def explain(
    file: str, first: str, second: str, function: str | None, profile: str | None, types: str, as_json: bool
) -> int:
    """Why two buffers (SSA names, like %alloc_3) may, or may not, share."""
    from smtalloc.commands import explain as command

    return command.run(file, first, second, function=function, profile=profile, types=TypeRule(types), as_json=as_json)


@cli.command()
@click.argument("names", nargs=-1, metavar="[LEMMA]...")
@click.option("--time-limit", type=click.FloatRange(min=0, min_open=True), default=10.0, show_default=True, metavar="S")
@_JSON
def prove(names: tuple[str, ...], time_limit: float, as_json: bool) -> int:
    """Have z3 (and cvc5, if installed) prove the lemmas of the model, in S seconds each: encodings/lemmas."""
    from smtalloc.commands import prove as command

    return command.run(names, time_limit_s=time_limit, as_json=as_json)


@cli.command()
@click.argument("file", type=_FILE)
@click.option("--to", type=click.Choice(["smt2", "csv", "json", "dot"]), required=True)
@click.option(
    "--query",
    type=click.Choice(["plan", "bound", "verdict", "races"]),
    help="With --to smt2, what is asked (default: plan, or verdict with --after). The good answer is always unsat.",
)
@click.option("--capacity", "capacities", multiple=True, metavar="[POOL=]N", help="Of a .csv or .json arena problem.")
@click.option("--encoding", metavar="NAME", help="With --to smt2 of a .csv or .json problem (default: order).")
@click.option("--after", type=_FILE, metavar="FILE", help="The output of a pass, for --query verdict.")
@click.option("--plan", type=_FILE, metavar="FILE", help="A written plan (JSON), for --query plan and bound.")
@click.option("--function", metavar="NAME", help="The function, where the file has several.")
@_PROFILE
@_POLICY
@_TYPES
@_OUTPUT
def export(
    file: str,
    to: str,
    query: str | None,
    capacities: tuple[str, ...],
    encoding: str | None,
    after: str | None,
    plan: str | None,
    function: str | None,
    profile: str | None,
    policy: str,
    types: str,
    output: str | None,
) -> int:
    """A function's problem for other tools: a query (smt2), lives (csv), conflicts (json, dot). Arena problems too."""
    from smtalloc.commands import export as command
    from smtalloc.commands.arena_input import is_problem

    if is_problem(file):
        from smtalloc.commands import export_arena

        return export_arena.run(file, to=to, capacities=capacities, encoding=encoding, output=output)
    return command.run(
        file,
        query=None if query is None else command.Query(query),
        after=after,
        plan=plan,
        to=to,
        function=function,
        profile=profile,
        policy=Policy(policy),
        types=TypeRule(types),
        output=output,
    )


def main() -> None:
    """Entry point: one line for bad input, no tracebacks for it, and the exit status of the command."""
    try:
        status: Any = _quiet(cli)
    except InputError as error:
        click.echo(f"error: {error}", err=True)
        status = 2
    except (RuntimeError, AssertionError) as error:  # ours, and never a verdict
        if os.environ.get("SMTALLOC_TRACEBACK"):
            raise
        text = " ".join(str(error).split()) or type(error).__name__
        click.echo(f"internal error: {text} (a bug in smtalloc; SMTALLOC_TRACEBACK=1 shows where)", err=True)
        status = 3
    except KeyboardInterrupt:
        status = 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    sys.exit(status)


def _quiet(command: Callable[..., Any]) -> Any:
    """Run click, but keep our own exceptions and the commands' return values."""
    try:
        result = command(standalone_mode=False)
        sys.stdout.flush()
        return result or 0
    except click.exceptions.Abort:
        return 130
    except click.ClickException as error:
        error.show()
        return error.exit_code


if __name__ == "__main__":
    main()
