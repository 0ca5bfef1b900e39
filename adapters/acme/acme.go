// Package acme gets certificates from an ACME authority (RFC 8555) for the names
// that the service answers to, when a client first asks for one, and renews them
// while they are used. It wraps certmagic.
//
// Names come from whoever connects, so nothing is looked up, read or asked for before
// Decide has admitted one. An authority that does not answer fails the handshakes of
// names without a certificate, and those alone.
package acme

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/caddyserver/certmagic"
	"go.uber.org/zap"
)

// Verdict says whether a name may have a certificate.
type Verdict int

const (
	// Refuse is for names that are nothing to the service.
	Refuse Verdict = iota
	// Admit is for names that are to have one.
	Admit
	// AdmitSparingly is for names of which there are many: a bounded number of new
	// certificates an hour is asked for.
	AdmitSparingly
)

// Config is what a Manager works with.
type Config struct {
	// Dir holds accounts, keys and certificates. Several processes may share it.
	Dir string
	// Authority is the address of the authority's directory.
	Authority string
	// Roots vouch for the authority's own connections; nil are the system's.
	Roots *x509.CertPool
	// Email is what the authority may write to; "" is none.
	Email string
	// Plain and Secure are the addresses, as host:port, at which this process listens
	// for HTTP and for TLS. The authority comes to them, by ports 80 and 443 of the
	// names, to see that they lead here.
	Plain, Secure string
	// Decide judges a name, in lower case and without a final dot. It is called at
	// handshakes for names whose certificate is not at hand.
	Decide func(ctx context.Context, name string) (Verdict, error)
	Log    *slog.Logger
}

// obtainTime bounds getting one certificate.
const obtainTime = 90 * time.Second

// cacheSize is how many certificates are held in memory; others are read again.
const cacheSize = 10_000

// Manager has certificates for handshakes. Close it before the process ends.
type Manager struct {
	config *certmagic.Config
	issuer *certmagic.ACMEIssuer
	cache  *certmagic.Cache
	gate   *gate
	log    *slog.Logger
}

// New returns a manager. It makes Dir, readable for nobody else, and asks nobody for
// anything yet.
func New(config Config) (*Manager, error) {
	if err := os.MkdirAll(config.Dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.Chmod(config.Dir, 0o700); err != nil {
		return nil, err
	}
	host, tlsPort, err := splitAddress(config.Secure)
	if err != nil {
		return nil, err
	}
	_, plainPort, err := splitAddress(config.Plain)
	if err != nil {
		return nil, err
	}
	m := &Manager{log: config.Log}
	m.cache = certmagic.NewCache(certmagic.CacheOptions{
		GetConfigForCert: func(certmagic.Certificate) (*certmagic.Config, error) { return m.config, nil },
		Capacity:         cacheSize,
		Logger:           zap.NewNop(),
	})
	m.config = certmagic.New(m.cache, certmagic.Config{
		Storage:  &certmagic.FileStorage{Path: config.Dir},
		OnDemand: &certmagic.OnDemandConfig{DecisionFunc: func(ctx context.Context, name string) error { return m.gate.admit(ctx, name) }},
		OnEvent:  m.note,
		// What goes wrong is told by events; the library's own log speaks of every
		// handshake of a stranger.
		Logger: zap.NewNop(),
		// Replaced below: an issuer is made for a configuration.
		Issuers: []certmagic.Issuer{},
	})
	m.issuer = certmagic.NewACMEIssuer(m.config, certmagic.ACMEIssuer{
		CA: config.Authority, Email: config.Email, Agreed: true, Logger: zap.NewNop(),
		ListenHost: host, AltTLSALPNPort: tlsPort, AltHTTPPort: plainPort, TrustedRoots: config.Roots,
	})
	m.config.Issuers = []certmagic.Issuer{m.issuer}
	m.gate = newGate(config.Decide, m.has)
	return m, nil
}

func splitAddress(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	port, err = strconv.Atoi(text)
	return host, port, err
}

// Close ends the care for certificates in memory.
func (m *Manager) Close() { m.cache.Stop() }

// TLSConfig is for servers that speak HTTP/2 and HTTP/1.1.
func (m *Manager) TLSConfig() *tls.Config {
	config := m.config.TLSConfig()
	config.GetCertificate = m.certificate
	config.NextProtos = append([]string{"h2", "http/1.1"}, config.NextProtos...)
	return config
}

// giveUp is the key of what ends the wait for a certificate.
type giveUp struct{}

// certificate answers a handshake. Getting a certificate goes on when the client has
// gone: the next one waits for the same. It ends at the first failure, because
// whoever connects cannot wait for the authority to come back.
func (m *Manager) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(hello.Context()), obtainTime)
	defer cancel()
	return m.config.GetCertificateWithContext(context.WithValue(ctx, giveUp{}, cancel), hello)
}

// note hears what became of certificates.
func (m *Manager) note(ctx context.Context, event string, data map[string]any) error {
	name, _ := data["identifier"].(string)
	switch event {
	case "cert_obtained":
		m.gate.succeeded(name)
		m.log.InfoContext(ctx, "got a certificate", "name", name, "renewal", data["renewal"])
	case "cert_failed":
		wait := m.gate.failed(name)
		m.log.WarnContext(ctx, "the certificate authority gave no certificate", "name", name, "renewal", data["renewal"], "again in", wait, "error", data["error"])
		if end, ok := ctx.Value(giveUp{}).(context.CancelFunc); ok {
			end()
		}
	}
	return nil
}

// has reports whether there is a certificate of a name, if only an old one.
func (m *Manager) has(ctx context.Context, name string) bool {
	return m.config.Storage.Exists(ctx, certmagic.StorageKeys.SiteCert(m.issuer.IssuerKey(), name))
}

// Check reports whether the authority answers, and whether Dir can be written.
func (m *Manager) Check(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, m.issuer.CA, nil)
	if err != nil {
		return err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	transport.TLSClientConfig = &tls.Config{RootCAs: m.issuer.TrustedRoots}
	answer, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK || !strings.Contains(answer.Header.Get("Content-Type"), "json") {
		return fmt.Errorf("%s answers with status %d, and is no ACME directory", m.issuer.CA, answer.StatusCode)
	}
	const probe = "probe"
	return errors.Join(m.config.Storage.Store(ctx, probe, []byte(probe)), m.config.Storage.Delete(ctx, probe))
}
