// Package addresses knows which addresses the service may reach for a user. It
// is the one list behind the guarded client and its stand-in for tests.
package addresses

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// CheckURL implements netguard.Guard's Check. It accepts a host that is a number, or ends
// in one, only as a plain IP address: programs disagree about other spellings (decimal,
// octal, hex, short).
func CheckURL(text string, allowPrivate bool) error {
	target, err := url.Parse(text)
	if err != nil || strings.ContainsFunc(text, isOdd) {
		return core.Errorf(core.CodeValidationFailed, "the address is not a URL")
	}
	if target.Scheme != "http" && target.Scheme != "https" {
		return forbidden("its scheme is neither http nor https")
	}
	if target.User != nil {
		return forbidden("it contains a user name")
	}
	if target.Opaque != "" || target.Hostname() == "" || !isPort(target.Port()) || strings.HasSuffix(target.Host, ":") {
		return core.Errorf(core.CodeValidationFailed, "the address has no valid host and port")
	}
	return checkHost(target.Hostname(), allowPrivate)
}

// CheckTarget is CheckURL for a host and a port.
func CheckTarget(address string, allowPrivate bool) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil || host == "" || port == "" || !isPort(port) || strings.ContainsFunc(host, isOdd) {
		return core.Errorf(core.CodeValidationFailed, "the address has no valid host and port")
	}
	return checkHost(host, allowPrivate)
}

// isOdd reports whether a host has characters that no URL allows but some programs
// accept.
func isOdd(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }

func isPort(port string) bool {
	if port == "" {
		return true
	}
	number, err := strconv.ParseUint(port, 10, 16)
	return err == nil && number > 0
}

func checkHost(host string, allowPrivate bool) error {
	if strings.ContainsFunc(host, func(r rune) bool { return r >= 0x80 }) {
		return forbidden("its host is not in ASCII: write it in its xn-- form")
	}
	if addr, err := netip.ParseAddr(strings.TrimSuffix(host, ".")); err == nil {
		return CheckIP(addr, allowPrivate)
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	labels := strings.Split(host, ".")
	for _, label := range labels {
		if label == "" || strings.ContainsFunc(label, notInName) {
			return core.Errorf(core.CodeValidationFailed, "the address has no valid host")
		}
	}
	last := labels[len(labels)-1]
	switch {
	case isNumber(last):
		return forbidden("its host is an IP address in an unusual notation")
	case last == "localhost" && !allowPrivate:
		return forbidden("it is this machine")
	case host == "metadata.google.internal" || host == "metadata":
		return forbidden("it is a cloud's metadata service")
	}
	return nil
}

func notInName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

// isNumber reports whether a lower-case label makes the host an IPv4 address by the
// WHATWG's URL standard.
func isNumber(label string) bool {
	digits, isHex := strings.CutPrefix(label, "0x")
	return strings.Trim(label, "0123456789") == "" || isHex && strings.Trim(digits, "0123456789abcdef") == ""
}

// CheckIP refuses an address that must not be reached, with code
// core.CodeForbiddenAddress.
func CheckIP(addr netip.Addr, allowPrivate bool) error {
	if addr.Zone() != "" {
		return forbidden("it is bound to a network interface")
	}
	addr = embedded(addr.Unmap())
	if reason := never(addr); reason != "" {
		return forbidden(reason)
	}
	if !allowPrivate && isPrivate(addr) {
		return forbidden("it is a private address; PRIVATE_NETWORKS=allow permits these")
	}
	return nil
}

func forbidden(reason string) *core.Error {
	return core.Errorf(core.CodeForbiddenAddress, "the address is not allowed: %s", reason)
}
