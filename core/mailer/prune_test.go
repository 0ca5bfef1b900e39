package mailer

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/audit"
)

func TestLapsedTicketsAreRemovedWithinTheHour(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		user, tickets := o.user("ada@example.com"), o.store.Tables().Tickets
		o.start(o.box)
		synctest.Wait()
		for hash, life := range map[string]time.Duration{"short": 50 * time.Minute, "long": 70 * time.Minute} {
			ticket := core.Ticket{Kind: core.TicketPasswordReset, Hash: hash, UserID: user.ID, ExpiresAt: core.At(time.Now().Add(life))}
			if err := tickets.Create(t.Context(), ticket); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Hour + time.Minute)
		if _, err := tickets.Take(t.Context(), core.TicketPasswordReset, "short"); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("got %v, want the lapsed ticket gone", err)
		}
		if _, err := tickets.Take(t.Context(), core.TicketPasswordReset, "long"); err != nil {
			t.Errorf("got %v, want the other ticket still there", err)
		}
	})
}

func TestInvitesAndAuditEntriesAreKeptForTheirTime(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		tables, w := o.store.Tables(), o.worker(o.box)
		invite, _ := o.invite("grace@example.com", "Team", "Ada")
		entry := core.AuditEntry{ID: core.NewID(), Action: core.AuditSignIn, CreatedAt: core.At(time.Now()), WorkspaceID: invite.WorkspaceID}
		if err := tables.Audit.Append(t.Context(), []core.AuditEntry{entry}); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for _, c := range []struct {
			what string
			age  time.Duration
			kept func() bool
		}{
			{"the invite", inviteRetention + 7*24*time.Hour, func() bool {
				_, err := tables.Invites.ByID(t.Context(), invite.ID)
				return err == nil
			}},
			{"the audit entry", audit.Retention, func() bool {
				entries, err := tables.Audit.List(t.Context(), invite.WorkspaceID, core.Page{Limit: 1})
				return err == nil && len(entries) == 1
			}},
		} {
			time.Sleep(time.Until(began.Add(c.age - time.Minute)))
			if w.prune(); !c.kept() {
				t.Errorf("%s: got it removed a minute before its time", c.what)
			}
			time.Sleep(2 * time.Minute)
			if w.prune(); c.kept() {
				t.Errorf("%s: got it kept a minute after its time", c.what)
			}
		}
		if log := o.log.String(); log != "" {
			t.Errorf("got %s in the log, want nothing", log)
		}
	})
}

func TestTheLimitForgetsWhoseWindowHasPassed(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		w := o.worker(o.box)
		for range 100 {
			w.resets.take(string(core.NewID()), core.NewID())
		}
		time.Sleep(limitWindow)
		if w.prune(); len(w.resets.taken) != 0 {
			t.Errorf("got %d people remembered, want none", len(w.resets.taken))
		}
	})
}
