"""An instance of sigstore of one's own, small: it gives out certificates and keeps a log.

Fulcio's and Rekor's HTTP protocols as sigstore's own client speaks them, with keys made here: a
certificate authority, a log of certificates and a log of signatures of one entry each.
"""

import base64
import hashlib
import json
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from tests.json_answer import answer_json

ISSUER = "https://accounts.example"

_ISSUER_OID = x509.ObjectIdentifier("1.3.6.1.4.1.57264.1.1")
_TIMESTAMPS_OID = x509.ObjectIdentifier("1.3.6.1.4.1.11129.2.4.2")
_USAGE = (
    "digital_signature",
    "content_commitment",
    "key_encipherment",
    "data_encipherment",
    "key_agreement",
    "key_cert_sign",
    "crl_sign",
    "encipher_only",
    "decipher_only",
)


def token(identity: str, *, lasts: int = 600, audience: str = "sigstore") -> str:
    """Make an identity token; whom to believe is for the instance, which believes all."""
    now = int(datetime.now(UTC).timestamp())
    said = {"iss": ISSUER, "sub": identity, "aud": audience, "iat": now - 60, "exp": now + lasts}
    parts = (json.dumps(part).encode() for part in ({"alg": "HS256", "typ": "JWT"}, said))
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in (*parts, b"x"))


