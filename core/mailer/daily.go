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
// from a workspace; mails of a project's application in all, and to one address; mails
// of all applications of a workspace, and of all workspaces of an owner.
const (
	MaxDailyUnproven  = 10
	MaxDailyProven    = 100
	MaxDailyWorkspace = 200
	MaxDailyProject   = 500
	MaxDailyRecipient = 20

	MaxDailyWorkspaceMails = 1000
	MaxDailyOwnerMails     = 1000
)

// Allowance is how many mails a day (UTC) all applications of the installation send together.
type Allowance int

// DefaultAllowance is the allowance of an installation that sets none.
const DefaultAllowance Allowance = 5000

// allApplications is the subject of the mails of all applications.
const allApplications = "applications"

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
func (q *Queue) checkApplication(ctx context.Context, tables storage.Tables, mail ApplicationMail, allowance Allowance) error {
	project, address := "project "+string(mail.Project), sha256.Sum256([]byte(mail.To))
	if err := q.count(ctx, tables, project, MaxDailyProject, "an application can send at most %d mails a day"); err != nil {
		return err
	}
	if err := q.count(ctx, tables, project+" to "+hex.EncodeToString(address[:]), MaxDailyRecipient, "an application can send an address at most %d mails a day"); err != nil {
		return err
	}
	if err := q.count(ctx, tables, "applications of workspace "+string(mail.Workspace), MaxDailyWorkspaceMails, "the applications of a workspace can send at most %d mails a day together"); err != nil {
		return err
	}
	for _, owner := range mail.Owners {
		if err := q.count(ctx, tables, "applications of user "+string(owner), MaxDailyOwnerMails, "the applications of a person can send at most %d mails a day together"); err != nil {
			return err
		}
	}
	return q.count(ctx, tables, allApplications, int(allowance), "the applications of this installation can send at most %d mails a day together, which its admins set")
}

// SentToday returns how many mails all applications have sent on this day (UTC).
func (q *Queue) SentToday(ctx context.Context, tables storage.Tables) (int, error) {
	return tables.Mails.Counted(ctx, allApplications, q.now().UTC().Format(time.DateOnly))
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
