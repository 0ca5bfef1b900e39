package mailer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// Mails per day (UTC), so that nobody uses the service to write to strangers:
// invitations from a person without a verified address, from any other person, and
// from a workspace; mails of a project's application in all, and to one address.
const (
	MaxDailyUnproven  = 10
	MaxDailyProven    = 100
	MaxDailyWorkspace = 200
	MaxDailyProject   = 500
	MaxDailyRecipient = 20
)

// CheckInvite counts an invitation, in the transaction that creates it. Beyond the
// limits of the day it returns core.CodeRateLimited, with the time until the next.
func (q *Queue) CheckInvite(ctx context.Context, tables storage.Tables, sender core.User, workspace core.ID) error {
	most, why := MaxDailyProven, "an account can send at most %d invitations a day"
	if !sender.EmailVerified {
		most, why = MaxDailyUnproven, "an account whose address is not verified can send at most %d invitations a day"
	}
	if err := q.count(ctx, tables, "user "+string(sender.ID), most, why); err != nil {
		return err
	}
	return q.count(ctx, tables, "workspace "+string(workspace), MaxDailyWorkspace, "a workspace can send at most %d invitations a day")
}

// CheckInstanceInvite is CheckInvite for an invitation to the installation.
func (q *Queue) CheckInstanceInvite(ctx context.Context, tables storage.Tables, sender core.User) error {
	return q.count(ctx, tables, "instance by "+string(sender.ID), MaxDailyWorkspace, "an admin can send at most %d invitations a day")
}

// checkApplication counts a mail of a project's application, as CheckInvite does.
func (q *Queue) checkApplication(ctx context.Context, tables storage.Tables, mail ApplicationMail) error {
	project, address := "project "+string(mail.Project), sha256.Sum256([]byte(mail.To))
	if err := q.count(ctx, tables, project, MaxDailyProject, "an application can send at most %d mails a day"); err != nil {
		return err
	}
	return q.count(ctx, tables, project+" to "+hex.EncodeToString(address[:]), MaxDailyRecipient, "an application can send an address at most %d mails a day")
}

// count counts a mail of a subject. why says the limit and has the place of its number.
func (q *Queue) count(ctx context.Context, tables storage.Tables, subject string, most int, why string) error {
	now := q.now().UTC()
	sent, err := tables.Mails.Count(ctx, subject, now.Format(time.DateOnly))
	if err != nil || sent <= most {
		return err
	}
	limited := core.Errorf(core.CodeRateLimited, why+": continue tomorrow", most)
	limited.RetryAfter = now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now)
	return limited
}
