"""KServe: an InferenceService that runs our own server, which does lookups too."""

from pathlib import Path

from pydantic import JsonValue

from registry.errors import StoreError
from registry.exchange.layouts.layout import Layout, View

_PORT = 8080

#: What Kubernetes takes for the name of a service.
_LONGEST = 53


def write(view: View) -> Path:
    """Write `<model>.yaml` for `kubectl apply`; the pod pulls the version from the store."""
    if not view.store.startswith("s3://"):
        raise StoreError(
            f"{view.store}: a cluster cannot read this folder. Copy the version first: "
            "pipeline registry cp REF --to-store s3://bucket/prefix"
        )
    import yaml  # noqa: PLC0415  no other command needs it

    path = view.out / f"{view.version.model}.yaml"
    path.write_text(yaml.safe_dump(_service(view), sort_keys=False))
    return path


def _service(view: View) -> dict[str, JsonValue]:
    version = view.version
    return {
        "apiVersion": "serving.kserve.io/v1beta1",
        "kind": "InferenceService",
        "metadata": {
            "name": _name(version.model),
            "annotations": {
                "model-pipeline/version": f"{version.model}@{version.number}",
                "model-pipeline/fingerprint": version.fingerprint,
            },
        },
        "spec": {"predictor": {"minReplicas": 1, "containers": [_container(view)]}},
    }


def _container(view: View) -> JsonValue:
    reference = f"{view.version.model}@{view.version.number}"
    where = ["--store", view.store, *(["--endpoint", view.endpoint] if view.endpoint else [])]
    listen = ["--host", "0.0.0.0", "--port", str(_PORT), "--target", view.build.target]  # noqa: S104  the pod's own
    arguments: list[JsonValue] = ["serve", reference, *where, *listen]
    return {
        "name": "kserve-container",
        "image": view.image,
        "command": ["pipeline"],
        "args": arguments,
        "ports": [{"containerPort": _PORT, "protocol": "TCP"}],
        "readinessProbe": {"httpGet": {"path": "/v2/health/ready", "port": _PORT}},
        "livenessProbe": {"httpGet": {"path": "/v2/health/live", "port": _PORT}},
        "envFrom": [{"secretRef": {"name": "model-store", "optional": True}}],
    }


def _name(model: str) -> str:
    """Make a name for Kubernetes of a model's: no dots, no underscores, not too long."""
    return model.replace(".", "-").replace("_", "-")[:_LONGEST].strip("-")


KSERVE = Layout(
    name="kserve", help="an InferenceService that runs our server", wants=False, write=write
)
