"""A page of a listing, read quickly: for all that it says botocore takes four times as long."""

from typing import TYPE_CHECKING, TypedDict
from xml.etree import ElementTree

from registry.store.s3_time import read_time

if TYPE_CHECKING:
    from mypy_boto3_s3.type_defs import ObjectTypeDef


class Answer(TypedDict):
    """What botocore has of a service's answer."""

    status_code: int
    body: bytes


def take_objects(
    response_dict: Answer, customized_response_dict: dict[str, list["ObjectTypeDef"]], **_: object
) -> None:
    """Take the objects out of an answer before botocore parses the rest: key, size and time."""
    if response_dict["status_code"] != 200:
        return
    try:
        root = ElementTree.fromstring(response_dict["body"])  # noqa: S314  as botocore does
        found = [child for child in root if _name(child) == "Contents"]
        customized_response_dict["Contents"] = [_read(child) for child in found]
    except (ElementTree.ParseError, KeyError, ValueError):
        customized_response_dict.clear()
        return  # botocore says what is wrong with it
    for child in found:
        root.remove(child)
    response_dict["body"] = ElementTree.tostring(root)


def _read(child: ElementTree.Element) -> "ObjectTypeDef":
    said = {_name(part): part.text or "" for part in child}
    return {
        "Key": said["Key"],
        "Size": int(said["Size"]),
        "LastModified": read_time(said["LastModified"]),
    }


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]
