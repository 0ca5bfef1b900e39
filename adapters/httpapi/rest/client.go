package rest

import (
	"net/http"
	"net/netip"
	"strings"
)

// ClientIP returns the address of the client. That is the connection's address or, if
// that is a trusted proxy, the last address in X-Forwarded-For that is not. Entries
// before it may be forged by the client and are ignored. The zero Addr is an unknown
// address.
func ClientIP(r *http.Request, trusted []netip.Prefix) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	client := peer.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && isIn(client, trusted); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		client = hop.Unmap().WithZone("")
	}
	return client
}

func isIn(addr netip.Addr, networks []netip.Prefix) bool {
	for _, network := range networks {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}

// IsLocal reports whether the request came from this machine without passing through a
// proxy on it.
func IsLocal(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	forwarded := r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Forwarded") != "" || r.Header.Get("X-Real-Ip") != ""
	return err == nil && peer.Addr().Unmap().IsLoopback() && !forwarded
}
