package bootstrap_test

import (
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
)

// mailed waits for the n-th mail to an address, from 1, and returns its plain
// text. A program without a mail server leaves mails in memory or in its outbox.
func (s *site) mailed(to string, n int) string {
	s.t.Helper()
	if box, inMemory := s.app.Mail.(*memory.Mailbox); inMemory {
		mails, err := box.Await(s.t.Context(), to, n)
		if err != nil {
			s.t.Fatal(err)
		}
		return mails[n-1].Text
	}
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if texts := s.outbox(to); len(texts) >= n {
			return texts[n-1]
		}
	}
	s.t.Fatalf("mail %d to %s did not arrive", n, to)
	return ""
}

// outbox reads the mails to an address, the oldest first.
func (s *site) outbox(to string) []string {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(s.app.Settings.Mail.OutboxDir, "*.eml"))
	if err != nil {
		s.t.Fatal(err)
	}
	slices.Sort(files)
	var texts []string
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			s.t.Fatal(err)
		}
		message, err := netmail.ReadMessage(strings.NewReader(string(content)))
		if err != nil {
			s.t.Fatalf("%s: %v", file, err)
		}
		if strings.Contains(message.Header.Get("To"), to) {
			texts = append(texts, s.plainText(message))
		}
	}
	return texts
}

// plainText is the first part of a mail.
func (s *site) plainText(message *netmail.Message) string {
	s.t.Helper()
	_, params, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil {
		s.t.Fatal(err)
	}
	part, err := multipart.NewReader(message.Body, params["boundary"]).NextRawPart()
	if err != nil {
		s.t.Fatal(err)
	}
	var content io.Reader = part
	if part.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
		content = quotedprintable.NewReader(part)
	}
	text, err := io.ReadAll(content)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

var invitePath = regexp.MustCompile(`/invites/[\w-]{43}`)

// inviteLink returns the path of the link in the n-th invite to an address.
func (s *site) inviteLink(to string, n int) string {
	s.t.Helper()
	text := s.mailed(to, n)
	path := invitePath.FindString(text)
	if path == "" || !strings.Contains(text, s.url+path) {
		s.t.Fatalf("got %s, want a link to the studio in the mail", text)
	}
	return path
}
