package settings

import (
	"net"
	netmail "net/mail"
	"path/filepath"
	"strings"

	"github.com/atelierhq/atelier/adapters/smtp"
	"github.com/atelierhq/atelier/core"
)

// Mail says how mails leave.
type Mail struct {
	// Server takes them; the zero Server leaves them in OutboxDir.
	Server smtp.Server
	From   netmail.Address
	// OutboxDir is where they are files.
	OutboxDir string
}

// mail reads how mails leave.
func (r *reader) mail(s Settings) Mail {
	settings := Mail{
		From:      netmail.Address{Name: "Atelier", Address: "atelier@" + mailDomain(s.AppURL.Hostname())},
		OutboxDir: filepath.Join(s.DataDir, "outbox"),
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
		r.fail("MAIL_FROM", "", "the address that mails come from, which SMTP_URL goes with")
	}
	return settings
}

// mailDomain is the domain of the sender of mails that nobody is sent.
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

// withoutPassword leaves of a URL that could not be read what cannot be part of a
// password: nothing behind the scheme, where a ":" or an "@" may stand anywhere.
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
