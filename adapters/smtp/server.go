package smtp

import (
	"net"
	"net/url"
	"strconv"
	"strings"
)

// The ports of servers that take mail from programs (RFC 8314): in the clear at
// first, and encrypted from the first byte.
const (
	submissionPort  = 587
	submissionsPort = 465
)

// Server is where mails are handed in. The zero Server is none. Its text form has
// no password.
type Server struct {
	host     string
	port     int
	implicit bool
	user     string
	password string
}

// ParseServer reads smtp://user:password@host:port or smtps://…, where what stands
// before the "@" and the port may be left out. ok is false for anything else.
func ParseServer(text string) (server Server, ok bool) {
	parsed, err := url.Parse(text)
	if err != nil || !isHost(parsed.Hostname()) || strings.Trim(parsed.Path, "/") != "" || parsed.RawQuery != "" || parsed.Fragment != "" {
		return Server{}, false
	}
	server = Server{host: parsed.Hostname(), port: submissionPort}
	switch parsed.Scheme {
	case "smtp":
	case "smtps":
		server.implicit, server.port = true, submissionsPort
	default:
		return Server{}, false
	}
	if port := parsed.Port(); port != "" {
		server.port, err = strconv.Atoi(port)
		if err != nil || server.port < 1 || server.port > 65535 {
			return Server{}, false
		}
	}
	if parsed.User != nil {
		server.user = parsed.User.Username()
		server.password, _ = parsed.User.Password()
		if server.user == "" || server.password == "" {
			return Server{}, false
		}
	}
	return server, true
}

// isHost accepts a name or an IP address.
func isHost(host string) bool {
	strange := strings.ContainsFunc(host, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune(".-_", c))
	})
	return host != "" && !strange || net.ParseIP(host) != nil
}

// IsZero reports whether there is no server.
func (s Server) IsZero() bool { return s.host == "" }

// String is the server's address, without user and password.
func (s Server) String() string {
	if s.IsZero() {
		return "none"
	}
	scheme := "smtp://"
	if s.implicit {
		scheme = "smtps://"
	}
	return scheme + s.address()
}

// GoString keeps the password out of %#v.
func (s Server) GoString() string { return s.String() }

func (s Server) address() string { return net.JoinHostPort(s.host, strconv.Itoa(s.port)) }

// local reports whether what is sent to the server stays on this machine.
func (s Server) local() bool {
	ip := net.ParseIP(s.host)
	return strings.EqualFold(s.host, "localhost") || ip != nil && ip.IsLoopback()
}

// secret reports whether the server gets a password, which must not be overheard.
func (s Server) secret() bool { return s.user != "" }
