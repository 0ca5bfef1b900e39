package programs

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// Bounds on addresses of programs.
const (
	maxRedirects    = 20
	maxAddressBytes = 1024
)

// appSchemes are those of editors that are returned to by a link of their own. Other apps on the
// same computer could claim the link, but PKCE leaves them with a useless code.
var appSchemes = []string{"cursor", "vscode", "vscode-insiders"}

// checkRedirect refuses an address to which no program is returned: core.CodeValidationFailed.
func checkRedirect(address string) (*url.URL, error) {
	parsed, err := url.Parse(address)
	switch {
	case err != nil || len(address) > maxAddressBytes || parsed.Host == "" || parsed.User != nil || parsed.Fragment != "" || strings.ContainsAny(address, "#\\"):
	case parsed.Scheme == "https" && !strings.HasSuffix(parsed.Host, ":"):
		return parsed, nil
	case parsed.Scheme == "http" && isLoopback(parsed.Hostname()):
		return parsed, nil
	case slices.Contains(appSchemes, parsed.Scheme):
		return parsed, nil
	}
	return nil, core.Errorf(core.CodeValidationFailed, "redirect_uri must be an address with https, or http on this computer (127.0.0.1, [::1], localhost)")
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// returnsTo returns the address to return to if a program may be returned there: one of its own, to
// the letter. On this computer the port may differ, as programs take any free one (RFC 8252, section 7.3).
func returnsTo(allowed []string, address string) (*url.URL, error) {
	parsed, err := checkRedirect(address)
	if err != nil {
		return nil, err
	}
	for _, one := range allowed {
		if one == address || parsed.Scheme == "http" && withoutPort(one) == withoutPort(address) {
			return parsed, nil
		}
	}
	return nil, core.Errorf(core.CodeValidationFailed, "the program may not be returned to redirect_uri")
}

func withoutPort(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "http" {
		return address
	}
	host := parsed.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	parsed.Host = host
	return parsed.String()
}

// withQuery adds parameters to an address, and keeps those that it has.
func withQuery(address *url.URL, more url.Values) string {
	made := *address
	query := made.RawQuery
	if query != "" {
		query += "&"
	}
	made.RawQuery = query + more.Encode()
	return made.String()
}
