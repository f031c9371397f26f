"""From YAML to nodes: nothing is constructed, nothing explodes, every value keeps its place."""

from collections.abc import Iterator
from itertools import islice
from typing import cast

import yaml
from yaml import events as kinds

from pipeline.job import scalar
from pipeline.job.fault import Fault, Place
from pipeline.job.node import ABSENT, Entry, Node, clipped
from pipeline.job.syntax import syntax_fault
from pipeline.job.text import Text

_VALUES = 20_000
_DEPTH = 32
_CONTROLS = 50


_Opening = kinds.ScalarEvent | kinds.CollectionStartEvent


class _StopError(Exception):
    """What follows cannot be read."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


def compose(text: Text) -> tuple[Node, tuple[Fault, ...]]:
    """Read the text; the node is absent where it could not be read to its end."""
    composer = _Composer(text)
    if faults := tuple(islice(_controls(text), _CONTROLS)):
        return ABSENT, faults
    try:
        root = composer.document()
    except yaml.MarkedYAMLError as error:
        return ABSENT, (*composer.faults, syntax_fault(error, text))
    except _StopError as stop:
        return ABSENT, (*composer.faults, stop.fault)
    return root, tuple(composer.faults)


def _controls(text: Text) -> Iterator[Fault]:
    """Find characters that YAML does not allow."""
    for number, line in enumerate(text.lines):
        for found in yaml.reader.Reader.NON_PRINTABLE.finditer(line):
            place = Place(number, found.start())
            yield Fault(place, f"a control character (U+{ord(found.group()):04X}); take it out")


class _Composer:
    """One pass over the events of a file."""

    def __init__(self, text: Text) -> None:
        self.faults: list[Fault] = []
        self._lines = text.lines
        self._events = yaml.parse(text.content, Loader=yaml.SafeLoader)
        self._anchors: dict[str, Node | None] = {}
        self._count = 0
        self._depth = 0

    def document(self) -> Node:
        """Read the one document."""
        next(self._events)
        if isinstance(next(self._events), kinds.StreamEndEvent):
            raise _StopError(Fault(Place(0, 0), "the file is empty"))
        root = self._node(next(self._events))
        next(self._events)
        if not isinstance(following := next(self._events), kinds.StreamEndEvent):
            place = self._place(following, following)
            raise _StopError(Fault(place, "a second document; a file holds one job"))
        return root

    def _node(self, event: yaml.Event) -> Node:
        self._tally(event, 1)
        if isinstance(event, kinds.AliasEvent):
            return self._alias(event)
        return self._anchored(cast("_Opening", event))

    def _anchored(self, event: _Opening) -> Node:
        if event.anchor:
            self._anchors[event.anchor] = None
        self._depth += 1
        self._measure(event, 0)
        node = self._value(event)
        self._depth -= 1
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            message = f"tags such as `{clipped(tag)}` are not allowed; leave it out"
            node = self._spoilt(self._tag_place(event), message)
        if event.anchor:
            self._anchors[event.anchor] = node
        return node

    def _value(self, event: yaml.Event) -> Node:
        if isinstance(event, kinds.ScalarEvent):
            return self._scalar(event)
        if isinstance(event, kinds.SequenceStartEvent):
            return self._list(event)
        return self._block(event)

    def _alias(self, event: kinds.AliasEvent) -> Node:
        place = self._place(event, event)
        if event.anchor not in self._anchors:
            return self._spoilt(place, f"no anchor `&{event.anchor}` stands above")
        node = self._anchors[event.anchor]
        if node is None:
            return self._spoilt(place, f"`*{event.anchor}` stands inside of what it names")
        self._tally(event, node.size)
        self._measure(event, node.depth)
        return node

    def _scalar(self, event: kinds.ScalarEvent) -> Node:
        place = self._place(event, event)
        if bad := next((char for char in event.value if _unwanted(char)), None):
            return self._spoilt(place, f"this holds a control character (U+{ord(bad):04X})")
        if not event.implicit[0]:
            return Node(place, event.value)
        try:
            return Node(place, scalar.resolve(event.value))
        except ValueError as error:
            return self._spoilt(place, str(error))

    def _list(self, start: yaml.Event) -> Node:
        elements: list[Node] = []
        event = next(self._events)
        while not isinstance(event, kinds.SequenceEndEvent):
            elements.append(self._node(event))
            event = next(self._events)
        return Node(self._place(start, event), elements=tuple(elements))

    def _block(self, start: yaml.Event) -> Node:
        entries: dict[str, Entry] = {}
        event = next(self._events)
        while not isinstance(event, kinds.MappingEndEvent):
            key = self._node(event)
            value = self._node(next(self._events))
            if (name := self._name(key, event)) in entries:
                line = entries[name].key.line + 1
                self._spoilt(key.place, f"`{name}` is there already, in line {line}")
            elif name is not None:
                entries[name] = Entry(key.place, value)
            event = next(self._events)
        return Node(self._place(start, event), entries=entries)

    def _name(self, key: Node, event: yaml.Event) -> str | None:
        if key.spoilt:
            return None
        if key.text == "<<" and isinstance(event, kinds.ScalarEvent) and event.implicit[0]:
            self._spoilt(key.place, "merge keys are not part of YAML 1.2; write the keys out")
            return None
        if key.text is None:
            self._spoilt(key.place, f"a key has to be text{_as_text(key)}")
        return key.text

    def _spoilt(self, place: Place, message: str) -> Node:
        self.faults.append(Fault(place, message))
        return Node(place, spoilt=True)

    def _tally(self, event: yaml.Event, size: int) -> None:
        self._count += size
        if self._count > _VALUES:
            raise self._stop(event, f"up to here the file comes to more than {_VALUES:,} values")

    def _measure(self, event: yaml.Event, below: int) -> None:
        if self._depth + below > _DEPTH:
            raise self._stop(event, f"nested deeper than {_DEPTH} levels")

    def _stop(self, event: yaml.Event, message: str) -> _StopError:
        return _StopError(Fault(self._place(event, event), message))

    def _place(self, start: yaml.Event, end: yaml.Event) -> Place:
        """Span from one event to another, as far as the first line goes."""
        (row, column), (last, until) = _begin(start), _end(end)
        line = self._lines[row] if row < len(self._lines) else ""
        stop = until if last == row else len(line.split(" #", maxsplit=1)[0].rstrip())
        return Place(row, column, max(1, stop - column))

    def _tag_place(self, event: yaml.Event) -> Place:
        row, column = _begin(event)
        words = self._lines[row][column:].split(maxsplit=1)
        return Place(row, column, len(words[0]) if words else 1)


def _as_text(key: Node) -> str:
    if key.is_scalar and key.scalar is not None:
        return f'; write "{str(key).strip("`")}"'
    return f", not {key}"


def _begin(event: yaml.Event) -> tuple[int, int]:
    mark = event.start_mark
    return (mark.line, mark.column) if mark else (0, 0)


def _end(event: yaml.Event) -> tuple[int, int]:
    mark = event.end_mark
    return (mark.line, mark.column) if mark else (0, 0)


def _unwanted(char: str) -> bool:
    return (
        (char < " " and char not in "\t\n")
        or "\x7f" <= char < "\xa0"
        or "\ud800" <= char <= "\udfff"
    )
