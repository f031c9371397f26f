"""Keep what frameworks print and warn of, instead of letting them write to the terminal."""

import contextlib
import io
import logging
import re
import warnings
from collections.abc import Iterator

from registry.composition import Remark
from registry.remarks import tell

#: What torch logs to while it exports.
TORCH_EXPORT = ("torch",)
#: Not for people: torch's exporter itself reads what is logged here.
_CHANNEL = "torch.__trace"

#: Warnings that are for the authors of a framework, not for those who use it.
_INTERNAL = (FutureWarning, DeprecationWarning, PendingDeprecationWarning, ResourceWarning)


#: What frameworks say at every turn, and what no one can act on.
_NOISE = re.compile(
    "torchvision is not installed|^Skip|constant folding|Output node output has"
    "|is_fx_tracing will return true"
)


def is_noise(remark: Remark) -> bool:
    """Tell whether a remark says nothing of the model."""
    return _NOISE.search(remark.text) is not None


class _Keeper(logging.Handler):
    """Keep the text of warnings that a framework logs."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


@contextlib.contextmanager
def quiet(by: str, *loggers: str) -> Iterator[list[Remark]]:
    """Yield a list that holds, once the block is left, what was warned of within it.

    Args:
        by: Whom the remarks come from.
        loggers: Those that must not reach the terminal; their warnings are kept.
    """
    remarks: list[Remark] = []
    keeper = _Keeper()
    with contextlib.ExitStack() as stack:
        for logger in _loud(loggers):
            stack.enter_context(_only_to(keeper, logger))
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        caught = stack.enter_context(warnings.catch_warnings(record=True))
        warnings.simplefilter("always")
        try:
            yield remarks
        finally:
            told = [one for one in caught if not issubclass(one.category, _INTERNAL)]
            texts = [*keeper.texts, *(str(warning.message) for warning in told)]
            remarks += [Remark(by=by, text=text) for text in dict.fromkeys(texts)]
            tell(remark for remark in remarks if not is_noise(remark))


def _loud(names: tuple[str, ...]) -> list[logging.Logger]:
    """Find the loggers, and those below them that write by handlers of their own."""
    below = [
        logger
        for name, logger in logging.root.manager.loggerDict.items()
        if name.startswith(tuple(f"{one}." for one in names)) and name != _CHANNEL
        if isinstance(logger, logging.Logger) and logger.handlers
    ]
    return [*map(logging.getLogger, names), *below]


@contextlib.contextmanager
def _only_to(keeper: logging.Handler, logger: logging.Logger) -> Iterator[None]:
    before = (logger.handlers, logger.propagate, logger.level)
    logger.handlers, logger.propagate = [keeper], False
    logger.setLevel(logging.WARNING)  # a framework may have made the root logger deaf
    try:
        yield
    finally:
        logger.handlers, logger.propagate, level = before
        logger.setLevel(level)
