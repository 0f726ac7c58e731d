"""Makes what only the services' own libraries can make: Swift's rings, Octavia's certificate.

Runs in the cloud's environment.
"""

import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from swift.common.ring import RingBuilder

from tests.cloud.box.places import ETC, SWIFT_PORTS


def make_rings():
    """One device on this machine, one replica."""
    for kind, port in SWIFT_PORTS.items():
        ring = RingBuilder(4, 1, 1)
        device = {"region": 1, "zone": 1, "device": "d1", "weight": 1, "meta": ""}
        at = {"ip": "127.0.0.1", "port": port}
        ring.add_dev({**device, **at, "replication_ip": at["ip"], "replication_port": port})
        ring.rebalance()
        ring.get_ring().save(str(ETC / "swift" / f"{kind}.ring.gz"))


def make_certificate():
    """A certificate authority with which Octavia signs those of its amphorae."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "box")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=3650))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    folder = ETC / "octavia"
    (folder / "ca.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "ca.key").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"box"),
        )
    )


if __name__ == "__main__":
    make_rings()
    make_certificate()
