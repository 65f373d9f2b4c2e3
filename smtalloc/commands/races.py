"""`smtalloc races`: one module alone."""

from __future__ import annotations

from itertools import islice

from smtalloc.commands.common import Exit, worst, write_output
from smtalloc.commands.verify import Judged, check_inputs, exit_status, verdict_json
from smtalloc.comparison import Inputs, default_inputs
from smtalloc.counterexample import judge, judge_runs
from smtalloc.flow_findings import races_on_paths
from smtalloc.formats import answer, dump_json
from smtalloc.mlir.session import Pair, alone, load
from smtalloc.placement import Correspondence
from smtalloc.plan import Counterexample, SafetyVerdict, Unknown, Unsafe
from smtalloc.program import InputError, Location
from smtalloc.races import outside, shown_races
from smtalloc.unwritten import read_before_write
from smtalloc.validate import findings


def run(path: str, *, profile: str | None, inputs: Inputs, as_json: bool, output: str | None) -> Exit:
    """Judge every function: races on its buffers, and clashes of lives through views of pools."""
    source = load(path, profile)
    if not source.programs:
        raise InputError("no function with a body", Location(path))
    judged = [Judged(pair, judge_alone(pair, inputs), None) for pair in alone(source)]
    check_inputs(inputs, [j.pair for j in judged])
    if as_json:
        write_output(dump_json(answer(map(verdict_json, judged))) + "\n", output)
    else:
        from smtalloc.show.verdicts import verdicts_text  # noqa: PLC0415 - rich is loaded only to show text

        verdicts_text(judged, path, output)
    return worst([exit_status(j.verdict) for j in judged])


def judge_alone(pair: Pair, inputs: Inputs) -> SafetyVerdict:
    """Where the function as a whole gives no answer, its concrete runs may show what is wrong."""
    if isinstance(pair.found, Unknown):
        return pair.found
    verdict = _straight(pair.found, inputs)
    if isinstance(verdict, Unknown):
        for run_ in pair.runs():
            own, _ = shown_races(run_.before, default_inputs(run_.before, inputs))
            own += read_before_write(run_.after)
            shown = Unsafe(tuple(own)) if own else judge_runs([run_], inputs)
            if shown is not None:
                return shown
    return verdict


def _straight(found: Correspondence, inputs: Inputs) -> SafetyVerdict:
    """The races of the program itself, then what the layout of its pools adds."""
    values = default_inputs(found.before, inputs)
    if found.flow is not None:  # its concrete runs show what is wrong
        own, unclear = list[Counterexample](), list(islice(races_on_paths(found.flow), 1))
    else:
        own, unclear = shown_races(found.before, values)
    own += outside(found.after) + read_before_write(found.after)
    layout = judge(found, findings(found), values)
    clashes = layout.counterexamples if isinstance(layout, Unsafe) else ()
    if own or clashes:
        return Unsafe((*own, *clashes))
    if unclear:
        return Unknown(unclear[0])
    return layout
