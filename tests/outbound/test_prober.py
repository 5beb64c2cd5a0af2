"""The prober against a real listener for each way an endpoint can be broken."""

from __future__ import annotations

import datetime
import ipaddress
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from chalicelib.domain.gate import ProbeKind, ProbeResult
from chalicelib.outbound.prober import MAX_HEAD, PROBE_NAME, probe, probe_url, redacted

Serve = Callable[[socket.socket], None]

OURS = b"HTTP/1.1 404 Not Found\r\nX-Parley: 1\r\nContent-Length: 2\r\n\r\n{}"


@contextmanager
def listening(serve: Serve) -> Iterator[int]:
    """A loopback listener that hands its one connection to `serve`; yields the port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(5)

        def run() -> None:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(5)
                try:
                    serve(connection)
                except OSError:
                    return

        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            thread.join()


def answering(answer: bytes) -> Serve:
    """Reads the request's head, then says `answer` and closes."""

    def serve(connection: socket.socket) -> None:
        request = b""
        while b"\r\n\r\n" not in request and (got := connection.recv(4096)):
            request += got
        connection.sendall(answer)

    return serve


def waiting_for_the_end(connection: socket.socket) -> None:
    """Accepts, reads and never says a word."""
    while connection.recv(4096):
        pass


def resetting(connection: socket.socket) -> None:
    """Reads the request and tears the connection down with RST."""
    connection.recv(4096)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def dripping(first: bytes) -> Serve:
    """Sends `first`, then one byte at a time, each well within the read limit, for ever."""

    def serve(connection: socket.socket) -> None:
        connection.recv(4096)
        connection.sendall(first)
        pause = threading.Event()
        while not pause.wait(0.02):
            connection.sendall(b"x")

    return serve


def ask(port: int, *, scheme: str = "http", trust: ssl.SSLContext | None = None) -> ProbeResult:
    return probe(
        probe_url(f"{scheme}://127.0.0.1:{port}"),
        connect_timeout=1.0,
        read_timeout=0.2,
        total_timeout=0.5,
        trust=trust,
    )


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.mark.parametrize(
    ("answer", "kind", "status"),
    [
        (OURS, ProbeKind.OK, 404),
        (b"HTTP/1.1 401 Unauthorized\r\nx-parley: 1\r\n\r\n", ProbeKind.OK, 401),
        (b"HTTP/1.0 200 OK\nX-PARLEY: 1\n\n", ProbeKind.OK, 200),
        (b"HTTP/1.1 503 Unavailable\r\nX-Parley: 1\r\n\r\n", ProbeKind.DEGRADED, 503),
        (b"HTTP/1.1 200 OK\r\nX-Parley: gateway\r\n\r\n", ProbeKind.DEGRADED, 200),
        (b"HTTP/1.1 502 Bad Gateway\r\n\r\n<html>", ProbeKind.DEGRADED, 502),
        (b"HTTP/1.1 403 Forbidden\r\nX-Amzn-ErrorType: x\r\n\r\n", ProbeKind.DEGRADED, 403),
        (b"HTTP/1.1 200 OK\r\n\r\nX-Parley: 1", ProbeKind.DEGRADED, 200),
        (b"HTTP/1.1 404\r\nX-Parley: 1\r\n\r\n", ProbeKind.OK, 404),
    ],
)
def test_any_http_answer_is_reached_and_only_a_sound_one_of_ours_is_ok(
    answer: bytes, kind: ProbeKind, status: int
) -> None:
    with listening(answering(answer)) as port:
        result = ask(port)
    assert (result.kind, result.status, result.reachable) == (kind, status, True)
    assert result.degraded is (kind is ProbeKind.DEGRADED)
    assert f"HTTP {status} from http://127.0.0.1:{port}/api/v1/" in result.detail


def test_a_redirect_loop_is_an_answer_and_is_not_followed() -> None:
    asked: list[bytes] = []

    def redirecting(connection: socket.socket) -> None:
        asked.append(connection.recv(4096))
        host, port = connection.getsockname()
        connection.sendall(
            f"HTTP/1.1 302 Found\r\nLocation: http://{host}:{port}/again\r\n\r\n".encode()
        )

    with listening(redirecting) as port:
        result = ask(port)
    assert (result.kind, result.status) == (ProbeKind.DEGRADED, 302)
    assert len(asked) == 1


def test_what_is_sent_is_a_plain_get_of_the_probe_path() -> None:
    asked: list[bytes] = []

    def noting(connection: socket.socket) -> None:
        asked.append(connection.recv(4096))
        connection.sendall(OURS)

    with listening(noting) as port:
        ask(port)
    lines = asked[0].decode().split("\r\n")
    assert lines[0] == f"GET /api/v1/elicitations/session/{PROBE_NAME}/{PROBE_NAME} HTTP/1.1"
    assert f"Host: 127.0.0.1:{port}" in lines
    assert not any(line.lower().startswith(("authorization", "x-api-key")) for line in lines)


