"""The guard: registered origins, pinned addresses, bounded redirects, times and sizes."""

from __future__ import annotations

import datetime
import itertools
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from chalicelib.outbound.addresses import AddressPolicy
from chalicelib.outbound.connection import Limits, Resolver, system_resolver
from chalicelib.outbound.failures import OutboundFailure, OutboundProblem
from chalicelib.outbound.guard import Guard, OutboundRequest
from tests.outbound.upstream import Asked, Told, serving

LOCAL = AddressPolicy(allow_loopback=True)
SECRET = "s3cr3t-token-value"


def fetch(
    url: str,
    *,
    origins: Sequence[str] | None = None,
    policy: AddressPolicy = LOCAL,
    limits: Limits | None = None,
    resolve: Resolver = system_resolver,
    tls: ssl.SSLContext | None = None,
    monotonic: Callable[[], float] = time.monotonic,
) -> tuple[int, bytes]:
    """POST to `url`; the url's own origin is registered unless others are."""
    origin = url[: url.index("/", 8)]
    guard = Guard(
        origins if origins is not None else [origin],
        policy=policy,
        limits=limits,
        resolve=resolve,
        tls=tls,
        monotonic=monotonic,
    )
    headers = {"Authorization": f"Bearer {SECRET}"}
    with guard.send(OutboundRequest("POST", url, headers, b"body")) as answer:
        return answer.status, answer.read()


def problem(url: str, **kwargs: object) -> OutboundFailure:
    with pytest.raises(OutboundFailure) as raised:
        fetch(url, **kwargs)  # type: ignore[arg-type]
    assert SECRET not in str(raised.value)
    return raised.value


