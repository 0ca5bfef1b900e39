package bootstrap

import (
	"log/slog"
	"time"

	"github.com/atelierhq/atelier/adapters/outbox"
	"github.com/atelierhq/atelier/adapters/smtp"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/mail"
)

// MailAllowance is how many mails a day all applications send.
func MailAllowance(s settings.Settings) mailer.Allowance { return mailer.Allowance(s.Mail.Daily) }

// MailOrigin is the beginning of links in mails.
func MailOrigin(s settings.Settings) mailer.Origin { return mailer.Origin(s.AppURL.String()) }

// Mail sends mails through the server of the settings, or writes them to files.
func Mail(s settings.Settings, log *slog.Logger, now func() time.Time) mail.Sender {
	if s.Mail.Server.IsZero() {
		return outbox.New(outbox.Config{Dir: s.Mail.OutboxDir, From: s.Mail.From, Log: log, Now: now})
	}
	return smtp.New(s.Mail.Server, s.Mail.From, now)
}
