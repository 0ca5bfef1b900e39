package settings

import (
	"net"
	netmail "net/mail"
	"path/filepath"
	"strings"

	"github.com/atelierhq/atelier/adapters/smtp"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/mailer"
)

// Mail says how mails are sent.
type Mail struct {
	// Server accepts them; with the zero Server they stay in OutboxDir.
	Server smtp.Server
	From   netmail.Address
	// OutboxDir is where they are files.
	OutboxDir string
	// Daily is how many mails a day all published applications send together.
	Daily int
}

// readMail reads how mails are sent.
func readMail(r *reader, s Settings) Mail {
	settings := Mail{
		From:      netmail.Address{Name: "Atelier", Address: "atelier@" + mailDomain(s.AppURL.Hostname())},
		OutboxDir: filepath.Join(s.DataDir, "outbox"),
		Daily:     int(r.number("MAIL_APPLICATIONS_PER_DAY", int64(mailer.DefaultAllowance), 0, 1_000_000_000)),
	}
	if got := r.env("SMTP_URL"); got != "" {
		server, ok := smtp.ParseServer(got)
		if !ok {
			r.fail("SMTP_URL", withoutPassword(got), "smtp://user:password@host:port, or smtps:// for TLS from the first byte; user, password and port may be left out")
		}
		settings.Server = server
	}
	got := r.env("MAIL_FROM")
	switch {
	case got != "":
		from, err := netmail.ParseAddress(got)
		if err != nil || !isSender(*from) {
			r.fail("MAIL_FROM", got, "an address such as atelier@example.com, or Name <atelier@example.com>")
			return settings
		}
		settings.From = *from
	case !settings.Server.IsZero():
		r.fail("MAIL_FROM", "", "the address that mails come from, which SMTP_URL requires")
	}
	return settings
}

// mailDomain returns the sender's domain for mails that only go to the outbox.
func mailDomain(host string) string {
	if host == "" || net.ParseIP(host) != nil {
		return "localhost"
	}
	return host
}

func isSender(from netmail.Address) bool {
	_, err := core.NormalEmail(from.Address)
	if from.Name == "" || err != nil {
		return err == nil
	}
	_, err = core.CheckName("name", from.Name, core.MaxDisplayNameChars)
	return err == nil
}

// withoutPassword returns the part of an unparsable URL that cannot belong to a password.
// That is only the scheme if a ":" or an "@" occurs after it.
func withoutPassword(text string) string {
	scheme, rest, found := strings.Cut(text, "://")
	switch {
	case !found:
		return "…"
	case strings.ContainsAny(rest, ":@"):
		return scheme + "://…"
	}
	return text
}