@contextmanager
def raw_server(*chunks: bytes) -> Iterator[str]:
    """A server that reads once, sends bytes as they are, and closes."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                for chunk in chunks:
                    connection.sendall(chunk)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        thread.join(5)


def test_a_registered_origin_is_reached_with_the_request_as_it_is() -> None:
    with serving(lambda asked: Told(body=b"hello")) as upstream:
        assert fetch(upstream.url + "?a=b%20c") == (200, b"hello")
    (asked,) = upstream.asked
    assert (asked.method, asked.path, asked.body) == ("POST", "/mcp?a=b%20c", b"body")
    assert asked.headers["host"] == f"127.0.0.1:{upstream.port}"
    assert asked.headers["authorization"] == f"Bearer {SECRET}"


def test_one_guard_serves_many_threads_without_mixing_answers() -> None:
    with serving(lambda asked: Told(body=asked.body)) as upstream, ThreadPoolExecutor(8) as pool:
        guard = Guard([upstream.origin], policy=LOCAL)

        def echo(number: int) -> bytes:
            request = OutboundRequest("POST", upstream.url, {}, str(number).encode())
            with guard.send(request) as answer:
                return answer.read()

        assert list(pool.map(echo, range(40))) == [str(number).encode() for number in range(40)]


def test_letters_outside_ascii_in_a_path_are_percent_encoded() -> None:
    with serving(lambda asked: Told()) as upstream:
        fetch(f"{upstream.origin}/ü/%C3%BC")
    assert upstream.asked[0].path == "/%C3%BC/%C3%BC"


@pytest.mark.parametrize(
    "other", ["http://127.0.0.1:1", "https://127.0.0.1:{port}", "http://localhost:{port}"]
)
def test_another_origin_is_refused_before_anything_is_sent(other: str) -> None:
    with serving(lambda asked: Told()) as upstream:
        refused = problem(upstream.url, origins=[other.format(port=upstream.port)])
    assert (refused.problem, refused.sent) == (OutboundProblem.REFUSED, False)
    assert upstream.asked == []


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["10.0.0.1"],
        ["169.254.169.254"],
        ["::ffff:169.254.169.254"],
        ["fe80::1%eth0"],
        ["8.8.8.8", "10.0.0.1"],
    ],
)
def test_a_name_with_any_forbidden_address_is_refused(addresses: list[str]) -> None:
    refused = problem(
        "https://mcp.acme.example:443/mcp",
        policy=AddressPolicy(),
        resolve=lambda host, port: addresses,
    )
    assert (refused.problem, refused.sent) == (OutboundProblem.REFUSED, False)


@pytest.mark.parametrize("answer", [[], ["not an address"], OSError("no such name")])
def test_a_name_without_addresses_is_unreachable(answer: object) -> None:
    def resolve(host: str, port: int) -> Sequence[str]:
        if isinstance(answer, OSError):
            raise answer
        assert isinstance(answer, list)
        return answer

    failed = problem("https://mcp.acme.example:443/mcp", resolve=resolve)
    assert (failed.problem, failed.sent) == (OutboundProblem.UNREACHABLE, False)


def test_the_address_that_was_checked_is_the_one_that_is_dialled() -> None:
    """A second DNS answer that points elsewhere has no effect: there is no second question."""
    answers = iter([["127.0.0.1"]])
    with serving(lambda asked: Told(body=b"pinned")) as upstream:
        url = f"http://localhost:{upstream.port}/mcp"
        assert fetch(url, resolve=lambda host, port: next(answers)) == (200, b"pinned")
    assert upstream.asked[0].headers["host"] == f"localhost:{upstream.port}"
    assert next(answers, None) is None


def test_the_next_address_is_tried_when_one_takes_no_connection() -> None:
    with serving(lambda asked: Told(body=b"second")) as upstream:
        url = f"http://localhost:{upstream.port}/mcp"
        assert fetch(url, resolve=lambda host, port: ["::1", "127.0.0.1"])[1] == b"second"


def test_nobody_listening_is_unreachable_and_nothing_was_sent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    failed = problem(f"http://127.0.0.1:{port}/")
    assert (failed.problem, failed.sent) == (OutboundProblem.UNREACHABLE, False)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_inside_the_origin_keeps_method_body_and_credentials(status: int) -> None:
    def script(asked: Asked) -> Told:
        return (
            Told(body=b"there") if asked.path == "/b" else Told(status, headers={"Location": "/b"})
        )

    with serving(script) as upstream:
        assert fetch(upstream.url) == (200, b"there")
    first, second = upstream.asked
    assert (second.method, second.body) == (first.method, first.body)
    assert second.headers["authorization"] == first.headers["authorization"]


def test_a_redirect_elsewhere_is_refused_and_never_followed() -> None:
    with serving(lambda asked: Told()) as trap:
        for location in (
            f"{trap.url}",
            "https://evil.example/",
            "//evil.example/",
            "ftp://x/",
            "http://[/",
        ):
            told = Told(307, headers={"Location": location})
            with serving(lambda asked, told=told: told) as upstream:  # type: ignore[misc]
                assert problem(upstream.url).problem is OutboundProblem.REFUSED, location
        assert trap.asked == []


def test_a_redirect_that_would_change_the_method_is_refused() -> None:
    with serving(lambda asked: Told(303, headers={"Location": "/b"})) as upstream:
        assert problem(upstream.url).problem is OutboundProblem.REFUSED
    assert len(upstream.asked) == 1


def test_three_redirects_are_followed_and_no_more() -> None:
    def script(asked: Asked) -> Told:
        hop = int(asked.path[1:])
        return Told(body=b"end") if hop == 0 else Told(307, headers={"Location": f"/{hop - 1}"})

    with serving(script) as upstream:
        assert fetch(f"{upstream.origin}/3") == (200, b"end")
        assert problem(f"{upstream.origin}/4").problem is OutboundProblem.REFUSED


def test_a_body_over_the_cap_is_cut_off() -> None:
    limits = Limits(body=1000)
    endless = (b"x" * 100 for _ in itertools.count())
    for told in (Told(body=b"x" * 1001), Told(stream=endless)):
        with serving(lambda asked, told=told: told) as upstream:  # type: ignore[misc]
            assert problem(upstream.url, limits=limits).problem is OutboundProblem.TOO_LARGE
    with serving(lambda asked: Told(body=b"x" * 1000)) as upstream:
        assert fetch(upstream.url, limits=limits)[1] == b"x" * 1000


def test_a_server_that_never_answers_is_given_up_and_may_have_acted() -> None:
    enough = threading.Event()

    def script(asked: Asked) -> Told:
        enough.wait(10)
        return Told()

    with serving(script) as upstream:
        failed = problem(upstream.url, limits=Limits(read=0.05))
        enough.set()
    assert (failed.problem, failed.sent) == (OutboundProblem.TIMED_OUT, True)


def test_a_server_that_drips_is_given_up_when_the_whole_time_is_over() -> None:
    """Each byte arrives well inside the read limit; the clock is the test's own."""
    ticks = itertools.count()
    drip = (b"x" for _ in itertools.count())
    with serving(lambda asked: Told(stream=drip)) as upstream:
        failed = problem(
            upstream.url, limits=Limits(total=40), monotonic=lambda: float(next(ticks))
        )
    assert failed.problem is OutboundProblem.TIMED_OUT


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"not http at all\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000,
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n",
    ],
)
def test_an_answer_that_is_cut_off_or_not_http_is_broken(sent: bytes) -> None:
    with raw_server(sent) as url:
        failed = problem(url)
    assert (failed.problem, failed.sent) == (OutboundProblem.BROKEN, True)


