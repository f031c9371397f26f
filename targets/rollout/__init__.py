"""Taking a version live, and back."""

from targets.rollout import local
from targets.rollout.environment import Environment

ENVIRONMENTS: tuple[Environment, ...] = (local.ENVIRONMENT,)
