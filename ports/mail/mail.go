// Package mail is the port to the mail server.
package mail

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
)

// Message is a mail to one person. Text and HTML have the same content, in UTF-8.
type Message struct {
	// To is a normal address (core.NormalEmail).
	To string
	// Subject is one line, without control characters.
	Subject string
	Text    string
	HTML    string
	// Application is one of somebody's for which the service sends the mail, "" for none: one line,
	// without control characters. The sender then reads "<application> via <service>".
	Application string
	// ID becomes the Message-ID, so that mail programs recognise a mail that is sent
	// again. It is a core.ID.
	ID string
}

// Check returns core.CodeValidationFailed for a message that violates the rules of
// its fields. Every adapter calls it, so that no text becomes a header.
func (m Message) Check() error {
	normal, err := core.NormalEmail(m.To)
	switch {
	case err != nil || normal != m.To:
		return core.Errorf(core.CodeValidationFailed, "the mail's address is not valid")
	case !utf8.ValidString(m.Subject) || strings.ContainsFunc(m.Subject, unicode.IsControl):
		return core.Errorf(core.CodeValidationFailed, "the mail's subject has control characters")
	case !utf8.ValidString(m.Application) || strings.ContainsFunc(m.Application, unicode.IsControl):
		return core.Errorf(core.CodeValidationFailed, "the name of the mail's application has control characters")
	case !utf8.ValidString(m.Text) || !utf8.ValidString(m.HTML):
		return core.Errorf(core.CodeValidationFailed, "the mail is not UTF-8")
	}
	if _, err := core.ParseID(m.ID); err != nil {
		return core.Errorf(core.CodeValidationFailed, "the mail has no id")
	}
	return nil
}

// Sender sends mails. Many goroutines may use it.
type Sender interface {
	// Send returns once the next server has accepted the message. A temporary
	// failure has code core.CodeUnavailable, and so has the end of ctx. A message
	// that will never be accepted has core.CodeValidationFailed, such as one to a
	// permanently refused address or one that Message.Check refuses. No error
	// contains the recipient's address.
	Send(ctx context.Context, message Message) error
	// Check returns core.CodeUnavailable if nothing can be sent.
	Check(ctx context.Context) error
}
