// Package mail is the port to the post.
package mail

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
)

// Message is a mail to one person. Text and HTML say the same, in UTF-8.
type Message struct {
	// To is a normal address (core.NormalEmail).
	To string
	// Subject is one line, without control characters.
	Subject string
	Text    string
	HTML    string
	// ID makes the Message-ID, so that a mail which is sent again is known as the
	// same. It is a core.ID.
	ID string
}

// Check refuses, with code core.CodeValidationFailed, a message that is not as
// its fields say. Every adapter calls it, so that no text becomes a header.
func (m Message) Check() error {
	normal, err := core.NormalEmail(m.To)
	switch {
	case err != nil || normal != m.To:
		return core.Errorf(core.CodeValidationFailed, "the mail is for no normal address")
	case !utf8.ValidString(m.Subject) || strings.ContainsFunc(m.Subject, unicode.IsControl):
		return core.Errorf(core.CodeValidationFailed, "the mail's subject has control characters")
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
	// Send returns when the next server has taken the message. A failure that may
	// pass has code core.CodeUnavailable, so has the end of ctx; a message that will
	// never be taken, such as one to an address that the server refuses for good or
	// one that Message.Check refuses, core.CodeValidationFailed. No error names the
	// address that the message is for.
	Send(ctx context.Context, message Message) error
	// Check reports core.CodeUnavailable when nothing can be sent.
	Check(ctx context.Context) error
}
