"""OpenVINO on the CPU."""

from typing import Literal

from targets.target import TargetOptions


class OpenvinoOptions(TargetOptions):
    """OpenVINO's slot in a job."""

    runtime: Literal["openvino"] = "openvino"
