"""What a user can mend, each kind with its own exit code."""


class PlatformError(Exception):
    """Name the thing, then the fault, then the command or the change that mends it."""

    exit_code = 1


class JobError(PlatformError):
    """The job file, or a name in it, is wrong."""

    exit_code = 10


class SourceError(PlatformError):
    """The model, its weights or its samples cannot be read."""

    exit_code = 11


class SplitError(PlatformError):
    """The model cannot be cut as the job asks."""

    exit_code = 12


class ConversionError(PlatformError):
    """A part cannot be written in the wanted format."""

    exit_code = 13


class ParityError(PlatformError):
    """The converted answers are not the original's answers."""

    exit_code = 14


class StoreError(PlatformError):
    """The store cannot be reached, refuses, or does not hold what was asked for."""

    exit_code = 15


class ContractError(PlatformError):
    """This host cannot run the artifact."""

    exit_code = 16


class IntegrityError(PlatformError):
    """Bytes are not the bytes that were published."""

    exit_code = 17


class MissingExtraError(PlatformError):
    """A package that this step needs is not installed."""

    exit_code = 18


class WorkerError(PlatformError):
    """A stage's process crashed, hung or ran out of memory."""

    exit_code = 19


class ServeError(PlatformError):
    """The server cannot start or cannot do what it is told."""

    exit_code = 20


class RolloutError(PlatformError):
    """A version did not go live; the one before still serves."""

    exit_code = 21


class ResourceError(PlatformError):
    """The disk or the memory does not suffice, or a file is refused by the system."""

    exit_code = 22


class InputError(PlatformError):
    """A request's inputs do not fit the model's signature."""

    exit_code = 23


class ToolchainError(PlatformError):
    """A toolchain is not built, cannot be built, or does not work here."""

    exit_code = 24