def test_a_header_that_http_cannot_carry_is_refused_without_showing_it() -> None:
    with serving(lambda asked: Told()) as upstream:
        guard = Guard([upstream.origin], policy=LOCAL)
        request = OutboundRequest("POST", upstream.url, {"Authorization": f"{SECRET}\r\nX: y"})
        with pytest.raises(OutboundFailure) as raised, guard.send(request):
            pass
    assert raised.value.problem is OutboundProblem.REFUSED
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__
    assert SECRET not in repr(request)


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """(server, client): a certificate for `upstream.example` that only this client trusts."""
    path = _certificate(tmp_path_factory.mktemp("tls"), "upstream.example")
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(path)
    return server, ssl.create_default_context(cafile=str(path))


def _certificate(folder: Path, host: str) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    plain = serialization.NoEncryption()
    path = folder / "pair.pem"
    path.write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
        + certificate.public_bytes(pem)
    )
    return path


def test_tls_checks_the_name_although_an_address_is_dialled(
    tls: tuple[ssl.SSLContext, ssl.SSLContext],
) -> None:
    server, client = tls
    names: list[str | None] = []
    server.sni_callback = lambda sock, name, context: names.append(name)
    with serving(lambda asked: Told(body=b"sealed"), tls=server) as upstream:
        url = f"https://upstream.example:{upstream.port}/mcp"
        assert fetch(url, tls=client, resolve=lambda host, port: ["127.0.0.1"]) == (200, b"sealed")
    assert names == ["upstream.example"]
    assert upstream.asked[0].headers["host"] == f"upstream.example:{upstream.port}"


@pytest.mark.parametrize("trusting", [True, False])
def test_a_certificate_for_another_name_or_from_a_stranger_is_refused(
    tls: tuple[ssl.SSLContext, ssl.SSLContext], trusting: bool
) -> None:
    server, client = tls
    host = "other.example" if trusting else "upstream.example"
    with serving(lambda asked: Told(), tls=server) as upstream:
        failed = problem(
            f"https://{host}:{upstream.port}/mcp",
            tls=client if trusting else None,
            resolve=lambda host, port: ["127.0.0.1"],
        )
    assert (failed.problem, failed.sent) == (OutboundProblem.UNREACHABLE, False)
    assert upstream.asked == []
