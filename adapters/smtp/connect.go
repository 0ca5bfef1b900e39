package smtp

import (
	"context"
	"crypto/tls"
	"errors"
	"net"

	gomail "github.com/wneessen/go-mail"
)

// options configure how to reach the server, encrypt and authenticate. The connection
// ends with ctx.
func (s *Sender) options(ctx context.Context, unicode bool) []gomail.Option {
	options := []gomail.Option{
		gomail.WithPort(s.server.port), gomail.WithTimeout(talkTime),
		gomail.WithTLSPolicy(s.policy()), gomail.WithTLSConfig(s.encryption()), gomail.WithoutNoop(), gomail.WithoutRset(),
		gomail.WithDialContextFunc(func(dialing context.Context, network, _ string) (net.Conn, error) {
			return s.connect(ctx, dialing, network)
		}),
	}
	if !unicode {
		options = append(options, gomail.WithoutSMTPUTF8())
	}
	if s.server.secret() {
		options = append(options, gomail.WithUsername(s.server.user), gomail.WithPassword(s.server.password),
			gomail.WithOpportunisticSMTPAuth(s.methods()...))
	}
	return options
}

// policy encrypts if the server can. A password is sent unencrypted only to this machine.
func (s *Sender) policy() gomail.TLSPolicy {
	switch {
	case s.server.implicit:
		return gomail.NoTLS // because the connection is already encrypted
	case s.server.secret() && !s.server.local():
		return gomail.TLSMandatory
	}
	return gomail.TLSOpportunistic
}

// encryption verifies the server's certificate, except for a server on this machine that
// would also accept unencrypted mail: such servers often have a self-signed one.
func (s *Sender) encryption() *tls.Config {
	return &tls.Config{
		ServerName: s.server.host, MinVersion: tls.VersionTLS12, RootCAs: s.roots,
		InsecureSkipVerify: s.server.local() && !s.server.implicit,
	}
}

// methods returns the authentication methods, the best first. PLAIN and LOGIN send the
// password, so they need encryption or this machine.
func (s *Sender) methods() []gomail.SMTPAuthType {
	if s.server.local() {
		return []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc}
	}
	return []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin}
}

// connect opens a connection that ends with ctx, even while the server is silent.
func (s *Sender) connect(ctx, dialing context.Context, network string) (net.Conn, error) {
	conn, err := s.dial(dialing, network, s.server.address())
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = conn.Close() })
	bounded := &boundedConn{Conn: conn, left: maxAnswerBytes}
	if !s.server.implicit {
		return bounded, nil
	}
	encrypted := tls.Client(bounded, s.encryption())
	return encrypted, encrypted.HandshakeContext(dialing)
}

// boundedConn reads at most a number of bytes, so that an endless answer cannot fill the
// memory.
type boundedConn struct {
	net.Conn
	left int
}

// Read implements net.Conn.
func (c *boundedConn) Read(into []byte) (int, error) {
	if c.left <= 0 {
		return 0, errors.New("the server's answer is too long")
	}
	n, err := c.Conn.Read(into[:min(len(into), c.left)])
	c.left -= n
	return n, err
}
