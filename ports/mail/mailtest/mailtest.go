// Package mailtest tests a mail.Sender against its port.
package mailtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http"
	netmail "net/mail"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/mail"
)

// Harness is a mail transport, with access to its receiving end.
type Harness interface {
	// Sender returns the adapter, over a working transport.
	Sender(t *testing.T) mail.Sender
	// Received returns what has arrived, the oldest first.
	Received(t *testing.T) []mail.Message
	// Break breaks the transport.
	Break(t *testing.T)
}

// Run tests an adapter against the port. newHarness returns a fresh one for every
// clause.
func Run(t *testing.T, newHarness func(*testing.T) Harness) {
	for name, clause := range map[string]func(*testing.T, Harness){
		"a mail arrives whole":                                     arrivesWhole,
		"the texts arrive as they were written":                    textsArrive,
		"a mail says for which application it is sent":             applications,
		"a mail that is sent again is known as the same":           sentAgain,
		"no text becomes a header":                                 injection,
		"an invalid message is refused":                            refused,
		"nothing is sent when the context has ended":               ended,
		"mails that are sent at once all arrive":                   parallel,
		"a way that does not work is told from one that does":      broken,
		"an address with letters beyond ASCII in its name arrives": namesBeyondASCII,
	} {
		t.Run(name, func(t *testing.T) { clause(t, newHarness(t)) })
	}
}

// sampleMail is a message with a fresh id.
func sampleMail() mail.Message {
	return mail.Message{
		To: "ada.l+x@example.com", Subject: "A new password", ID: string(core.NewID()),
		Text: "Hello,\n\nopen https://atelier.example/reset-password?token=abc_-.\n",
		HTML: "<!doctype html>\n<p>Hello, <a href=\"https://atelier.example/reset-password?token=abc_-\">open</a>.</p>\n",
	}
}

func mustSend(t *testing.T, sender mail.Sender, message mail.Message) {
	t.Helper()
	if err := sender.Send(t.Context(), message); err != nil {
		t.Fatalf("send: got %v, want it sent", err)
	}
}

func wantReceived(t *testing.T, h Harness, want ...mail.Message) {
	t.Helper()
	if got := h.Received(t); !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
}

func arrivesWhole(t *testing.T, h Harness) {
	first, second := sampleMail(), sampleMail()
	second.To, second.Subject = "grace@example.org", "Einladung in die „Werkstatt“ 🛠"
	sender := h.Sender(t)
	mustSend(t, sender, first)
	mustSend(t, sender, second)
	wantReceived(t, h, first, second)
}

// textsArrive sends texts that resemble the syntax of mails.
func textsArrive(t *testing.T, h Harness) {
	message := sampleMail()
	message.Text = strings.Join([]string{
		".", "..", ".dot", "From the start", "  spaces  ", "tab\tend\t", "= = =3D", "--boundary", "", "Content-Type: text/x", "",
		strings.Repeat("long ", 400), strings.Repeat("ü", 1200), "Ω 🛠 \u00a0", "end",
	}, "\n")
	message.HTML = "<p>" + message.Text + "</p>"
	message.Subject = strings.Repeat("a long subject ", 20) + "with an ü"
	mustSend(t, h.Sender(t), message)
	wantReceived(t, h, message)
}

// applications sends for one whose name needs quotes and encoding.
func applications(t *testing.T, h Harness) {
	sender, message := h.Sender(t), sampleMail()
	for _, name := range []string{"Tea", `Tee & "Kuchen", Köln <x>`, "via via via"} {
		message.Application = name
		mustSend(t, sender, message)
	}
	got := h.Received(t)
	if len(got) != 3 || got[0].Application != "Tea" || got[1].Application != `Tee & "Kuchen", Köln <x>` || got[2].Application != "via via via" {
		t.Errorf("got %q, want the names of the applications", got)
	}
}

func sentAgain(t *testing.T, h Harness) {
	message, sender := sampleMail(), h.Sender(t)
	mustSend(t, sender, message)
	mustSend(t, sender, message)
	wantReceived(t, h, message, message)
}

