"""The packing kernel: limits, signals, errors, repeatability, and the public instances."""

from __future__ import annotations

import csv
import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest
from support import ROOT, SHARED, needs_kernel, needs_shared

from bench.arena_instances import full_load
from smtalloc.solvers import kernel
from smtalloc.solvers.kernel import Gap, Problem, Progress, Status

pytestmark = needs_kernel

WALL_S = 0.2 + 0.6  # what is promised, and what a loaded machine may add


def shared(name: str) -> Problem:
    with next(SHARED.glob(name)).open(newline="") as file:
        rows = list(csv.DictReader(file))
    return Problem([int(r["size"]) for r in rows], [(int(r["lower"]), int(r["upper"])) for r in rows])


def overlapping(problem: Problem, offsets: tuple[int, ...]) -> int:
    """How many bytes of memory are in use twice, by a sweep over time and a sorted list of what is live."""
    events = sorted((t, kind, j) for j, life in enumerate(problem.lives) for t, kind in zip(life, (1, 0), strict=True))
    live: dict[int, int] = {}
    twice = 0
    for _, kind, j in events:
        if kind == 0:
            del live[j]
            continue
        top = offsets[j] + problem.sizes[j]
        twice += sum(max(0, min(top, offsets[k] + problem.sizes[k]) - max(offsets[j], offsets[k])) for k in live)
        live[j] = top
    return twice


def hard() -> Problem:
    """Full at every moment, and more than the search does in some seconds."""
    return full_load(random.Random(5), 24, 60, parts=3, dying=3)


@needs_shared
@pytest.mark.parametrize("name", "ABCEFGHIK")
def test_minimalloc_at_the_load_bound(name: str) -> None:
    problem = shared(f"minimalloc/{name}.*.csv")
    load = kernel.first_fit(problem).bound
    answer = kernel.decide(problem, load)
    assert (answer.status, answer.height) == (Status.SOLVED, load)
    assert overlapping(problem, answer.offsets) == 0
    assert kernel.decide(problem, load - 1).status is Status.INFEASIBLE


@needs_shared
@pytest.mark.parametrize("name", ["G_1", "resnet50", "S_1"])
def test_training_graphs_are_optimal(name: str) -> None:
    problem = shared(f"large/{name}.csv")
    answer = kernel.minimise(problem)
    assert (answer.status, answer.height) == (Status.SOLVED, answer.bound)
    assert name == "S_1" or overlapping(problem, answer.offsets) == 0


def test_a_placement_below_what_first_fit_finds_is_told_step_by_step() -> None:
    problem, told = hard(), list[Progress]()
    answer = kernel.minimise(problem, nodes=20_000, found=told.append)
    assert [step.height for step in told] == sorted({step.height for step in told}, reverse=True)
    assert told[-1].offsets == answer.offsets
    assert all(overlapping(problem, step.offsets) == 0 for step in told)
    assert answer.bound <= answer.height <= kernel.first_fit(problem).height


def test_the_same_seed_gives_the_same_answer() -> None:
    first, second = (kernel.minimise(hard(), nodes=20_000, seed=3) for _ in range(2))
    assert first == second


def test_the_deadline_is_kept() -> None:
    start = time.monotonic()
    answer = kernel.minimise(hard(), deadline=start + 0.3)
    assert answer.status is Status.LIMIT
    assert time.monotonic() - start < 0.3 + WALL_S
    assert overlapping(hard(), answer.offsets) == 0


def test_a_deadline_that_is_over_still_leaves_a_placement() -> None:
    answer = kernel.minimise(hard(), deadline=time.monotonic() - 1)
    assert answer.status is Status.LIMIT
    assert overlapping(hard(), answer.offsets) == 0


def test_cancel_from_another_thread() -> None:
    cancel = threading.Event()
    problem, capacity = hard(), kernel.first_fit(hard()).bound
    threading.Timer(0.2, cancel.set).start()
    start = time.monotonic()
    answer = kernel.decide(problem, capacity, cancel=cancel)
    assert answer.status is Status.CANCELLED
    assert time.monotonic() - start < 0.2 + WALL_S


def test_other_threads_run_meanwhile() -> None:
    ticks, done = list[float](), threading.Event()

    def tick() -> None:
        while not done.wait(0.01):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    kernel.minimise(hard(), deadline=time.monotonic() + 0.4)
    done.set()
    thread.join()
    assert len(ticks) >= 3


