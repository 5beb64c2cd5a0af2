"""Which addresses may be dialled."""

from __future__ import annotations

import ipaddress

import pytest

from chalicelib.outbound.addresses import AddressPolicy

PUBLIC = ("8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808")
PRIVATE = (
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "fd12:3456::1",
    "::ffff:10.0.0.1",
    "2002:0a00:0001::",
    "64:ff9b::a00:1",
)
LOOPBACK = ("127.0.0.1", "127.255.0.1", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1")
NEVER = (
    "0.0.0.0",
    "::",
    "169.254.169.254",
    "169.254.170.2",
    "::ffff:169.254.169.254",
    "2002:a9fe:a9fe::",
    "64:ff9b::a9fe:a9fe",
    "fe80::1",
    "fe80::1%eth0",
    "fd00:ec2::254",
    "fd00:ec2::23",
    "fd20:ce::254",
    "168.63.129.16",
    "100.100.100.200",
    "192.0.0.192",
    "224.0.0.1",
    "ff02::1",
    "255.255.255.255",
    "240.0.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "2001:db8::1",
    "0.1.2.3",
    "::7f00:1",
    "::ffff:0:a00:1",
    "64:ff9b:1::a00:1",
)

STRICT = AddressPolicy()
PRIVATE_TOO = AddressPolicy(allow_private=True)
LOCAL = AddressPolicy(allow_loopback=True)
ALL = AddressPolicy(allow_private=True, allow_loopback=True)


@pytest.mark.parametrize(
    ("addresses", "permitting"),
    [
        (PUBLIC, {STRICT, PRIVATE_TOO, LOCAL, ALL}),
        (PRIVATE, {PRIVATE_TOO, ALL}),
        (LOOPBACK, {LOCAL, ALL}),
        (NEVER, set()),
    ],
)
def test_a_range_is_dialled_only_under_the_policies_that_allow_it(
    addresses: tuple[str, ...], permitting: set[AddressPolicy]
) -> None:
    for text in addresses:
        address = ipaddress.ip_address(text)
        permitted = {
            policy for policy in (STRICT, PRIVATE_TOO, LOCAL, ALL) if policy.permits(address)
        }
        assert permitted == permitting, text
