package sharedbackend

import (
	"context"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/datawire"
)

const (
	// dialTime bounds the setup of a connection. pingAfter and pingTime detect a silent one.
	dialTime  = 2 * time.Second
	pingAfter = 3 * time.Second
	pingTime  = 2 * time.Second
	// maxStreams bounds the concurrent requests of a connection.
	maxStreams = 1 << 16
)

// peers has the connections to the other processes of an installation.
type peers struct {
	address   string
	listener  net.Listener
	server    *http.Server
	transport *http.Transport
	done      sync.WaitGroup
}

// newPeers listens at the address. handler serves the other processes of the installation.
func newPeers(config Config, handler http.Handler) (*peers, error) {
	identity, err := newIdentity(config.Secret)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", config.Address)
	if err != nil {
		return nil, err
	}
	limits := &http.HTTP2Config{MaxConcurrentStreams: maxStreams, MaxReadFrameSize: 1 << 20, SendPingTimeout: config.Pace.Of(pingAfter), PingTimeout: config.Pace.Of(pingTime)}
	dialTime := config.Pace.Of(dialTime)
	var protocols http.Protocols
	protocols.SetHTTP2(true)
	p := &peers{
		address: listener.Addr().String(), listener: listener,
		server: &http.Server{
			Handler: handler, TLSConfig: identity.server(), HTTP2: limits, Protocols: &protocols,
			ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0),
		},
		transport: &http.Transport{
			TLSClientConfig: identity.client(), HTTP2: limits, Protocols: &protocols, DisableCompression: true,
			DialContext: (&net.Dialer{Timeout: dialTime}).DialContext, TLSHandshakeTimeout: dialTime, IdleConnTimeout: time.Minute,
		},
	}
	return p, nil
}

func (p *peers) serve() {
	p.done.Go(func() { _ = p.server.ServeTLS(p.listener, "", "") })
}

func (p *peers) close() {
	_ = p.server.Close()
	p.transport.CloseIdleConnections()
	p.done.Wait()
}

// client returns a client for the process at an address.
func (p *peers) client(address string) *datawire.Client {
	return &datawire.Client{Use: func() (http.RoundTripper, func(), error) { return p.to(address), func() {}, nil }}
}

// to returns the transport to the process at an address.
func (p *peers) to(address string) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		there := r.WithContext(r.Context())
		target := *r.URL
		target.Scheme, target.Host = "https", address
		there.URL = &target
		return p.transport.RoundTrip(there)
	})
}

// roundTrip is an http.RoundTripper.
type roundTrip func(r *http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// identity is the certificate that all processes of an installation share.
type identity struct {
	certificate tls.Certificate
	public      ed25519.PublicKey
}

// newIdentity derives a key pair from the installation's secret.
func newIdentity(secret []byte) (identity, error) {
	if len(secret) < sha256.Size {
		return identity{}, errors.New("the processes of an installation need a secret in common")
	}
	seed, err := hkdf.Key(sha256.New, secret, nil, "atelier: backends between processes", ed25519.SeedSize)
	if err != nil {
		return identity{}, err
	}
	private := ed25519.NewKeyFromSeed(seed)
	public, _ := private.Public().(ed25519.PublicKey)
	// Only the key of the certificate matters.
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().AddDate(100, 0, 0)}
	raw, err := x509.CreateCertificate(nil, template, template, public, private)
	return identity{tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: private}, public}, err
}

// knows accepts a peer that has proved to have the same key.
func (i identity) knows(state tls.ConnectionState) error {
	if len(state.PeerCertificates) > 0 && i.public.Equal(state.PeerCertificates[0].PublicKey) {
		return nil
	}
	return errors.New("the other process is of another installation")
}

func (i identity) server() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{i.certificate},
		ClientAuth: tls.RequireAnyClientCert, VerifyConnection: i.knows,
	}
}

func (i identity) client() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{i.certificate},
		InsecureSkipVerify: true, //nolint:gosec // knows compares the key, which no authority signs
		VerifyConnection:   i.knows,
	}
}

// AddressTowards returns the address of this machine that another host sees, with any port.
// Processes that all connect to that host can listen at it.
func AddressTowards(host string) (string, error) {
	dialer := net.Dialer{Timeout: dialTime}
	// Dialling UDP sends nothing.
	conn, err := dialer.DialContext(context.Background(), "udp", host)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	own, _, err := net.SplitHostPort(conn.LocalAddr().String())
	return net.JoinHostPort(own, "0"), err
}