def test_ctrl_c() -> None:
    code = (
        "import os, signal, threading, time\n"
        "from test_kernel import hard, kernel\n"
        "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "try:\n"
        "    kernel.minimise(hard())\n"
        "except KeyboardInterrupt:\n"
        "    print('stopped')\n"
    )
    path = os.pathsep.join(str(ROOT / "tests" / part) for part in ("unit", "property", "."))
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout == "stopped\n", done.stderr


def test_what_a_callback_raises_ends_the_search() -> None:
    def refuse(_: Progress) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        kernel.minimise(hard(), found=refuse)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_capacity_of_minimise() -> None:
    problem = Problem([4, 4], [(0, 2), (1, 3)])
    assert kernel.minimise(problem, capacity=7).status is Status.INFEASIBLE
    assert kernel.minimise(problem, capacity=8).height == 8


def test_no_buffers_and_empty_ones() -> None:
    assert kernel.minimise(Problem([])).status is Status.SOLVED
    empty = kernel.minimise(Problem([0, 5, 0], [(0, 9), (2, 2), (1, 1)]))
    assert (empty.status, empty.height) == (Status.SOLVED, 5)


def test_sizes_near_the_limit() -> None:
    big = 1 << 58
    answer = kernel.minimise(Problem([big, big, 1], [(0, 2), (1, 3), (0, 3)]))
    assert (answer.status, answer.height) == (Status.SOLVED, 2 * big + 1)
    with pytest.raises(ValueError, match="sum"):
        kernel.minimise(Problem([1 << 59, 1 << 59, 1 << 59], [(0, 1)] * 3))
    with pytest.raises(ValueError, match="times"):
        kernel.minimise(Problem([1], [(0, 1 << 70)]))


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (Problem([1, 2], [(0, 1)]), "one life per buffer"),
        (Problem([-1], [(0, 1)]), "negative"),
        (Problem([1], [(2, 1)]), "ends before"),
        (Problem([1], [(0, 1)], alignments=[0]), "alignments"),
        (Problem([1], [(0, 1)], alignments=[1, 1]), "one alignment"),
        (Problem([1], [(0, 1)], pinned={1: 0}), "no such buffer"),
        (Problem([1], [(0, 1)], pinned={0: -4}), "pinned"),
        (Problem([1], [(0, 1)], forbidden={0: [(3, 2)]}), "forbidden"),
        (Problem([1], [(0, 4)], gaps={0: [Gap(1, 5)]}), "gaps"),
        (Problem([1], [(0, 4)], gaps={0: [Gap(0, 2), Gap(1, 3)]}), "gaps"),
        (Problem([1], [(0, 4)], gaps={0: [Gap(0, 2, (0, 2))]}), "window"),
        (Problem([1], [(0, 4)], gaps={3: [Gap(0, 2)]}), "no such buffer"),
        (Problem([1, 1], conflicts=[[1]]), "conflicts"),
        (Problem([1], conflicts=[[0]]), "itself"),
        (Problem([1], [(0, 1)], conflicts=[[]]), "instead of"),
    ],
)
def test_malformed_problems(problem: Problem, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kernel.minimise(problem)


@pytest.mark.parametrize(
    ("rooms", "clashes", "where", "weight", "fault"),
    [
        ([2], [[]], [-1], [1], "no such slot"),
        ([1], [[]], [1], [1], "no such slot"),
        ([1], [[1]], [-1], [1], "no such item"),
        ([1], [[0]], [-1], [1], "no such item"),
        ([1], [[]], [-1], [0], "weights"),
        ([1], [], [-1], [1], "one entry"),
    ],
)
def test_malformed_fits(
    rooms: list[int], clashes: list[list[int]], where: list[int], weight: list[int], fault: str
) -> None:
    with pytest.raises(ValueError, match=fault):
        kernel.slot_fit(rooms, clashes, where, weight, 1, rounds=1)


def test_many_buffers() -> None:
    problem = Problem([1 + j % 97 for j in range(20_000)], [(j, j + 1 + j * j % 101) for j in range(20_000)])
    answer = kernel.first_fit(problem)
    assert answer.height <= 1.05 * answer.bound
    assert overlapping(problem, answer.offsets) == 0
