"""The words that a study of a table is asked for by: its task, how a model is chosen, how groups are made.

This module imports nothing else of gnomon: the command line refuses an unknown word before anything slow is imported.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

__all__ = [
    "CLUSTER",
    "CLUSTER_METHODS",
    "RULES",
    "TARGET_TASKS",
    "TASKS",
    "ClusterMethod",
    "RuleName",
    "TargetTask",
    "Task",
]

TargetTask: TypeAlias = Literal["classification", "regression"]
Task: TypeAlias = Literal["classification", "regression", "anomaly"]
RuleName: TypeAlias = Literal["simplest", "best"]
ClusterMethod: TypeAlias = Literal["k-means", "k-medoids", "ward"]

TARGET_TASKS: tuple[TargetTask, ...] = get_args(TargetTask)
TASKS: tuple[Task, ...] = get_args(Task)
RULES: tuple[RuleName, ...] = get_args(RuleName)
CLUSTER_METHODS: tuple[ClusterMethod, ...] = get_args(ClusterMethod)
CLUSTER = "cluster"
"""What the notes of a model file call the task of `gnomon cluster`, which is none of `learn`."""
