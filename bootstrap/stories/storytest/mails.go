package storytest

import (
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http"
	netmail "net/mail"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/conformance"
)

// Mailed waits for the n-th mail to an address, counted from 1 and apart from those about the
// account (IsAboutAccount), and returns its plain
// text. A program without a mail server keeps mails in memory or in its outbox.
func (s *Site) Mailed(to string, n int) string {
	s.T.Helper()
	if box, inMemory := s.App.Mail.(*memory.Mailbox); inMemory {
		return s.awaited(box, to, n)[n-1]
	}
	var texts []string
	conformance.Eventually(s.T, fmt.Sprintf("mail %d to %s", n, to), func() bool {
		texts = s.Outbox(to)
		return len(texts) >= n
	})
	return texts[n-1]
}

// awaited waits for n mails in memory, apart from those about the account.
func (s *Site) awaited(box *memory.Mailbox, to string, n int) []string {
	s.T.Helper()
	for all := n; ; {
		mails, err := box.Await(s.T.Context(), to, all)
		if err != nil {
			s.T.Fatal(err)
		}
		var texts []string
		for _, message := range mails {
			if !IsAboutAccount(message.Subject) {
				texts = append(texts, message.Text)
			}
		}
		if len(texts) >= n {
			return texts
		}
		all = len(mails) + 1
	}
}

// IsAboutAccount recognizes the subject of a mail that the service sends by itself: the link
// that verifies an address, and notices. Every sign-up sends one, so Mailed and Outbox leave
// them out.
func IsAboutAccount(subject string) bool {
	for _, about := range []string{
		"email address for Atelier", "Atelier account", "Your Atelier password was changed",
		"Adresse für Atelier", "Atelier-Konto", "Ihr Atelier-Passwort wurde geändert",
		"dirección de correo en Atelier", "cuenta de Atelier", "Se ha cambiado tu contraseña",
	} {
		if strings.Contains(subject, about) {
			return true
		}
	}
	return false
}

// Outbox reads the mails to an address, the oldest first.
func (s *Site) Outbox(to string) []string {
	s.T.Helper()
	return s.OutboxIn(s.App.Settings.Mail.OutboxDir, to)
}

// OutboxIn is Outbox for the outbox of a process.
func (s *Site) OutboxIn(dir, to string) []string {
	s.T.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.eml"))
	if err != nil {
		s.T.Fatal(err)
	}
	slices.Sort(files)
	var texts []string
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			s.T.Fatal(err)
		}
		message, err := netmail.ReadMessage(strings.NewReader(string(content)))
		if err != nil {
			s.T.Fatalf("%s: %v", file, err)
		}
		if strings.Contains(message.Header.Get("To"), to) && !IsAboutAccount(message.Header.Get("Subject")) {
			texts = append(texts, s.PlainText(message))
		}
	}
	return texts
}

// PlainText is the first part of a mail.
func (s *Site) PlainText(message *netmail.Message) string {
	s.T.Helper()
	_, params, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil {
		s.T.Fatal(err)
	}
	part, err := multipart.NewReader(message.Body, params["boundary"]).NextRawPart()
	if err != nil {
		s.T.Fatal(err)
	}
	var content io.Reader = part
	if part.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
		content = quotedprintable.NewReader(part)
	}
	text, err := io.ReadAll(content)
	if err != nil {
		s.T.Fatal(err)
	}
	return string(text)
}

var proofToken = regexp.MustCompile(`/verify-email\?token=([\w-]+)`)

// ProveIn proves the address of an account by the link in its mail, in the outbox of a process.
func (c *Caller) ProveIn(outbox string) {
	c.T.Helper()
	token := ""
	conformance.Eventually(c.T, "the mail that proves the address", func() bool {
		files, err := filepath.Glob(filepath.Join(outbox, "*.eml"))
		if err != nil {
			c.T.Fatal(err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				c.T.Fatal(err)
			}
			message, err := netmail.ReadMessage(strings.NewReader(string(content)))
			if err != nil || !strings.Contains(message.Header.Get("To"), c.User.Email) {
				continue
			}
			if found := proofToken.FindStringSubmatch(c.PlainText(message)); found != nil {
				token = found[1]
			}
		}
		return token != ""
	})
	c.Must(http.StatusOK, http.MethodPost, "/auth/verify-email", Fields{"token": token}, nil)
}

var invitePath = regexp.MustCompile(`/invites/[\w-]{43}`)

// InviteLink returns the path of the link in the n-th invite to an address.
func (s *Site) InviteLink(to string, n int) string {
	s.T.Helper()
	text := s.Mailed(to, n)
	path := invitePath.FindString(text)
	if path == "" || !strings.Contains(text, s.URL+path) {
		s.T.Fatalf("got %s, want a link to the studio in the mail", text)
	}
	return path
}
