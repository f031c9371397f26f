"""The connection to an S3-compatible service."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, cast

import botocore.session
from botocore.client import Config

from registry.errors import StoreError
from registry.store.s3_faults import s3_faults
from registry.store.s3_page import Answer, take_objects
from registry.store.s3_place import Place
from registry.store.s3_time import read_time

if TYPE_CHECKING:
    from botocore.model import OperationModel
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import ObjectTypeDef


def connect(place: Place) -> "S3Client":
    """Set up a client, with the credentials that botocore's chain finds. Asks nothing yet.

    It is what boto3's own client is, without the time that boto3 takes to be imported.
    """
    options = place.options
    config = Config(
        connect_timeout=min(10, options.timeout),
        read_timeout=options.timeout,
        retries={"mode": "standard", "total_max_attempts": options.attempts},
        max_pool_connections=32,
        # Trailing checksums, the default, are refused by some services, and saved as a part
        # of the object by others. A signed payload is checked by all of them.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        s3={
            "addressing_style": options.addressing or ("path" if place.endpoint else "auto"),
            "payload_signing_enabled": True,
        },
    )
    with s3_faults(place):
        try:
            made = _session().create_client("s3", endpoint_url=place.endpoint, config=config)
        except ValueError as error:
            raise StoreError(f"{place}: not an endpoint. Write https://host:port") from error
    client = cast("S3Client", made)
    client.meta.events.register("before-parameter-build.s3", partial(_add, options.always))
    client.meta.events.register_first("before-parse.s3", _take_objects)
    return client


def _session() -> botocore.session.Session:
    """Begin a session whose listings are read quickly."""
    session = botocore.session.get_session()
    factory = session.get_component("response_parser_factory")
    factory.set_parser_defaults(timestamp_parser=read_time)
    return session


def _take_objects(
    operation_model: "OperationModel",
    response_dict: Answer,
    customized_response_dict: dict[str, list["ObjectTypeDef"]],
    **_: object,
) -> None:
    """Take the objects out of a listing before botocore looks at it for the first time."""
    if operation_model.name == "ListObjectsV2":
        take_objects(response_dict, customized_response_dict)


def _add(
    always: Mapping[str, str], params: dict[str, object], model: "OperationModel", **_: object
) -> None:
    """Tell a request what all are told that take it."""
    taken = model.input_shape.members if model.input_shape else {}
    params.update({name: text for name, text in always.items() if name in taken})
