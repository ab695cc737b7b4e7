"""The words that a study of a table is asked for by: its task, and the rule by which a model is chosen.

This module imports nothing else of gnomon: the command line refuses an unknown word before anything slow is imported.
"""

from typing import Literal, TypeAlias, get_args

__all__ = ["RULES", "TARGET_TASKS", "TASKS", "RuleName", "TargetTask", "Task"]

TargetTask: TypeAlias = Literal["classification", "regression"]
Task: TypeAlias = Literal["classification", "regression", "anomaly"]
RuleName: TypeAlias = Literal["simplest", "best"]

TARGET_TASKS: tuple[TargetTask, ...] = get_args(TargetTask)
TASKS: tuple[Task, ...] = get_args(Task)
RULES: tuple[RuleName, ...] = get_args(RuleName)
