// Package rfc5322 puts messages into the form in which the post carries them.
package rfc5322

import (
	"cmp"
	"encoding/base64"
	netmail "net/mail"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	gomail "github.com/wneessen/go-mail"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/mail"
)

// Compose writes a message from a sender at a time. A message that Message.Check refuses
// has code core.CodeValidationFailed.
func Compose(from netmail.Address, message mail.Message, at time.Time) (*gomail.Msg, error) {
	if err := message.Check(); err != nil {
		return nil, err
	}
	_, domain, found := strings.Cut(from.Address, "@")
	if !found {
		return nil, core.Errorf(core.CodeInternal, "the sender's address has no domain")
	}
	if message.Application != "" {
		from.Name = message.Application + " via " + cmp.Or(from.Name, domain)
	}
	letter := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	letter.FromMailAddress(&from)
	letter.ToMailAddress(&netmail.Address{Address: message.To})
	letter.SetDateWithValue(at.UTC())
	letter.SetMessageIDWithValue(message.ID + "@" + domain)
	letter.Subject(plain(message.Subject))
	// This keeps automatic responders, such as holiday notices, from answering (RFC
	// 3834).
	letter.SetGenHeader("Auto-Submitted", "auto-generated")
	letter.SetBodyString(gomail.TypeTextPlain, lines(message.Text))
	letter.AddAlternativeString(gomail.TypeTextHTML, lines(message.HTML))
	return letter, nil
}

// lines normalizes line endings. A mail has only one kind, and mime/quotedprintable loses
// others near it.
func lines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// maxWordBytes is how much text an encoded word holds, so that in base64 it stays within
// the 75 characters of RFC 2047.
const maxWordBytes = 45

// plain encodes a text that looks like an encoded word already, which mail readers would
// decode, and a text with a word that exceeds a line. It returns all other texts
// unchanged.
func plain(text string) string {
	isLong := func(word string) bool { return len(word) > maxWordBytes }
	if !strings.Contains(text, "=?") && !slices.ContainsFunc(strings.Fields(text), isLong) {
		return text
	}
	var words []string
	for len(text) > 0 {
		n := min(len(text), maxWordBytes)
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		words = append(words, "=?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte(text[:n]))+"?=")
		text = text[n:]
	}
	return strings.Join(words, " ")
}
