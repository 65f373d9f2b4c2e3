"""Files -> functions, for the commands: the one door between the command line and xdsl."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from xdsl.dialects import builtin
from xdsl.ir import Operation

from smtalloc.arena_program import ProgramArena
from smtalloc.dimensions import Given, with_proven_facts
from smtalloc.flow import Flow
from smtalloc.greedy import greedy_slots
from smtalloc.mlir.arena_writer import apply_arena
from smtalloc.mlir.candidates import greedy_candidates
from smtalloc.mlir.compare import correspond
from smtalloc.mlir.graph import NotFollowedError, flow_of
from smtalloc.mlir.greedy_writer import apply_greedy
from smtalloc.mlir.inline import has_calls, inline_calls
from smtalloc.mlir.match import MismatchError
from smtalloc.mlir.model import FunctionModel, functions, model_function
from smtalloc.mlir.profile import Profile, guess, load_profile
from smtalloc.mlir.reader import print_modules, read_file, read_modules
from smtalloc.mlir.sizes import Assumed
from smtalloc.mlir.split import pieces, split
from smtalloc.mlir.traces import has_control_flow, traces, traces_alone
from smtalloc.mlir.writer import apply_plan
from smtalloc.placement import Correspondence
from smtalloc.plan import Slots, Unknown
from smtalloc.program import InputError, Location, Program
from smtalloc.symbolic import Range


@dataclass(frozen=True)
class SourceFile:
    """A file of modules, and what runs where in it."""

    path: str
    modules: tuple[builtin.ModuleOp, ...]
    profile: Profile
    guessed: bool
    models: tuple[FunctionModel, ...]
    assumed: Assumed = field(default_factory=dict[str, Range])
    """Bounds on dimensions that the user states."""

    @property
    def programs(self) -> tuple[Program, ...]:
        """The functions with a body, in order."""
        return tuple(model.program for model in self.models)

    def text(self, *, generic: bool) -> str:
        return print_modules(self.modules, generic=generic)

    def reread(self) -> SourceFile:
        """What a reader of the printed text sees: models that match the ops after a rewrite."""
        modules = tuple(read_modules(self.text(generic=False), self.path))
        return _source(self.path, modules, self.profile, self.assumed, guessed=self.guessed)

    def apply(self, plans: Sequence[Slots | None], programs: Sequence[Program] | None = None) -> None:
        """Rewrite the functions by their plans, in place (None: left as it is). `programs` are those that were planned,
        with facts about their sizes; these are found again where they are not given."""
        planned = programs or [Given().applied(program) for program in self.programs]
        for model, program, plan in zip(self.models, planned, plans, strict=True):
            if plan is not None:
                apply_plan(replace(model, program=program), plan)

    def apply_arenas(
        self, found: Sequence[ProgramArena], programs: Sequence[Program] | None = None, *, get_pool: bool = False
    ) -> None:
        """Rewrite the functions by their arena plans, in place; `programs` as in `apply`. Raises InputError where
        `get_pool` cannot be."""
        planned = programs or [with_proven_facts(program) for program in self.programs]
        for number, (model, program, arena) in enumerate(zip(self.models, planned, found, strict=True)):
            apply_arena(replace(model, program=program), arena, domain=number if get_pool else None)

    def apply_greedy(self, *, exclude_host_accessed: bool) -> None:
        """Rewrite all functions as the greedy pass does, in place."""
        for model in self.models:
            buffers, candidates = greedy_candidates(model)
            openers = greedy_slots(candidates, exclude_host_accessed=exclude_host_accessed)
            apply_greedy(model, buffers, openers)


def load(path: str, profile: str | None, assumed: Assumed | None = None) -> SourceFile:
    """Read a file ("-": standard input); `assumed` are bounds on dimensions. Raises InputError."""
    modules = tuple(read_file(path))
    return _source(path, modules, _chosen(modules, profile), assumed or {}, guessed=profile is None)


def load_after(path: str, before: SourceFile, profile: str | None) -> SourceFile:
    """A second file, read as the first was."""
    return load(path, before.profile.name if profile is None else profile, before.assumed)


def load_text(text: str, name: str, profile: str | None, assumed: Assumed | None = None) -> SourceFile:
    """The same from a text; `name` stands in messages."""
    modules = tuple(read_modules(text, name))
    return _source(name, modules, _chosen(modules, profile), assumed or {}, guessed=profile is None)


def _chosen(modules: Sequence[builtin.ModuleOp], profile: str | None) -> Profile:
    return load_profile(profile or guess(frozenset(_dialects(modules))))


def _source(
    path: str, modules: tuple[builtin.ModuleOp, ...], profile: Profile, assumed: Assumed, *, guessed: bool
) -> SourceFile:
    found = [function for module in modules for function in functions(module)]
    models = tuple(model_function(function, profile, assumed=assumed) for function in found)
    return SourceFile(path, modules, profile, guessed, models, assumed)


def _dialects(modules: Sequence[builtin.ModuleOp]) -> Iterator[str]:
    def names(op: Operation) -> Iterator[str]:
        yield op.name.partition(".")[0]
        for region in op.regions:
            for block in region.blocks:
                for inner in block.ops:
                    yield from names(inner)

    for module in modules:
        yield from names(module)


def greedy_plan(source: SourceFile, function: int, *, exclude_host_accessed: bool = False) -> Slots:
    """The greedy pass's slots for one function; allocations that the pass does not look at have their own."""
    model = source.models[function]
    buffers, candidates = greedy_candidates(model)
    openers = greedy_slots(candidates, exclude_host_accessed=exclude_host_accessed)
    slots: dict[int, list[int]] = {}
    for buffer, opener in zip(buffers, openers, strict=True):
        slots.setdefault(buffers[opener], []).append(buffer)
    for index, buffer in enumerate(model.program.buffers):
        if not buffer.external and index not in buffers:
            slots[index] = [index]
    return Slots(tuple(tuple(slots[opener]) for opener in sorted(slots)))


