package rfc5322

import (
	"bytes"
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/mail"
	"github.com/atelierhq/atelier/ports/mail/mailtest"
)

var from = netmail.Address{Name: "Die „Werkstatt“, Köln", Address: "post@atelier.example"}

func compose(t *testing.T, message mail.Message) []byte {
	t.Helper()
	letter, err := Compose(from, message, time.Date(2030, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600)))
	if err != nil {
		t.Fatal(err)
	}
	var raw bytes.Buffer
	if _, err := letter.WriteTo(&raw); err != nil {
		t.Fatal(err)
	}
	return raw.Bytes()
}

func TestAMailHasItsHeaders(t *testing.T) {
	id := string(core.NewID())
	raw := compose(t, mail.Message{To: "ada@example.com", Subject: "Hello", Text: "Hello", HTML: "<p>Hello", ID: id})
	read, err := netmail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	sender, err := netmail.ParseAddress(read.Header.Get("From"))
	if err != nil || *sender != from {
		t.Errorf("got the sender %v, %v, want %v", sender, err, from)
	}
	for name, want := range map[string]string{
		"To": "<ada@example.com>", "Subject": "Hello", "Message-Id": "<" + id + "@atelier.example>",
		"Date": "Wed, 02 Jan 2030 02:04:05 +0000", "Auto-Submitted": "auto-generated", "Mime-Version": "1.0",
	} {
		if got := read.Header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestASenderWithoutADomainWritesNothing(t *testing.T) {
	message := mail.Message{To: "ada@example.com", ID: string(core.NewID())}
	if _, err := Compose(netmail.Address{Address: "post"}, message, time.Now()); !core.IsCode(err, core.CodeInternal) {
		t.Errorf("got %v, want code %s", err, core.CodeInternal)
	}
}

// FuzzCompose: an accepted message parses back as it was written, whatever its texts
// hold, except for line breaks, of which a mail has only one kind.
func FuzzCompose(f *testing.F) {
	for _, seed := range [][3]string{
		{"Hello", "Hello\n.\n", "<p>Hello</p>"}, {"a\r\nBcc: b@example.com", "", ""}, {strings.Repeat("ü ", 300), "\r\r\n\n", "--x\r\n"},
		{" ", "\x00", "\u2028"}, {"=?utf-8?q?x?=", "=\n", " \n\t\n"}, {"", "\r\x02\n", "\rü\n"}, {strings.Repeat("x", 2000) + "üü", "", ""}, {"", strings.Repeat("x", 3000), ""},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, subject, text, html string) {
		message := mail.Message{To: "ada@example.com", Subject: subject, Text: text, HTML: html, ID: string(core.NewID())}
		if message.Check() != nil {
			return
		}
		raw := compose(t, message)
		got, err := mailtest.ReadMessage(raw)
		if err != nil {
			t.Fatalf("got %v from\n%q", err, raw)
		}
		message.Text, message.HTML = lines(text), lines(html)
		if got.Subject = strings.TrimSpace(got.Subject); got.Subject != strings.TrimSpace(subject) {
			t.Errorf("got the subject %q, want %q", got.Subject, subject)
		}
		if got.Text != message.Text || got.HTML != message.HTML {
			t.Errorf("got %q and %q, want %q and %q", got.Text, got.HTML, message.Text, message.HTML)
		}
	})
}