def _key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _der(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def _id(key: ec.EllipticCurvePrivateKey) -> bytes:
    return hashlib.sha256(_der(key)).digest()


def _sign(key: ec.EllipticCurvePrivateKey, data: bytes) -> bytes:
    return key.sign(data, ec.ECDSA(hashes.SHA256()))


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _usage(name: str) -> x509.KeyUsage:
    return x509.KeyUsage(**{each: each == name for each in _USAGE})


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


@dataclass
class Instance:
    """A running instance.

    Attributes:
        late: How long after a certificate was given out the log says that it was used.
    """

    url: str = ""
    late: timedelta = timedelta(0)
    authority: ec.EllipticCurvePrivateKey = field(default_factory=_key)
    certificates: ec.EllipticCurvePrivateKey = field(default_factory=_key)
    log: ec.EllipticCurvePrivateKey = field(default_factory=_key)

    def __post_init__(self) -> None:
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "root")])
        self.root = (
            self._begun(name, timedelta(days=9))
            .subject_name(name)
            .public_key(self.authority.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage("key_cert_sign"), critical=True)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(self.authority.public_key()), False
            )
            .sign(self.authority, hashes.SHA256())
        )

    def trusted_root(self) -> dict:
        since = {"start": "2020-01-01T00:00:00Z"}

        def log(key: ec.EllipticCurvePrivateKey) -> dict:
            public = {"rawBytes": _b64(_der(key)), "keyDetails": "PKIX_ECDSA_P256_SHA_256"}
            return {
                "baseUrl": self.url,
                "hashAlgorithm": "SHA2_256",
                "publicKey": {**public, "validFor": since},
                "logId": {"keyId": _b64(_id(key))},
            }

        root = self.root.public_bytes(serialization.Encoding.DER)
        authority = {
            "subject": {"organization": "a test", "commonName": "root"},
            "uri": self.url,
            "certChain": {"certificates": [{"rawBytes": _b64(root)}]},
            "validFor": since,
        }
        return {
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [log(self.log)],
            "certificateAuthorities": [authority],
            "ctlogs": [log(self.certificates)],
            "timestampAuthorities": [],
        }

    def write(self, folder: Path) -> Path:
        """Write the trust configuration of a client of it."""
        service = {
            "url": self.url,
            "majorApiVersion": 1,
            "validFor": {"start": "2020-01-01T00:00:00Z"},
            "operator": "a test",
        }
        signing = {
            "mediaType": "application/vnd.dev.sigstore.signingconfig.v0.2+json",
            "caUrls": [service],
            "oidcUrls": [service],
            "rekorTlogUrls": [service],
            "rekorTlogConfig": {"selector": "ANY"},
            "tsaUrls": [],
            "tsaConfig": {"selector": "ANY"},
        }
        path = folder / "instance.json"
        config = "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json"
        told = {"mediaType": config, "trustedRoot": self.trusted_root(), "signingConfig": signing}
        path.write_text(json.dumps(told))
        return path

    def certify(self, request: x509.CertificateSigningRequest, identity: str) -> x509.Certificate:
        """Give out a certificate, with the promise of the log of certificates in it."""
        place = x509.UniformResourceIdentifier if "://" in identity else x509.RFC822Name
        begun = (
            self._begun(self.root.subject, timedelta(minutes=10))
            .subject_name(x509.Name([]))
            .public_key(request.public_key())
            .add_extension(_usage("digital_signature"), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]), False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(request.public_key()), False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self.authority.public_key()),
                False,
            )
            .add_extension(x509.SubjectAlternativeName([place(identity)]), critical=True)
            .add_extension(x509.UnrecognizedExtension(_ISSUER_OID, ISSUER.encode()), False)
        )
        before = begun.sign(self.authority, hashes.SHA256())
        promise = self._promise(before.tbs_certificate_bytes)
        listed = struct.pack(f"!HH{len(promise)}s", len(promise) + 2, len(promise), promise)
        octets = bytes([0x04, len(listed)]) + listed
        extension = x509.UnrecognizedExtension(_TIMESTAMPS_OID, octets)
        return begun.add_extension(extension, False).sign(self.authority, hashes.SHA256())

    def enter(self, proposed: dict) -> dict:
        """Keep a signature in a log of its own, and promise that it is there."""
        content = proposed["spec"]["proposedContent"]
        envelope = json.loads(content["envelope"])
        signature = {"signature": envelope["signatures"][0]["sig"]}
        payload = hashlib.sha256(base64.b64decode(envelope["payload"])).hexdigest()
        whole = hashlib.sha256(content["envelope"].encode()).hexdigest()
        spec = {
            "envelopeHash": {"algorithm": "sha256", "value": whole},
            "payloadHash": {"algorithm": "sha256", "value": payload},
            "signatures": [{**signature, "verifier": content["verifiers"][0]}],
        }
        body = json.dumps({"apiVersion": "0.0.1", "kind": "dsse", "spec": spec}).encode()
        leaf = hashlib.sha256(b"\0" + body).digest()
        entry = {
            "body": _b64(body),
            "integratedTime": int((datetime.now(UTC) + self.late).timestamp()),
            "logID": _id(self.log).hex(),
            "logIndex": 0,
        }
        told = json.dumps(entry, sort_keys=True, separators=(",", ":")).encode()
        proof = {
            "logIndex": 0,
            "treeSize": 1,
            "rootHash": leaf.hex(),
            "hashes": [],
            "checkpoint": self._checkpoint(leaf),
        }
        promise = {"inclusionProof": proof, "signedEntryTimestamp": _b64(_sign(self.log, told))}
        return {leaf.hex(): {**entry, "verification": promise}}

    def _begun(self, issuer: x509.Name, lasts: timedelta) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .issuer_name(issuer)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(minutes=1))
            .not_valid_after(now + lasts)
        )

    def _promise(self, certificate: bytes) -> bytes:
        """Sign for a certificate as the log of RFC 6962 does."""
        at = int(datetime.now(UTC).timestamp()) * 1000
        length = len(certificate).to_bytes(3, "big")
        said = struct.pack("!BBQH", 0, 0, at, 1) + _id(self.authority) + length + certificate
        signature = _sign(self.certificates, said + b"\0\0")
        head = struct.pack("!B32sQHBBH", 0, _id(self.certificates), at, 0, 4, 3, len(signature))
        return head + signature

    def _checkpoint(self, root: bytes) -> str:
        note = f"a test\n1\n{_b64(root)}\n"
        signature = _id(self.log)[:4] + _sign(self.log, note.encode())
        return f"{note}\n— a-test {_b64(signature)}\n"


@contextmanager
def sigstore_instance(late: timedelta = timedelta(0)) -> Iterator[Instance]:
    """Run an instance; what it signed for can be checked when it has ended."""
    instance = Instance(late=late)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            place = f"{instance.url}/auth"
            answer_json(self, {"authorization_endpoint": place, "token_endpoint": place})

        def do_POST(self) -> None:
            told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if "signingCert" in self.path:
                answer_json(self, self._certificate(told))
            else:
                answer_json(self, instance.enter(told))

        def _certificate(self, told: dict) -> dict:
            middle = self.headers["Authorization"].split(".")[1]
            said = json.loads(base64.urlsafe_b64decode(middle + "=="))
            pem = base64.b64decode(told["certificateSigningRequest"])
            request = x509.load_pem_x509_csr(pem)
            certificate = instance.certify(request, said["sub"])
            chain = [_pem(each).decode() for each in (certificate, instance.root)]
            return {"signedCertificateEmbeddedSct": {"chain": {"certificates": chain}}}

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        instance.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield instance
        finally:
            server.shutdown()
            thread.join()
