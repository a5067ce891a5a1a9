"""Chance from seeds: the same for one game and for batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstract_envs.core.chance import check_seed, episode_seed, fresh_seed, mix

seeds = st.integers(0, 2**64 - 1)


def test_mix_is_splitmix64() -> None:
    """The first outputs of the generator published by its authors, seeds 1234567 and 0."""
    golden = 0x9E3779B97F4A7C15
    states = [1234567 + k * golden & 2**64 - 1 for k in range(5)]
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
    assert [mix(state) for state in states] == expected
    words = np.array(states, np.uint64)
    words.flags.writeable = False
    assert mix(words).tolist() == expected
    assert mix(0) == 0xE220A8397B1DCDAF


@given(st.lists(st.tuples(seeds, st.integers(0, 2**40)), min_size=1))
def test_both_kinds_agree(rows: list[tuple[int, int]]) -> None:
    seed, episode = np.array([s for s, _ in rows], np.uint64), np.array([e for _, e in rows], np.uint64)
    assert episode_seed(seed, episode).tolist() == [episode_seed(s, e) for s, e in rows]
    assert episode_seed(seed, rows[0][1]).tolist() == [episode_seed(s, rows[0][1]) for s, _ in rows]


def test_episodes_of_neighbouring_seeds_differ() -> None:
    """Game i is dealt by seed + i: its later episodes are not those of game i + 1."""
    found = {episode_seed(seed, episode) for seed in range(200) for episode in range(200)}
    assert len(found) == 40_000


@pytest.mark.parametrize("seed", [0, 7, 2**64 - 1, np.int64(7), np.array(7), np.uint64(2**64 - 1)])
def test_seeds(seed: Any) -> None:
    assert check_seed(seed) == int(seed)
    assert type(check_seed(seed)) is int


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "7", True, np.bool_(1), None, [1]])
def test_bad_seeds(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed is"):
        check_seed(seed)


def test_fresh_seeds_differ() -> None:
    assert len({fresh_seed() for _ in range(20)}) == 20
