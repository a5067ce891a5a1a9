"""Chance as a pure function of 64-bit seeds, for one game and for batches, so that a batch deals what single games deal."""

from __future__ import annotations

import numpy as np

from abstract_envs.core.bits import ALL, Both, Word
from abstract_envs.core.options import whole_number

__all__ = ["check_seed", "episode_seed", "fresh_seed", "mix"]

_CONSTANTS = Both(golden=0x9E3779B97F4A7C15, first=0xBF58476D1CE4E5B9, second=0x94D049BB133111EB, by_27=27, by_30=30, by_31=31)


def mix(x: Word) -> Word:
    """A word scrambled one to one: a step of SplitMix64 (Steele, Lea, Flood 2014)."""
    c = _CONSTANTS.of(x)
    x = _add(x, c.golden)
    x = _multiply(x ^ x >> c.by_30, c.first)
    x = _multiply(x ^ x >> c.by_27, c.second)
    return x ^ x >> c.by_31


def episode_seed(seed: Word, episode: Word) -> Word:
    """The seed of a game's chance: a function of the seed given to ``reset`` and of the number of episodes since then."""
    return mix(_add(mix(seed), episode))


def check_seed(seed: object) -> int:
    """A seed as an int; ValueError unless it is a whole number from 0 to 2**64 - 1."""
    return whole_number("seed", seed, 0, ALL)


def fresh_seed() -> int:
    """A seed from the operating system's entropy."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])


def _add(x: Word, y: Word) -> Word:
    return x + y & ALL if type(x) is int else x + np.asarray(y, np.uint64)


def _multiply(x: Word, y: Word) -> Word:
    return x * y & ALL if type(x) is int else x * y