func injection(t *testing.T, h Harness) {
	sender := h.Sender(t)
	for name, change := range map[string]func(*mail.Message){
		"CR LF in the subject":   func(m *mail.Message) { m.Subject = "Hello\r\nBcc: eve@example.com" },
		"LF in the subject":      func(m *mail.Message) { m.Subject = "Hello\nBcc: eve@example.com" },
		"CR in the subject":      func(m *mail.Message) { m.Subject = "Hello\rBcc: eve@example.com" },
		"NUL in the subject":     func(m *mail.Message) { m.Subject = "Hello\x00" },
		"CR LF in a name":        func(m *mail.Message) { m.Application = "Tea\r\nBcc: eve@example.com" },
		"CR LF in the address":   func(m *mail.Message) { m.To = "ada@example.com\r\nBcc: eve@example.com" },
		"a command":              func(m *mail.Message) { m.To = "ada@example.com>\r\nRCPT TO:<eve@example.com" },
		"two addresses":          func(m *mail.Message) { m.To = "ada@example.com, eve@example.com" },
		"a name and an address":  func(m *mail.Message) { m.To = "Ada <ada@example.com>" },
		"a parameter":            func(m *mail.Message) { m.To = "ada@example.com> NOTIFY=NEVER" },
		"CR LF in the id":        func(m *mail.Message) { m.ID = "x>\r\nBcc: eve@example.com\r\nX-Y: <x" },
		"a subject of bad UTF-8": func(m *mail.Message) { m.Subject = "\xff\r\n" },
	} {
		message := sampleMail()
		change(&message)
		if err := sender.Send(t.Context(), message); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%s: got %v, want code %s", name, err, core.CodeValidationFailed)
		}
	}
	wantReceived(t, h)
	body := sampleMail()
	body.Text, body.HTML = "Bcc: eve@example.com\n\nX: y\n", "Bcc: eve@example.com\n\n<p>y</p>\n"
	mustSend(t, sender, body)
	wantReceived(t, h, body)
}

func refused(t *testing.T, h Harness) {
	sender := h.Sender(t)
	for name, change := range map[string]func(*mail.Message){
		"no address":          func(m *mail.Message) { m.To = "" },
		"not an address":      func(m *mail.Message) { m.To = "ada" },
		"not a normal one":    func(m *mail.Message) { m.To = "Ada@Example.com" },
		"no id":               func(m *mail.Message) { m.ID = "" },
		"an id of its own":    func(m *mail.Message) { m.ID = "mail-1" },
		"a text of bad UTF-8": func(m *mail.Message) { m.Text = "\xff" },
		"HTML of bad UTF-8":   func(m *mail.Message) { m.HTML = "\xff" },
	} {
		message := sampleMail()
		change(&message)
		err := sender.Send(t.Context(), message)
		if !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%s: got %v, want code %s", name, err, core.CodeValidationFailed)
		}
		if err != nil && message.To != "" && strings.Contains(err.Error(), message.To) {
			t.Errorf("%s: got %v, want an error without the address", name, err)
		}
	}
	wantReceived(t, h)
}

func ended(t *testing.T, h Harness) {
	sender := h.Sender(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := sender.Send(ctx, sampleMail()); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("send: got %v, want code %s", err, core.CodeUnavailable)
	}
	if err := sender.Check(ctx); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("check: got %v, want code %s", err, core.CodeUnavailable)
	}
	wantReceived(t, h)
}

func parallel(t *testing.T, h Harness) {
	const n = 16
	sender := h.Sender(t)
	mails := map[string]mail.Message{}
	errs := make(chan error, n)
	var group sync.WaitGroup
	for i := range n {
		message := sampleMail()
		message.To = fmt.Sprintf("p%d@example.com", i)
		mails[message.To] = message
		group.Go(func() { errs <- sender.Send(t.Context(), message) })
	}
	group.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Errorf("got %v, want it sent", err)
		}
	}
	received := h.Received(t)
	if len(received) != n {
		t.Errorf("got %d mails, want %d", len(received), n)
	}
	for _, message := range received {
		if message != mails[message.To] {
			t.Errorf("got %q, want %q", message, mails[message.To])
		}
	}
}

func broken(t *testing.T, h Harness) {
	sender := h.Sender(t)
	if err := sender.Check(t.Context()); err != nil {
		t.Fatalf("check of one that works: got %v, want nil", err)
	}
	wantReceived(t, h)
	h.Break(t)
	if err := sender.Check(t.Context()); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("check: got %v, want code %s", err, core.CodeUnavailable)
	}
	message := sampleMail()
	err := sender.Send(t.Context(), message)
	if !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("send: got %v, want code %s", err, core.CodeUnavailable)
	}
	if err != nil && strings.Contains(err.Error(), message.To) {
		t.Errorf("got %v, want an error without the address", err)
	}
}

