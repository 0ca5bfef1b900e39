package mailer

import (
	"context"
	"net/url"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/mail"
	"github.com/atelierhq/atelier/ports/storage"
)

// MaxDailyWebhooks bounds the mails about webhooks of a workspace to one person a day (UTC).
const MaxDailyWebhooks = 10

// DisabledWebhook tells an admin of a workspace that the service disabled a webhook.
type DisabledWebhook struct {
	WorkspaceID core.ID
	// Workspace and Name are names for people; the mail leaves out what could be read as a link.
	Workspace, Name string
	// Gone says that the webhook's address answered that it wants no more, and not that nothing could
	// be delivered for days.
	Gone bool
}

// WebhookDisabled stores a mail to a user in the caller's transaction. Like Notify it writes only to
// proven addresses, and leaves out what is beyond the limit of the day.
func (q *Queue) WebhookDisabled(ctx context.Context, tables storage.Tables, user core.User, webhook DisabledWebhook) error {
	if !user.EmailVerified {
		return nil
	}
	err := q.count(ctx, tables, "webhooks of "+string(webhook.WorkspaceID)+" to "+string(user.ID), MaxDailyWebhooks, "a person gets at most %d of these mails a day")
	if core.IsCode(err, core.CodeRateLimited) {
		return nil
	}
	if err != nil {
		return err
	}
	return q.store(ctx, tables, letter{Kind: letterWebhook, To: user.Email, Language: user.Language, Webhook: &webhook})
}

// webhookMail writes the mail about a webhook that was disabled.
func webhookMail(id core.ID, origin Origin, language core.Language, to string, webhook DisabledWebhook) (mail.Message, error) {
	return compose(id, language, letterWebhook, words{
		To: to, Link: string(origin) + "/workspaces/" + url.PathEscape(string(webhook.WorkspaceID)) + "/webhooks",
		Workspace: harmless(plainName(webhook.Workspace)), Name: harmless(plainName(webhook.Name)), Gone: webhook.Gone,
	})
}
