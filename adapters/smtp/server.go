package smtp

import (
	"net"
	"net/url"
	"strconv"
	"strings"
)

// The ports of submission servers (RFC 8314): with STARTTLS, and with implicit TLS.
const (
	submissionPort  = 587
	submissionsPort = 465
)

// Server is the submission server. The zero Server means that there is none. Its text
// form omits the password.
type Server struct {
	host     string
	port     int
	implicit bool
	user     string
	password string
}

// ParseServer parses smtp://user:password@host:port or smtps://…; the credentials and the
// port are optional. ok is false for anything else.
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

// String returns the server's address, without user and password.
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

// local reports whether the server is on this machine.
func (s Server) local() bool {
	ip := net.ParseIP(s.host)
	return strings.EqualFold(s.host, "localhost") || ip != nil && ip.IsLoopback()
}

// secret reports whether a password is sent to the server, which must not be overheard.
func (s Server) secret() bool { return s.user != "" }
