"""What pydantic's errors mean to the one who wrote the job: one row a type of error."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pipeline.job.job import NAME
from pipeline.job.nearest import did_you_mean, nearest
from pipeline.job.node import Node, clipped


@dataclass(frozen=True)
class Trouble:
    """One error of the models.

    Attributes:
        context: Figures and names that belong to the type of error.
        fallback: Pydantic's own message.
        name: The last part of its path: a key, an index, or the member of a union.
        known: Keys that are allowed beside that one.
        written: The text at fault: the value's, or the key's.
        subject: What to call the node: '`atol`', 'an entry of `tables`'.
    """

    node: Node
    context: Mapping[str, object]
    fallback: str
    name: str
    known: tuple[str, ...]
    written: str
    subject: str


#: What has to stand where a value of another kind stands.
WANTED: dict[str, str] = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a block of keys",
    "model_type": "a block of keys",
    "model_attributes_type": "a block of keys",
}

#: What texts of a form look like, by the field's name; else the form is that of a name.
FORMS: dict[str, str] = {"factory": "has to be `module:callable`, such as `shop.models:build`"}
_NAME_FORM = "is no name: those hold a-z, 0-9, `.`, `_`, `-` and start with a letter or digit"


PAIR = "has to be a list of two: [lowest, highest]"


def say(kind: str, trouble: Trouble) -> str:
    """Put an error into words."""
    if kind in WANTED:
        return wrong_kind(WANTED[kind], trouble)
    return _WORDS.get(kind, _as_it_is)(trouble)


def wrong_kind(wanted: str, trouble: Trouble) -> str:
    """Say what has to stand here, and how, where quotes or brackets are all that is missing."""
    node = trouble.node
    if node.is_scalar and node.scalar is None:
        return f"{trouble.subject} is empty; it has to be {wanted}"
    return f"{trouble.subject} has to be {wanted}{_remedy(wanted, node)}"


def _remedy(wanted: str, node: Node) -> str:
    if wanted == "text" and node.scalar is not None:
        return f', not {node}; put it in quotes: "{str(node).strip("`")}"'
    if wanted == "a list" and node.text is not None:
        return f"; write [{clipped(node.text.strip('()'))}]"
    if node.text in ("true", "false") and wanted == "true or false":
        return f", not {node}; leave out the quotes"
    if "number" in wanted and node.text is not None:
        return f", not {node}{_unquoted(node.text)}"
    return f", not {node}"


def _unquoted(text: str) -> str:
    return "; leave out the quotes" if re.fullmatch(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?", text) else ""


def _unknown_key(trouble: Trouble) -> str:
    return f"unknown key `{clipped(trouble.name)}`{did_you_mean(trouble.name, trouble.known)}"


def _unknown_value(trouble: Trouble) -> str:
    expected = re.findall(r"[\w.-]+", str(trouble.context["expected"]).replace("' or '", " "))
    meant = nearest(trouble.node.text, expected) if trouble.node.text else None
    guess = f"; did you mean `{meant}`?" if meant and len(expected) > 1 else ""
    return f"{trouble.subject} has to be {_listed(expected)}, not {trouble.node}{guess}"


def _unknown_tag(trouble: Trouble) -> str:
    key = str(trouble.context["discriminator"]).strip("'")
    tag = str(trouble.context["tag"])
    expected = re.findall(r"'([^']*)'", str(trouble.context["expected_tags"]))
    return f"no {key} is called `{clipped(tag)}`{did_you_mean(tag, expected)}"


def _no_tag(trouble: Trouble) -> str:
    key = str(trouble.context["discriminator"]).strip("'")
    if (meant := nearest(key, trouble.node.keys())) is not None:
        return f"unknown key `{meant}`; did you mean `{key}`?"
    return f"`{key}` is missing here"


def _pattern(trouble: Trouble) -> str:
    text = trouble.written
    form = FORMS.get(trouble.name, _NAME_FORM)
    slug = re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("-._")[:64]
    hint = f"; `{slug}` would do" if slug and trouble.context["pattern"] == NAME else ""
    return f"`{clipped(text)}` {form}{hint}"


def _bound(words: str, key: str) -> Callable[[Trouble], str]:
    return lambda trouble: (
        f"{trouble.subject} has to be {words} {trouble.context[key]:g}, not {trouble.node}"
    )


def _too_short(trouble: Trouble) -> str:
    return f"{trouble.subject} may not be empty"


def _too_long(trouble: Trouble) -> str:
    return f"{trouble.subject} is longer than {trouble.context['max_length']} characters"


def _own_words(trouble: Trouble) -> str:
    return str(trouble.context.get("error", trouble.fallback))


def _as_it_is(trouble: Trouble) -> str:
    return trouble.fallback[:1].lower() + trouble.fallback[1:]


def _listed(names: list[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return " or ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1]))) if quoted else "another"


_WORDS: dict[str, Callable[[Trouble], str]] = {
    "extra_forbidden": _unknown_key,
    "literal_error": _unknown_value,
    "enum": _unknown_value,
    "union_tag_invalid": _unknown_tag,
    "union_tag_not_found": _no_tag,
    "string_pattern_mismatch": _pattern,
    "string_too_short": _too_short,
    "string_too_long": _too_long,
    "too_short": _too_short,
    "too_long": lambda trouble: f"{trouble.subject} {PAIR}",
    "greater_than_equal": _bound("at least", "ge"),
    "greater_than": _bound("more than", "gt"),
    "less_than_equal": _bound("at most", "le"),
    "less_than": _bound("less than", "lt"),
    "finite_number": lambda trouble: (
        f"{trouble.subject} has to be a finite number, not {trouble.node}"
    ),
    "value_error": _own_words,
}
