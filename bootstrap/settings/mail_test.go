package settings

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestMailSettingsAreRead(t *testing.T) {
	for _, c := range []struct {
		smtp, from          string
		server, sender, box string
	}{
		{"", "", "none", `"Atelier" <atelier@atelier.example>`, "outbox"},
		{"", "post@example.com", "none", "<post@example.com>", "outbox"},
		{"smtp://ada:secret@mail.example.com", "post@example.com", "smtp://mail.example.com:587", "<post@example.com>", "outbox"},
		{"smtps://mail.example.com", "Die Werkstatt <post@example.com>", "smtps://mail.example.com:465", `"Die Werkstatt" <post@example.com>`, "outbox"},
		{"smtp://127.0.0.1:25", `"Ö, <x>" <post@example.com>`, "smtp://127.0.0.1:25", "=?utf-8?b?w5YsIDx4Pg==?= <post@example.com>", "outbox"},
	} {
		dir := t.TempDir()
		s, err := Read(env(map[string]string{"SMTP_URL": c.smtp, "MAIL_FROM": c.from, "DATA_DIR": dir, "APP_URL": "https://atelier.example"}))
		if err != nil {
			t.Errorf("%s: %v", c.smtp, err)
			continue
		}
		if s.Mail.Server.String() != c.server || s.Mail.From.String() != c.sender || s.Mail.OutboxDir != filepath.Join(dir, c.box) {
			t.Errorf("got %s from %s or in %s, want %s from %s", s.Mail.Server, s.Mail.From.String(), s.Mail.OutboxDir, c.server, c.sender)
		}
	}
}

func TestBadMailSettingsStopTheStart(t *testing.T) {
	for _, c := range []struct{ smtp, from, named string }{
		{"mail.example.com", "post@example.com", "SMTP_URL"},
		{"http://mail.example.com", "post@example.com", "SMTP_URL"},
		{"smtp://", "post@example.com", "SMTP_URL"},
		{"smtp://ada@mail.example.com", "post@example.com", "SMTP_URL"},
		{"smtp://mail.example.com", "", "MAIL_FROM"},
		{"smtp://mail.example.com", "post", "MAIL_FROM"},
		{"smtp://mail.example.com", "a@example.com, b@example.com", "MAIL_FROM"},
		{"smtp://mail.example.com", "post@example.com\r\nBcc: eve@example.com", "MAIL_FROM"},
		{"smtp://mail.example.com", "=?utf-8?q?a=0D=0Ab?= <post@example.com>", "MAIL_FROM"},
		{"", "post", "MAIL_FROM"},
	} {
		_, err := Read(env(map[string]string{"SMTP_URL": c.smtp, "MAIL_FROM": c.from}))
		if err == nil || !strings.HasPrefix(err.Error(), c.named) || strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("%q from %q: got %v, want one line that names %s", c.smtp, c.from, err, c.named)
		}
	}
}

func TestAPasswordOfTheMailServerIsNeverShown(t *testing.T) {
	for _, bad := range []string{
		"smtp://ada:hunter2@mail.example.com:99999", "smtp://ada:hunter2", "ada:hunter2@mail.example.com", "smtp:ada:hunter2@mail",
		"smtp://ada:p@hunter2:x", "smtp://ada:%zz@hunter2", "smtp://ada:hun@ter2/hunter2@x y", "smtp://:hunter2@mail.example.com",
	} {
		_, err := Read(env(map[string]string{"SMTP_URL": bad, "MAIL_FROM": "post@example.com"}))
		if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "ter2") {
			t.Errorf("%s: got %v, want a refusal without the password", bad, err)
		}
	}
	s, err := Read(env(map[string]string{"SMTP_URL": "smtp://ada:hunter2@mail.example.com", "MAIL_FROM": "post@example.com"}))
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v"} {
		if text := fmt.Sprintf(verb, s.Mail); strings.Contains(text, "hunter2") {
			t.Errorf("%s: got %s, want it without the password", verb, text)
		}
	}
}
