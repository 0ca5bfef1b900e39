// Package smtptest runs mail servers for tests.
package smtptest

import (
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Mail is a mail that the server accepted.
type Mail struct {
	From, To string
	// User is the authenticated user, "" if there is none.
	User string
	// Encrypted means that the connection was encrypted.
	Encrypted bool
	Raw       []byte
}

// Config configures a server. The zero Config accepts every mail, unencrypted.
type Config struct {
	// TLS offers STARTTLS, with a certificate for example.com and 127.0.0.1 by
	// Authorities. Implicit uses TLS from the first byte instead.
	TLS, Implicit bool
	// User and Password are required before a mail if User is set.
	User, Password string
	// Refuse answers a recipient; nil accepts every one.
	Refuse func(to string) error
	// RefuseContent answers a mail after its content.
	RefuseContent error
	// ASCII accepts only addresses in ASCII.
	ASCII bool
	// Address is where it listens; "" is a free port of 127.0.0.1.
	Address string
}

// Server is a running mail server on this machine.
type Server struct {
	// Address is host:port.
	Address string

	config  Config
	server  *smtp.Server
	mu      sync.Mutex
	mails   []Mail
	arrived chan struct{}
}

// Start runs a server until the test ends.
func Start(t testing.TB, config Config) *Server {
	t.Helper()
	address := config.Address
	if address == "" {
		address = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Address: listener.Addr().String(), config: config, arrived: make(chan struct{})}
	s.server = smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		_, encrypted := c.TLSConnectionState()
		return &session{server: s, mail: Mail{Encrypted: encrypted}}, nil
	}))
	s.server.Domain, s.server.ErrorLog = "mail.example.com", log.New(io.Discard, "", 0)
	s.server.ReadTimeout, s.server.WriteTimeout = time.Minute, time.Minute
	s.server.AllowInsecureAuth, s.server.EnableSMTPUTF8 = true, !config.ASCII
	switch {
	case config.Implicit:
		listener = tls.NewListener(listener, certificate(t))
	case config.TLS:
		s.server.TLSConfig = certificate(t)
	}
	go func() { _ = s.server.Serve(listener) }()
	t.Cleanup(s.Stop)
	return s
}

// certificate returns one for example.com and 127.0.0.1.
func certificate(t testing.TB) *tls.Config {
	t.Helper()
	web := httptest.NewTLSServer(nil)
	web.Close()
	return &tls.Config{Certificates: web.TLS.Certificates, MinVersion: tls.VersionTLS12}
}

// Stop ends the server immediately.
func (s *Server) Stop() { _ = s.server.Close() }

// Mails returns the accepted mails, the oldest first.
func (s *Server) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mails)
}

// Await returns the mails as soon as there are n, and fails the test after d.
func (s *Server) Await(t testing.TB, n int, d time.Duration) []Mail {
	t.Helper()
	deadline := time.After(d)
	for {
		s.mu.Lock()
		mails, arrived := slices.Clone(s.mails), s.arrived
		s.mu.Unlock()
		if len(mails) >= n {
			return mails
		}
		select {
		case <-arrived:
		case <-deadline:
			t.Fatalf("got %d mails within %s, want %d", len(mails), d, n)
		}
	}
}

func (s *Server) take(mail Mail) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mails = append(s.mails, mail)
	close(s.arrived)
	s.arrived = make(chan struct{})
}

// session is one connection.
type session struct {
	server *Server
	mail   Mail
}

var _ smtp.AuthSession = (*session)(nil)

// AuthMechanisms implements smtp.AuthSession.
func (s *session) AuthMechanisms() []string {
	if s.server.config.User == "" {
		return nil
	}
	return []string{sasl.Plain}
}

// Auth implements smtp.AuthSession.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != s.server.config.User || password != s.server.config.Password {
			return smtp.ErrAuthFailed
		}
		s.mail.User = user
		return nil
	}), nil
}

// Mail implements smtp.Session.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.mail.User != s.server.config.User {
		return &smtp.SMTPError{Code: 530, EnhancedCode: smtp.EnhancedCode{5, 7, 0}, Message: "Authentication required"}
	}
	s.mail.From = from
	return nil
}

// Rcpt implements smtp.Session.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if s.mail.To != "" {
		return errors.New("a second recipient")
	}
	s.mail.To = to
	if s.server.config.Refuse != nil {
		return s.server.config.Refuse(to)
	}
	return nil
}

// Data implements smtp.Session.
func (s *session) Data(r io.Reader) (err error) {
	if s.mail.Raw, err = io.ReadAll(r); err != nil {
		return err
	}
	if s.server.config.RefuseContent != nil {
		return s.server.config.RefuseContent
	}
	s.server.take(s.mail)
	return nil
}

// Reset implements smtp.Session.
func (s *session) Reset() { s.mail.From, s.mail.To, s.mail.Raw = "", "", nil }

// Logout implements smtp.Session.
func (s *session) Logout() error { return nil }

// Refusal returns a permanent error of a server.
func Refusal(code int, words string) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{code / 100, 1, 1}, Message: strings.TrimSpace(words)}
}
