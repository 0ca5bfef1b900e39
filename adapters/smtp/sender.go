// Package smtp sends mails through an SMTP server.
package smtp

import (
	"context"
	"crypto/x509"
	"net"
	netmail "net/mail"
	"time"

	gomail "github.com/wneessen/go-mail"
	gosmtp "github.com/wneessen/go-mail/smtp"

	"github.com/atelierhq/atelier/adapters/internal/rfc5322"
	"github.com/atelierhq/atelier/ports/mail"
)

// Bounds on a conversation with the server.
const (
	// talkTime bounds the whole conversation, quitTime its last command.
	talkTime = 30 * time.Second
	quitTime = 2 * time.Second
	// maxAnswerBytes bounds the server's answers in one conversation.
	maxAnswerBytes = 256 << 10
)

// Sender submits mails to one server, with a connection for each.
type Sender struct {
	server Server
	from   netmail.Address
	now    func() time.Time

	dial func(ctx context.Context, network, address string) (net.Conn, error)
	// roots verify the server's certificate; nil means the system's roots.
	roots *x509.CertPool
}

var _ mail.Sender = (*Sender)(nil)

// New returns a sender whose mails come from an address.
func New(server Server, from netmail.Address, now func() time.Time) *Sender {
	return &Sender{server: server, from: from, now: now, dial: new(net.Dialer).DialContext}
}

// Send implements mail.Sender.
func (s *Sender) Send(ctx context.Context, message mail.Message) error {
	letter, err := rfc5322.Compose(s.from, message, s.now())
	if err != nil {
		return err
	}
	unicode := !isASCII(message.To) || !isASCII(s.from.Address)
	err = s.talk(ctx, unicode, func(client *gomail.Client, session *gosmtp.Client) error {
		if extended, _ := session.Extension("SMTPUTF8"); unicode && !extended {
			return errNotASCII()
		}
		return client.SendWithSMTPClient(session, letter)
	})
	return fault(err, message.To)
}

// Check implements mail.Sender: it authenticates and quits.
func (s *Sender) Check(ctx context.Context) error {
	return fault(s.talk(ctx, false, func(*gomail.Client, *gosmtp.Client) error { return nil }), "")
}

// talk opens a session with the server, and ends it after do. Once do has succeeded, talk
// succeeds, whatever the server answers then. unicode allows addresses beyond ASCII. Some
// relays refuse the extension, so it is only requested when needed.
func (s *Sender) talk(ctx context.Context, unicode bool, do func(*gomail.Client, *gosmtp.Client) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, talkTime)
	defer cancel() // which also closes the connection
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = ctx.Err()
		}
	}()
	client, err := gomail.NewClient(s.server.host, s.options(ctx, unicode)...)
	if err != nil {
		return err
	}
	session, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return err
	}
	if err := do(client, session); err != nil {
		return err
	}
	if session.UpdateDeadline(quitTime) == nil {
		_ = session.Quit()
	}
	return nil
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}