@pytest.mark.parametrize(
    ("serve", "kind"),
    [
        (waiting_for_the_end, ProbeKind.TIMEOUT),
        (resetting, ProbeKind.RESET),
        (answering(b""), ProbeKind.RESET),
        (answering(b"HTTP/1.1 200 OK\r\nX-Par"), ProbeKind.RESET),
        (dripping(b"HTTP/1.1 200 OK\r\nX-Parley: "), ProbeKind.TIMEOUT),
        (answering(b"SSH-2.0-OpenSSH_9.6\r\n"), ProbeKind.OTHER),
        (answering(b"HTTP/1.1 two hundred\r\n\r\n"), ProbeKind.OTHER),
        (answering(b"HTTP/1.1 200 OK\r\nX: " + b"x" * MAX_HEAD), ProbeKind.OTHER),
    ],
    ids=["hang", "reset", "closed", "cut short", "drip", "ssh", "bad status", "endless head"],
)
def test_a_transport_failure_is_down_and_classified(serve: Serve, kind: ProbeKind) -> None:
    with listening(serve) as port:
        result = ask(port)
    assert (result.kind, result.reachable, result.status) == (kind, False, None)


def test_a_body_that_drips_for_ever_does_not_matter_once_the_head_is_there() -> None:
    with listening(dripping(b"HTTP/1.1 200 OK\r\nX-Parley: 1\r\n\r\n")) as port:
        assert ask(port).kind is ProbeKind.OK


def test_a_closed_port_is_refused() -> None:
    assert ask(closed_port()).kind is ProbeKind.REFUSED


def test_plain_http_on_a_tls_port_is_a_tls_failure() -> None:
    def bad_request(connection: socket.socket) -> None:
        connection.recv(4096)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with listening(bad_request) as port:
        result = ask(port, scheme="https")
    assert result.kind is ProbeKind.TLS


def test_a_hang_in_the_handshake_is_a_timeout() -> None:
    with listening(waiting_for_the_end) as port:
        result = probe(f"https://127.0.0.1:{port}", connect_timeout=0.2)
    assert result.kind is ProbeKind.TIMEOUT


@pytest.mark.parametrize(
    ("days", "kind", "words"),
    [(-1, ProbeKind.TLS, "certificate has expired"), (1, ProbeKind.OK, "HTTP 404 from https://")],
)
def test_an_expired_certificate_is_a_tls_failure(
    tmp_path: Path, days: int, kind: ProbeKind, words: str
) -> None:
    path = certificate(tmp_path, good_until=datetime.timedelta(days=days))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(path)

    def serve(connection: socket.socket) -> None:
        with server.wrap_socket(connection, server_side=True) as secure:
            answering(OURS)(secure)

    with listening(serve) as port:
        result = ask(port, scheme="https", trust=ssl.create_default_context(cafile=str(path)))
    assert result.kind is kind
    assert words in result.detail


def test_a_certificate_that_nobody_vouches_for_is_a_tls_failure(tmp_path: Path) -> None:
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificate(tmp_path, good_until=datetime.timedelta(days=1)))

    def serve(connection: socket.socket) -> None:
        with server.wrap_socket(connection, server_side=True):
            pass

    with listening(serve) as port:
        assert ask(port, scheme="https").kind is ProbeKind.TLS


def test_a_name_that_does_not_resolve_is_a_dns_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    result = probe("https://parley.example")
    assert (result.kind, result.reachable) == (ProbeKind.DNS, False)


def test_a_resolver_that_hangs_does_not_hang_the_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()

    def hanging(*_: object, **__: object) -> list[object]:
        release.wait(5)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", hanging)
    result = probe("https://parley.example", connect_timeout=0.1)
    release.set()
    assert result.kind is ProbeKind.DNS


@pytest.mark.parametrize(
    "url",
    [
        "",
        "   ",
        "parley.example/api",
        "ftp://parley.example/",
        "https://",
        "https://user:pass@parley.example/",
        "https://parley.example/a b",
        "https://parley.example/\r\nX-Injected: 1",
        "https://parley.example:99999/",
        "https://[::1",
        f"https://{'x' * 64}.example/",
    ],
)
def test_an_unusable_url_is_named_so_and_nothing_is_dialled(url: str) -> None:
    assert probe(url).kind is ProbeKind.BAD_URL


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://p.example/api/v1/elicitations/session/s3cr.et/abc", "session/[token]/abc"),
        ("https://p.example/a/s3cret", "/a/[token]"),
        ("https://p.example/x?key=s3cret#s3cret", "https://p.example/x"),
        ("https://me:s3cret@p.example/x", "https://p.example/x"),
        (probe_url("https://p.example/"), f"session/{PROBE_NAME}/{PROBE_NAME}"),
    ],
)
def test_tokens_are_never_in_what_is_shown(url: str, shown: str) -> None:
    assert redacted(url).endswith(shown)


def test_neither_url_nor_detail_of_a_result_carries_the_token() -> None:
    with listening(answering(OURS)) as port:
        result = probe(f"http://127.0.0.1:{port}/api/v1/elicitations/session/s3cret/x")
    assert "s3cret" not in result.url + result.detail


def certificate(folder: Path, *, good_until: datetime.timedelta) -> Path:
    """A self-signed certificate for 127.0.0.1 with its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=30))
        .not_valid_after(now + good_until)
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "certificate.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + signed.public_bytes(serialization.Encoding.PEM)
    )
    return path
