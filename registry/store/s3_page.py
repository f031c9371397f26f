"""A page of a listing, read quickly: for all that it says botocore takes ten times as long."""

import re
from typing import TYPE_CHECKING, TypedDict
from xml.etree import ElementTree

from registry.store.s3_time import read_time

if TYPE_CHECKING:
    from mypy_boto3_s3.type_defs import ObjectTypeDef


class Answer(TypedDict):
    """What botocore has of a service's answer."""

    status_code: int
    body: bytes


#: As services write it; what is written otherwise is parsed.
_FIRST, _LAST = "<Contents>", "</Contents>"
_FIELD = re.compile("<(Key|Size|LastModified)>([^<]*)</")
_HEAD = re.compile(rb"\s*<\?xml[^>]*encoding=[\"']utf-8[\"'][^>]*\?>", re.IGNORECASE)


def take_objects(
    response_dict: Answer, customized_response_dict: dict[str, list["ObjectTypeDef"]]
) -> None:
    """Take the objects out of an answer before botocore parses the rest: key, size and time."""
    if response_dict["status_code"] != 200:
        return
    try:
        found, rest = _glance(response_dict["body"]) or _parse(response_dict["body"])
    except (ElementTree.ParseError, KeyError, ValueError):
        return  # botocore says what is wrong with it
    customized_response_dict["Contents"] = found
    response_dict["body"] = rest


def _glance(body: bytes) -> tuple[list["ObjectTypeDef"], bytes] | None:
    """Find the objects by the usual look of an answer, and what is left; None where it has not."""
    if not _HEAD.match(body):
        return None
    text = body.decode()
    start, end = text.find(_FIRST), text.rfind(_LAST) + len(_LAST)
    objects = text[start:end] if start >= 0 else ""
    fields = _FIELD.findall(objects)
    order = [name for name, _ in fields[:3]]
    if [name for name, _ in fields] != order * objects.count(_FIRST) or "<CommonP" in objects:
        return None
    by_name = {name: [said for _, said in fields[at::3]] for at, name in enumerate(order)}
    try:
        columns = [by_name[name] for name in ("Key", "Size", "LastModified")] if order else []
        found = [_typed(_text(key), size, at) for key, size, at in zip(*columns, strict=True)]
    except (ElementTree.ParseError, KeyError, ValueError):
        return None
    return found, (text.replace(objects, "", 1) if objects else text).encode()


def _text(text: str) -> str:
    return ElementTree.fromstring(f"<a>{text}</a>").text or "" if "&" in text else text  # noqa: S314


def _parse(body: bytes) -> tuple[list["ObjectTypeDef"], bytes]:
    root = ElementTree.fromstring(body)  # noqa: S314  as botocore does
    objects = [child for child in root if _name(child) == "Contents"]
    said = [{_name(part): part.text or "" for part in child} for child in objects]
    found = [_typed(each["Key"], each["Size"], each["LastModified"]) for each in said]
    for child in objects:
        root.remove(child)
    return found, ElementTree.tostring(root)


def _typed(key: str, size: str, modified: str) -> "ObjectTypeDef":
    return {"Key": key, "Size": int(size), "LastModified": read_time(modified)}


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]
