"""Which IP addresses may be dialled for a registered server (SSRF).

Decisions only, on `ipaddress` values: the guard resolves names and connects.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Final

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_METADATA: Final = frozenset(
    {
        ipaddress.ip_address("fd00:ec2::254"),  # AWS instance metadata
        ipaddress.ip_address("fd00:ec2::23"),  # AWS container credentials
        ipaddress.ip_address("fd20:ce::254"),  # Google Cloud metadata
        ipaddress.ip_address("168.63.129.16"),  # Azure platform
        ipaddress.ip_address("100.100.100.200"),  # Alibaba Cloud metadata
        ipaddress.ip_address("192.0.0.192"),  # Oracle Cloud metadata
    }
)
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_PRIVATE: Final = tuple(
    ipaddress.ip_network(text)
    for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")
)


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    """What the operator allows beyond public addresses."""

    allow_private: bool = False
    allow_loopback: bool = False

    def permits(self, address: Address) -> bool:
        """Whether the address may be dialled.

        Public addresses may. Private networks (RFC 1918, shared, unique local) and loopback need
        their flag. Metadata services, link-local, multicast, unspecified, reserved and
        documentation ranges never may, whatever the flags and however they are embedded in IPv6.
        """
        address = _embedded(address)
        if address in _METADATA or address.is_multicast or address.is_link_local:
            return False
        if address.is_loopback:
            return self.allow_loopback
        if any(address in network for network in _PRIVATE if network.version == address.version):
            return self.allow_private
        return address.is_global and not address.is_reserved


def _embedded(address: Address) -> Address:
    """The IPv4 address that an IPv6 one stands for: mapped, 6to4, Teredo, NAT64."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address