func namesBeyondASCII(t *testing.T, h Harness) {
	message := sampleMail()
	message.To = "jürgen@müller.example"
	mustSend(t, h.Sender(t), message)
	wantReceived(t, h, message)
}

// ReadMessage reads a whole message (RFC 5322) back, for harnesses whose adapter
// writes one. It refuses headers that no adapter writes, and duplicates.
func ReadMessage(raw []byte) (mail.Message, error) {
	read, err := netmail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return mail.Message{}, err
	}
	if err := checkHeaders(http.Header(read.Header)); err != nil {
		return mail.Message{}, err
	}
	if err := checkLines(raw); err != nil {
		return mail.Message{}, err
	}
	to, err := netmail.ParseAddress(read.Header.Get("To"))
	if err != nil {
		return mail.Message{}, err
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject"))
	if err != nil {
		return mail.Message{}, err
	}
	id, _, _ := strings.Cut(strings.TrimPrefix(read.Header.Get("Message-Id"), "<"), "@")
	from, err := netmail.ParseAddress(read.Header.Get("From"))
	if err != nil {
		return mail.Message{}, err
	}
	message := mail.Message{To: to.Address, Subject: subject, ID: id}
	if at := strings.LastIndex(from.Name, " via "); at >= 0 {
		message.Application = from.Name[:at]
	}
	message.Text, message.HTML, err = readParts(read)
	return message, err
}

// checkHeaders wants each header that a mail must have once, and no other.
func checkHeaders(headers http.Header) error {
	names := []string{"Auto-Submitted", "Content-Type", "Date", "From", "Message-Id", "Mime-Version", "Subject", "To"}
	for _, name := range names {
		if len(headers.Values(name)) != 1 {
			return fmt.Errorf("%d headers %s in %v", len(headers.Values(name)), name, headers)
		}
	}
	if len(headers) != len(names) {
		return fmt.Errorf("headers that do not belong there: %v", headers)
	}
	if _, err := netmail.ParseDate(headers.Get("Date")); err != nil {
		return err
	}
	_, err := netmail.ParseAddress(headers.Get("From"))
	return err
}

// checkLines checks every line against RFC 5322: CR LF at its end, at most 998
// bytes.
func checkLines(raw []byte) error {
	for line := range bytes.SplitSeq(raw, []byte("\r\n")) {
		if len(line) > 998 || bytes.ContainsAny(line, "\r\n") {
			return fmt.Errorf("a line of %d bytes: %.100q", len(line), line)
		}
	}
	return nil
}

// readParts reads the two texts of a multipart/alternative body, the plain one
// first.
func readParts(read *netmail.Message) (text, html string, err error) {
	kind, params, err := mime.ParseMediaType(read.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		return "", "", fmt.Errorf("the body is %s, %w", kind, err)
	}
	parts := multipart.NewReader(read.Body, params["boundary"])
	if text, err = readPart(parts, "text/plain"); err != nil {
		return "", "", err
	}
	if html, err = readPart(parts, "text/html"); err != nil {
		return "", "", err
	}
	if _, err := parts.NextPart(); !errors.Is(err, io.EOF) {
		return "", "", fmt.Errorf("a third part, %w", err)
	}
	return text, html, nil
}

func readPart(parts *multipart.Reader, want string) (string, error) {
	part, err := parts.NextRawPart()
	if err != nil {
		return "", err
	}
	kind, params, err := mime.ParseMediaType(part.Header.Get("Content-Type"))
	if err != nil || kind != want || !strings.EqualFold(params["charset"], "utf-8") {
		return "", fmt.Errorf("a part of %s %v, want %s: %w", kind, params, want, err)
	}
	if encoding := part.Header.Get("Content-Transfer-Encoding"); encoding != "quoted-printable" {
		return "", fmt.Errorf("a part is encoded as %s", encoding)
	}
	content, err := io.ReadAll(quotedprintable.NewReader(part))
	return strings.ReplaceAll(string(content), "\r\n", "\n"), err
}
