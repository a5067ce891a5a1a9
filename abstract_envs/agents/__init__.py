"""Opponents, and matches between them.

An agent is anything with a method ``act(game, states, rng)``, or a function of these arguments, that gives a legal action for
every game of a batch. Agents of the library are also known by name.
"""

from __future__ import annotations

from abstract_envs.agents.agent import AGENTS, Agent, AgentLike, act_one, resolve
from abstract_envs.agents.alphabeta import AlphaBetaAgent
from abstract_envs.agents.arena import Arena, Pairing, Rating, arena
from abstract_envs.agents.evaluate import Evaluation, SeatScore, evaluate
from abstract_envs.agents.greedy import GreedyAgent
from abstract_envs.agents.mcts import Evaluator, MCTSAgent, Search
from abstract_envs.agents.members import Members, drawn, members_of
from abstract_envs.agents.perfect import Moves, PerfectAgent, judge_moves, states_with_regret
from abstract_envs.agents.policy import NetworkAgent, Policy, PPOAgent
from abstract_envs.agents.pool import OpponentPool
from abstract_envs.agents.random import RandomAgent
from abstract_envs.agents.regret import keeps_value, mean_regret
from abstract_envs.agents.tables import Table, table_of

__all__ = [
    "AGENTS",
    "Agent",
    "AgentLike",
    "AlphaBetaAgent",
    "Arena",
    "Evaluation",
    "Evaluator",
    "GreedyAgent",
    "MCTSAgent",
    "Members",
    "Moves",
    "NetworkAgent",
    "OpponentPool",
    "PPOAgent",
    "Pairing",
    "PerfectAgent",
    "Policy",
    "RandomAgent",
    "Rating",
    "Search",
    "SeatScore",
    "Table",
    "act_one",
    "arena",
    "drawn",
    "evaluate",
    "judge_moves",
    "keeps_value",
    "mean_regret",
    "members_of",
    "resolve",
    "states_with_regret",
    "table_of",
]
