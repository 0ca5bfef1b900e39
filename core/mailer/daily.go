package mailer

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// Invitations per day (UTC), so that nobody uses the service to write to strangers:
// from a person without a verified address, from any other person, and from a
// workspace.
const (
	MaxDailyUnproven  = 10
	MaxDailyProven    = 100
	MaxDailyWorkspace = 200
)

// CheckInvite counts an invitation, in the transaction that creates it. Beyond the
// limits of the day it returns core.CodeRateLimited, with the time until the next.
func (q *Queue) CheckInvite(ctx context.Context, tables storage.Tables, sender core.User, workspace core.ID) error {
	most, why := MaxDailyProven, "an account"
	if !sender.EmailVerified {
		most, why = MaxDailyUnproven, "an account whose address is not verified"
	}
	if err := q.count(ctx, tables, "user "+string(sender.ID), most, why); err != nil {
		return err
	}
	return q.count(ctx, tables, "workspace "+string(workspace), MaxDailyWorkspace, "a workspace")
}

func (q *Queue) count(ctx context.Context, tables storage.Tables, subject string, most int, who string) error {
	now := q.now().UTC()
	sent, err := tables.Mails.Count(ctx, subject, now.Format(time.DateOnly))
	if err != nil || sent <= most {
		return err
	}
	limited := core.Errorf(core.CodeRateLimited, "%s can send at most %d invitations a day: continue tomorrow", who, most)
	limited.RetryAfter = now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now)
	return limited
}
