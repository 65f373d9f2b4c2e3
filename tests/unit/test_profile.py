"""Profiles: what a user may write, and what is said when it is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from smtalloc.mlir.profile import UNKNOWN_OP, builtin_names, guess, load_profile
from smtalloc.program import InputError


def test_builtin_profiles_load() -> None:
    assert {"hip", "linalg-device"} <= set(builtin_names())
    for name in builtin_names():
        assert load_profile(name).name == name


def test_the_most_specific_rule_wins() -> None:
    hip = load_profile("hip")
    assert hip.rule("hip.readback_dim").waits == ("stream",)
    assert hip.rule("hip.gqa").reads_outs == "yes"
    assert hip.rule("hip.anything").engine == "stream"
    assert hip.rule("linalg.fill").reads_outs == "no"
    assert hip.rule("linalg.fill").engine == "host"
    assert hip.rule("linalg.matmul").reads_outs == "body"
    assert hip.rule("foo.bar") is UNKNOWN_OP


def test_guess_by_dialect() -> None:
    assert guess(frozenset({"hip", "linalg"})) == "hip"
    assert guess(frozenset({"linalg", "memref"})) == "linalg-device"
    assert guess(frozenset({"memref"})) == "hip"


def test_own_profile(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "mine"\nqueues = ["copy", "compute"]\n[ops."my.*"]\nengine = "compute"\nreads = ["all"]\n'
        '[ops."my.wait"]\nengine = "host"\nwaits = ["copy", "compute"]\n'
    )
    profile = load_profile(str(path))
    assert profile.rule("my.wait").waits == ("copy", "compute")
    assert profile.rule("memref.store").engine == "host", "common rules hold in every profile"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", "not TOML"),
        ('[ops."x.y"]\nengine = "gpu"', "engine 'gpu' is not"),
        ('[ops."x.y"]\nengine = "host"\ncolour = 1', "unknown key 'colour'"),
        ('[ops."x.y"]\nengine = "host"\nreads = 3', "reads must be a list"),
        ('[ops."x.y"]\nengine = "host"\nwaits = ["q"]', "waits for 'q'"),
        ('[ops."x.y"]\nengine = "none"\nfrees = "a"', "frees must be an operand number"),
        ('[ops."x.y"]\nengine = "none"\nroot = "heap"', "root must be one of"),
        ("ops = 3", "[ops] must be a table"),
        ("queues = 3", "queues must be a list"),
        ('[ops]\n"x.y" = 3', "must be a table"),
        ('[ops."x.y"]\nreads = [0]', "engine 'None' is not"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(InputError, match="profile") as caught:
        load_profile(str(path))
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_unknown_names() -> None:
    with pytest.raises(InputError, match="unknown profile 'nope'"):
        load_profile("nope")
    with pytest.raises(InputError, match="cannot read profile"):
        load_profile("./no/such.toml")
