package mailer

import (
	"time"

	"github.com/atelierhq/atelier/core"
)

// pruneEvery is how often expired records are removed.
const pruneEvery = time.Hour

// inviteRetention is how long an invite stays on its list after it has expired.
const inviteRetention = 30 * 24 * time.Hour

func (w *Worker) pruneHourly() {
	ticker := time.NewTicker(pruneEvery)
	defer ticker.Stop()
	for {
		w.prune()
		select {
		case <-w.stopped.Done():
			return
		case <-ticker.C:
		}
	}
}

// prune removes expired sessions, tickets and invites and old entries of the audit log. A
// failure is retried after pruneEvery.
func (w *Worker) prune() {
	w.resets.prune()
	w.invites.prune()
	tables, now := w.Store.Tables(), core.At(w.Now())
	for what, err := range map[string]error{
		"mail counts":   tables.Mails.Prune(w.stopped, w.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)),
		"sessions":      tables.Sessions.Prune(w.stopped, now),
		"tickets":       tables.Tickets.Prune(w.stopped, now),
		"invites":       tables.Invites.Prune(w.stopped, now.Add(-inviteRetention)),
		"invitations":   tables.InstanceInvites.Prune(w.stopped, now.Add(-inviteRetention)),
		"programs":      tables.ProgramGrants.Prune(w.stopped, now),
		"audit entries": w.Audit.Prune(w.stopped),
	} {
		if err != nil && w.stopped.Err() == nil {
			w.Log.Warn("could not remove expired records", "what", what, "error", err)
		}
	}
}
