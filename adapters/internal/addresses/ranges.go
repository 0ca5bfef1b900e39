package addresses

import (
	"net/netip"
	"slices"
)

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		all[i] = netip.MustParsePrefix(text)
	}
	return all
}

// The ranges follow IANA's registries of special-purpose addresses.
var (
	metadata = prefixes(
		"169.254.0.0/16",     // link-local, the metadata service of nearly every cloud
		"168.63.129.16/32",   // Azure
		"100.100.100.200/32", // Alibaba
		"192.0.0.192/32",     // Oracle
		"fd00:ec2::/32",      // AWS
		"fd20:ce::/32",       // Google
	)
	// private ranges are reachable only from here. An operator may permit them.
	private = prefixes(
		"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8",
		"100.64.0.0/10", // shared by carriers, and by private overlay networks
		"::1/128", "fc00::/7",
	)
	// useless ranges mean nothing, or something other than one host.
	useless = prefixes(
		"0.0.0.0/8", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		"2001::/23",     // protocol assignments: Teredo, ORCHID, benchmarking
		"2001:db8::/32", // documentation
		"3fff::/20",     // documentation
	)
	// unicast is the part of IPv6 that is assigned to hosts of the Internet.
	unicast = netip.MustParsePrefix("2000::/3")

	sixToFour      = netip.MustParsePrefix("2002::/16")
	translated     = netip.MustParsePrefix("64:ff9b::/96")
	statelessly    = netip.MustParsePrefix("::ffff:0:0:0/96")
	ipv4Compatible = netip.MustParsePrefix("::/96")
)

func within(addr netip.Addr, ranges []netip.Prefix) bool {
	return slices.ContainsFunc(ranges, func(p netip.Prefix) bool { return p.Contains(addr) })
}

func isPrivate(addr netip.Addr) bool { return within(addr, private) }

// never returns why an address is refused even if the operator permits private ranges, or
// "".
func never(addr netip.Addr) string {
	switch {
	case within(addr, metadata):
		return "it is link-local or a cloud's metadata service"
	case within(addr, useless), addr.Is6() && !unicast.Contains(addr) && !isPrivate(addr):
		return "it is reserved, multicast or link-local"
	}
	return ""
}

// embedded returns the IPv4 address that a network may extract from an IPv6 address: in
// 6to4, NAT64 (RFC 6052), SIIT, ISATAP and the old compatible form. It returns any other
// address unchanged.
func embedded(addr netip.Addr) netip.Addr {
	if !addr.Is6() {
		return addr
	}
	b := addr.As16()
	isISATAP := (b[8] == 0 || b[8] == 2) && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
	switch {
	case sixToFour.Contains(addr):
		return netip.AddrFrom4([4]byte(b[2:6]))
	case addr.IsLoopback():
		return addr
	case translated.Contains(addr), statelessly.Contains(addr), ipv4Compatible.Contains(addr):
		return netip.AddrFrom4([4]byte(b[12:16]))
	case isISATAP && unicast.Contains(addr):
		return netip.AddrFrom4([4]byte(b[12:16]))
	}
	return addr
}
