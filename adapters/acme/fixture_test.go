package acme_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/acme"
	"github.com/atelierhq/atelier/adapters/acme/pebble"
	"github.com/atelierhq/atelier/ports/conformance"
)

// host is a server with certificates, and the authority that gives them.
type host struct {
	t         *testing.T
	authority *pebble.Authority
	manager   *acme.Manager
	config    acme.Config
	log       *conformance.Log

	mu       sync.Mutex
	verdicts map[string]acme.Verdict
	asked    map[string]int
	broken   error
}

// newHost serves "served <name>" over HTTP and TLS.
func newHost(t *testing.T) *host {
	t.Helper()
	h := &host{t: t, verdicts: map[string]acme.Verdict{}, asked: map[string]int{}, log: &conformance.Log{}}
	plain, secure := listen(t), listen(t)
	h.authority = pebble.Start(t, pebble.Ports{HTTP: portOf(plain), TLS: portOf(secure)})
	pem, err := os.ReadFile(h.authority.Trust)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	h.config = acme.Config{
		Dir: t.TempDir() + "/certs", Authority: h.authority.Directory, Roots: roots, Plain: plain.Addr().String(), Secure: secure.Addr().String(),
		Decide: h.decide, Log: slog.New(slog.NewTextHandler(h.log, nil)),
	}
	h.restart()
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.handler().ServeHTTP(w, r) }),
		TLSConfig: &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			return h.manager.TLSConfig(), nil
		}},
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	go func() { _ = server.Serve(plain) }()
	go func() { _ = server.ServeTLS(secure, "", "") }()
	t.Cleanup(func() { _ = server.Close() })
	return h
}

// restart replaces the manager by one on the same folder, like a restarted process.
func (h *host) restart() {
	h.t.Helper()
	manager, err := acme.New(h.config)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(manager.Close)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.manager = manager
}

func (h *host) handler() http.Handler {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.manager.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "served "+r.Host)
	}), "443")
}

func (h *host) decide(_ context.Context, name string) (acme.Verdict, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked[name]++
	return h.verdicts[name], h.broken
}

func (h *host) let(name string, verdict acme.Verdict) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.verdicts[name] = verdict
}

// handshake connects for a name, and returns the certificate.
func (h *host) handshake(name string) (*x509.Certificate, error) {
	dialer := &tls.Dialer{NetDialer: &net.Dialer{Timeout: time.Minute}, Config: &tls.Config{ServerName: name, InsecureSkipVerify: true}}
	conn, err := dialer.DialContext(h.t.Context(), "tcp", h.config.Secure)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return conn.(*tls.Conn).ConnectionState().PeerCertificates[0], nil
}

// visit asks for a page over plain HTTP, and follows nothing.
func (h *host) visit(method, name, path string) (status int, location, body string) {
	h.t.Helper()
	request, err := http.NewRequestWithContext(h.t.Context(), method, "http://"+h.config.Plain+path, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	request.Host = name
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		h.t.Fatal(err)
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return answer.StatusCode, answer.Header.Get("Location"), string(read)
}

func (h *host) wantCertificate(name string) *x509.Certificate {
	h.t.Helper()
	certificate, err := h.handshake(name)
	if err != nil {
		h.t.Fatalf("%s: got %v, want a certificate\n%s%s", name, err, h.log, h.authority.Log())
	}
	if err := certificate.VerifyHostname(name); err != nil {
		h.t.Errorf("got %v, want a certificate for %s", err, name)
	}
	return certificate
}

func (h *host) wantRefusal(name string) {
	h.t.Helper()
	if certificate, err := h.handshake(name); err == nil {
		h.t.Errorf("%s: got a certificate for %v, want none", name, certificate.DNSNames)
	}
}

var errBroken = errors.New("the database is away")

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

func portOf(listener net.Listener) int {
	port, _ := strconv.Atoi(listener.Addr().String()[len("127.0.0.1:"):])
	return port
}
