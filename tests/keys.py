"""Keys to sign with."""

from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec


@dataclass(frozen=True)
class Pair:
    """Files of a private and of a public key."""

    private: Path
    public: Path


def make_pair(folder: Path, name: str) -> Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    pair = Pair(folder / f"{name}.key", folder / f"{name}.pub")
    pair.private.write_bytes(private_bytes(key))
    pair.public.write_bytes(
        key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )
    return pair


def private_bytes(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
