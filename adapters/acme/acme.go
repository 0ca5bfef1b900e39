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

// Verdict says whether a name may get a certificate.
type Verdict int

const (
	// Refuse is for names that the service does not serve.
	Refuse Verdict = iota
	// Admit is for names that may get a certificate.
	Admit
	// AdmitSparingly is for names that exist in large numbers: new certificates for them
	// are limited to a number an hour.
	AdmitSparingly
)

// Config configures a Manager.
type Config struct {
	// Dir holds accounts, keys and certificates. Several processes may share it.
	Dir string
	// Authority is the address of the certificate authority's ACME directory.
	Authority string
	// Roots verify connections to the authority; nil means the system's roots.
	Roots *x509.CertPool
	// Email is the contact address for the authority, "" for none.
	Email string
	// Plain and Secure are the addresses, as host:port, at which this process listens for
	// HTTP and for TLS. The authority connects to them, by ports 80 and 443 of the names,
	// to check that the names point here.
	Plain, Secure string
	// Decide judges a name, in lower case and without a final dot. It is called during
	// handshakes for names without a cached certificate.
	Decide func(ctx context.Context, name string) (Verdict, error)
	Log    *slog.Logger
}

// obtainTime bounds obtaining one certificate.
const obtainTime = 90 * time.Second

// cacheSize is how many certificates are cached in memory; others are read again.
const cacheSize = 10_000

// Manager provides certificates for handshakes. Close it before the process ends.
type Manager struct {
	config *certmagic.Config
	issuer *certmagic.ACMEIssuer
	cache  *certmagic.Cache
	gate   *gate
	log    *slog.Logger
}

// New returns a manager. It creates Dir, readable only for this user, and does not
// contact the authority yet.
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
		// Events report failures. The library's own log mentions every handshake of a
		// stranger.
		Logger: zap.NewNop(),
		// Replaced below: an issuer needs a configuration.
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

// Close ends the maintenance of cached certificates.
func (m *Manager) Close() { m.cache.Stop() }

// TLSConfig returns the configuration of servers that speak HTTP/2 and HTTP/1.1.
func (m *Manager) TLSConfig() *tls.Config {
	config := m.config.TLSConfig()
	config.GetCertificate = m.certificate
	config.NextProtos = append([]string{"h2", "http/1.1"}, config.NextProtos...)
	return config
}

// cancelKey is the context key of the function that ends the wait for a certificate.
type cancelKey struct{}

// certificate answers a handshake. If the client leaves, obtaining the certificate
// continues, and the next client waits for the same. The wait ends at the first failure,
// because clients cannot wait for the authority to recover.
func (m *Manager) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(hello.Context()), obtainTime)
	defer cancel()
	return m.config.GetCertificateWithContext(context.WithValue(ctx, cancelKey{}, cancel), hello)
}

// note handles events about certificates.
func (m *Manager) note(ctx context.Context, event string, data map[string]any) error {
	name, _ := data["identifier"].(string)
	switch event {
	case "cert_obtained":
		m.gate.succeeded(name)
		m.log.InfoContext(ctx, "obtained a certificate", "name", name, "renewal", data["renewal"])
	case "cert_failed":
		wait := m.gate.failed(name)
		m.log.WarnContext(ctx, "could not obtain a certificate", "name", name, "renewal", data["renewal"], "retry_in", wait, "error", data["error"])
		if end, ok := ctx.Value(cancelKey{}).(context.CancelFunc); ok {
			end()
		}
	}
	return nil
}

// has reports whether there is a certificate of a name, even an expired one.
func (m *Manager) has(ctx context.Context, name string) bool {
	return m.config.Storage.Exists(ctx, certmagic.StorageKeys.SiteCert(m.issuer.IssuerKey(), name))
}

// Check reports whether the authority answers, and whether Dir is writable.
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
		return fmt.Errorf("%s answered with status %d and is not an ACME directory", m.issuer.CA, answer.StatusCode)
	}
	const probe = "probe"
	return errors.Join(m.config.Storage.Store(ctx, probe, []byte(probe)), m.config.Storage.Delete(ctx, probe))
}