@dataclass(frozen=True)
class Pair:
    """One function of BEFORE and what became of it: the correspondence, or why there is none."""

    name: str
    found: Correspondence | Unknown
    program: Program
    runs: Callable[[], Iterator[Correspondence]] = field(default=lambda: iter(()))
    """Concrete runs, where the function has control flow: straight-line correspondences."""


def pairs(before: SourceFile, after: SourceFile) -> list[Pair]:
    """Match the functions of two files by name, in the order of BEFORE.

    Private functions that only AFTER has are helpers of the pass; what calls them does not correspond.
    Raises InputError if AFTER has others that BEFORE has not.
    """
    before, refused = _without_calls(before)
    after, also_refused = _without_calls(after)
    refused |= also_refused
    theirs: dict[tuple[str, ...], list[FunctionModel]] = {}
    for model in after.models:
        theirs.setdefault(_path(model), []).append(model)
    result: list[Pair] = []
    for model in before.models:
        name = model.program.name
        candidates = theirs.get(_path(model), [])
        counterpart = candidates.pop(0) if candidates else None
        found = Unknown(refused[name]) if name in refused else _found(model, counterpart, after.path, before.assumed)
        result.append(_pair(name, found, model, counterpart, before.profile))
    extra = [name for name, models in theirs.items() if not all(map(_is_private, models))]
    if extra:
        raise InputError(f"function @{extra[0][-1]} is not in {before.path}", Location(after.path))
    return result


def _without_calls(source: SourceFile) -> tuple[SourceFile, dict[str, str]]:
    """The file with the bodies of the module in place of their calls; and functions where that is not possible, why."""
    if not any(map(has_calls, source.modules)):
        return source, {}
    inlined = [inline_calls(module) for module in source.modules]
    modules = tuple(one.module for one in inlined)
    refused = {name: reason for one in inlined for name, reason in one.refused.items()}
    return _source(source.path, modules, source.profile, source.assumed, guessed=source.guessed), refused


def _is_private(model: FunctionModel) -> bool:
    return model.func.sym_visibility == builtin.StringAttr("private")


def _path(model: FunctionModel) -> tuple[str, ...]:
    """Names of the modules around a function, and its own."""
    names = [model.program.name]
    parent = model.func.parent_op()
    while parent is not None:
        symbol = parent.get_attr_or_prop("sym_name")
        if isinstance(symbol, builtin.StringAttr):
            names.insert(0, symbol.data)
        parent = parent.parent_op()
    return tuple(names)


def _pair(
    name: str,
    found: Correspondence | Unknown,
    model: FunctionModel,
    counterpart: FunctionModel | None,
    profile: Profile,
) -> Pair:
    if counterpart is None or isinstance(found, Unknown) or not has_control_flow(model.func, profile):
        return Pair(name, found, model.program)
    mine, theirs = model.func, counterpart.func
    found = _followed(found, lambda: flow_of(model, counterpart), model.loose_frees | counterpart.loose_frees)
    return Pair(name, found, model.program, lambda: traces(mine, theirs, profile))


def _followed(found: Correspondence, flow: Callable[[], Flow], freed_inside: frozenset[int]) -> Correspondence:
    """With the paths of the function. Where they are not known, anything may happen in its regions, in any order."""
    try:
        return replace(found, flow=flow())
    except NotFollowedError as error:
        return replace(found, unfollowed=f"memory is freed inside a region: {error}") if freed_inside else found


def alone(source: SourceFile) -> list[Pair]:
    """Each function against itself with the views of its pools as buffers of their own (mlir/split.py)."""
    source, refused = _without_calls(source)
    result: list[Pair] = []
    for model in source.models:
        function, profile, name = model.func, source.profile, model.program.name
        apart = model_function(function, profile, split_views=True, assumed=source.assumed)
        found: Correspondence = split(apart, model, source.assumed)
        if name in refused:
            result.append(Pair(name, Unknown(refused[name]), found.before))
        elif has_control_flow(function, profile):
            found = _followed(found, lambda a=apart, m=model: flow_of(a, m, split_views=True), model.loose_frees)
            found = replace(found, hoisted=pieces(apart))
            runs = partial(traces_alone, function, profile)
            result.append(Pair(name, found, found.before, runs))
        else:
            result.append(Pair(name, found, found.before))
    return result


def _found(
    model: FunctionModel, counterpart: FunctionModel | None, after: str, assumed: Assumed
) -> Correspondence | Unknown:
    if counterpart is None:
        return Unknown(f"{after} has no function @{model.program.name}")
    try:
        return correspond(model, counterpart, assumed)
    except MismatchError as error:
        return Unknown(f"the modules do not correspond: {error}")
    except RecursionError:
        return Unknown("views of views, too many to follow")
