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

// Bounds of a conversation with the server.
const (
	// talkTime bounds a conversation as a whole, quitTime its last word, for which
	// nobody waits long.
	talkTime = 30 * time.Second
	quitTime = 2 * time.Second
	// maxAnswerBytes bounds what the server says in one conversation.
	maxAnswerBytes = 256 << 10
)

// Sender hands mails in at one server, over a connection each.
type Sender struct {
	server Server
	from   netmail.Address
	now    func() time.Time

	dial func(ctx context.Context, network, address string) (net.Conn, error)
	// roots are the authorities that vouch for the server; nil is the system's.
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

// Check implements mail.Sender: it signs in and says good-bye.
func (s *Sender) Check(ctx context.Context) error {
	return fault(s.talk(ctx, false, func(*gomail.Client, *gosmtp.Client) error { return nil }), "")
}

// talk opens a session with the server, and ends it after do. Once do has
// succeeded, it is done, whatever the server says then. unicode allows addresses
// beyond ASCII, which some servers further on refuse, so that it is not asked for
// without need.
func (s *Sender) talk(ctx context.Context, unicode bool, do func(*gomail.Client, *gosmtp.Client) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, talkTime)
	defer cancel() // which closes the connection, too
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
