package settings

import (
	"crypto/tls"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// letsEncrypt is the directory of the default authority, which needs no account.
const letsEncrypt = "https://acme-v02.api.letsencrypt.org/directory"

// ACME says how certificates are obtained. Without a Listen address none are.
type ACME struct {
	// Authority is the address of the authority's directory.
	Authority string
	Email     string
	// Listen is the address for TLS, as host:port.
	Listen string
	// Dir holds accounts, keys and certificates.
	Dir string
}

// IsZero reports whether certificates come from elsewhere.
func (s ACME) IsZero() bool { return s.Listen == "" }

// readTLS reads how connections are encrypted.
func readTLS(r *reader, s *Settings) {
	switch r.choice("TLS", "off", "off", "files", "acme") {
	case "files":
		s.TLSCert = r.text("TLS_CERT", "", isNotEmpty, "the certificate's file, with TLS=files")
		s.TLSKey = r.text("TLS_KEY", "", isNotEmpty, "the key's file, with TLS=files")
		checkPair(r, s.TLSCert, s.TLSKey)
	case "acme":
		s.ACME = readACME(r, *s)
	}
}

// checkPair checks whether a server can use the two files.
func checkPair(r *reader, cert, key string) {
	content := map[string][]byte{}
	for name, file := range map[string]string{"TLS_CERT": cert, "TLS_KEY": key} {
		var err error
		if content[name], err = os.ReadFile(file); err != nil {
			r.fail(name, file, "a file that can be read: "+reasonOf(err))
			return
		}
	}
	if _, err := tls.X509KeyPair(content["TLS_CERT"], content["TLS_KEY"]); err != nil {
		r.fail("TLS_CERT", cert, "a PEM certificate that belongs to the key in TLS_KEY: "+strings.TrimPrefix(err.Error(), "tls: "))
	}
}

func readACME(r *reader, s Settings) ACME {
	if !s.Secure() {
		r.fail("APP_URL", s.AppURL.String(), "an https URL with TLS=acme")
	}
	settings := ACME{
		Authority: r.address("ACME_CA", letsEncrypt),
		Email:     r.text("ACME_EMAIL", "", isEmailOrEmpty, "an e-mail address such as admin@example.com"),
		Listen:    r.text("TLS_LISTEN_ADDR", "0.0.0.0:443", isTarget, "host:port"),
		Dir:       filepath.Join(s.DataDir, "certs"),
	}
	if !strings.HasPrefix(settings.Authority, "https://") {
		r.fail("ACME_CA", settings.Authority, "the https URL of an ACME directory")
	}
	if settings.Listen == s.ListenAddr {
		r.fail("TLS_LISTEN_ADDR", settings.Listen, "an address other than LISTEN_ADDR, which is for plain HTTP")
	}
	return settings
}

// readDNSResolver reads the resolver that is trusted about names, "" for none.
func readDNSResolver(r *reader) string {
	return r.text("DNS_RESOLVER", "", func(text string) bool {
		host, _, _ := net.SplitHostPort(text)
		return text == "" || isTarget(text) && host != ""
	}, "the host:port of a DNS resolver")
}

// isTarget accepts a host, and a port number that is known to others.
func isTarget(text string) bool {
	_, port, _ := net.SplitHostPort(text)
	return isListenAddr(text) && strings.Trim(port, "0") != ""
}

func isEmailOrEmpty(text string) bool {
	_, err := core.NormalEmail(text)
	return text == "" || err == nil
}
