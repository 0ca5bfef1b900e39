package backends_test

import (
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// TestAGuestbookFromItsFirstSchemaToItsSecondRelease walks as a person does who builds an
// application with users.
func TestAGuestbookFromItsFirstSchemaToItsSecondRelease(t *testing.T) {
	t.Parallel()
	b := newBook(started(t).SignUp())
	preview := b.Preview(b.Caller)
	if got := b.entries(preview); len(got) != 1 || got[0]["text"] != "from the seed" {
		t.Fatalf("got %v on the preview, want the seed", got)
	}
	b.ownEntriesOnly(preview)
	b.pendingPlan(preview)
	site := b.publish(storytest.Fields{})
	if got := b.entries(site); len(got) != 0 {
		t.Fatalf("got %v on the new site, want it empty", got)
	}
	b.secondRelease(site)
	b.acceptedLoss(site)
}

// ownEntriesOnly: users write entries of their own and touch nobody else's.
func (b *book) ownEntriesOnly(host string) {
	b.T.Helper()
	bob, session := b.signUp(host, "bob@example.com")
	seeded := b.entries(host)[0]
	const entries = "collections/entries/records"
	for name, try := range map[string]struct {
		method, path string
		body         object
	}{
		"an entry for somebody else": {http.MethodPost, entries, object{"text": "x", "author": seeded["author"]}},
		"somebody else's entry":      {http.MethodPatch, entries + "/" + seeded["id"].(string), object{"text": "x"}},
		"a deletion of another's":    {http.MethodDelete, entries + "/" + seeded["id"].(string), nil},
	} {
		if status, answer := b.page(host, try.method, try.path, session, try.body); status/100 != 4 {
			b.T.Errorf("%s: got %d %v, want a refusal", name, status, answer)
		}
	}
	if status, answer := b.page(host, http.MethodPost, entries, session, object{"text": "from Bob", "author": bob}); status != http.StatusOK {
		b.T.Errorf("got %d %v, want Bob's entry", status, answer)
	}
	for _, path := range []string{"collections", "settings", "logs", "backups", "collections/_superusers/auth-with-password"} {
		if status, answer := b.page(host, http.MethodPost, path, session, object{}); status != http.StatusNotFound {
			b.T.Errorf("%s: got %d %v, want 404", path, status, answer)
		}
	}
}

// pendingPlan: a change that would lose test data waits until a member confirms that very plan.
func (b *book) pendingPlan(host string) {
	b.T.Helper()
	b.save(core.BackendSchemaPath, guestbook(likes))
	state := b.status()
	if len(state.Diagnostics) != 1 || state.Environments.Test.Pending == nil {
		b.T.Fatalf("got %+v, want a diagnostic and a pending plan", state)
	}
	if got := b.entries(host); got[0]["text"] == nil {
		b.T.Errorf("got %v, want nothing lost", got)
	}
	plan := *state.Environments.Test.Pending
	if !plan.Loses() {
		b.T.Errorf("got %+v, want a loss", plan)
	}
	apply := b.Path("/backend/test/apply")
	b.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, apply, storytest.Fields{"planId": core.NewID()})
	b.SignUp().Refused(http.StatusNotFound, core.CodeNotFound, http.MethodPost, apply, storytest.Fields{"planId": plan.ID})
	b.Must(http.StatusOK, http.MethodPost, apply, storytest.Fields{"planId": plan.ID}, nil)
	if got := b.entries(host); got[0]["text"] != nil || got[0]["likes"] != 0.0 {
		b.T.Errorf("got %v, want the new schema", got)
	}
	if state := b.status(); len(state.Diagnostics) != 0 || state.Environments.Test.Pending != nil {
		b.T.Errorf("got %+v, want nothing pending", state)
	}
	b.save(core.BackendSchemaPath, guestbook(text))
	b.Must(http.StatusNoContent, http.MethodPost, b.Path("/backend/test/reset"), storytest.Fields{"seed": true}, nil)
	if got := b.entries(host); len(got) != 1 || got[0]["text"] != "from the seed" {
		b.T.Errorf("got %v after the reset, want the seed", got)
	}
}

// secondRelease: an added field follows when the site does, and what people wrote stays.
func (b *book) secondRelease(site string) {
	b.T.Helper()
	carol, session := b.signUp(site, "carol@example.com")
	if status, answer := b.page(site, http.MethodPost, "collections/entries/records", session, object{"text": "from Carol", "author": carol}); status != http.StatusOK {
		b.T.Fatalf("got %d %v, want Carol's entry", status, answer)
	}
	b.save(core.BackendSchemaPath, guestbook(text, likes))
	if got := b.entries(site); len(got) != 1 || got[0]["likes"] != nil {
		b.T.Errorf("got %v before the publish, want the old schema", got)
	}
	b.publish(storytest.Fields{})
	if got := b.entries(site); len(got) != 1 || got[0]["text"] != "from Carol" || got[0]["likes"] != 0.0 {
		b.T.Errorf("got %v after the publish, want the new field", got)
	}
}

// acceptedLoss: a dropped field is refused until the plan that was shown is accepted.
func (b *book) acceptedLoss(site string) {
	b.T.Helper()
	b.save(core.BackendSchemaPath, guestbook(likes))
	b.Must(http.StatusOK, http.MethodPost, b.Path("/backend/test/apply"), storytest.Fields{"planId": b.status().Environments.Test.Pending.ID}, nil)
	plan := b.refusedPlan(storytest.Fields{})
	if len(plan.Steps) != 1 || plan.Steps[0].Kind != core.StepDrop || plan.Steps[0].Field != "text" || plan.Steps[0].Records != 1 {
		b.T.Errorf("got %+v, want one text lost", plan)
	}
	b.refusedPlan(storytest.Fields{"acceptDataLoss": core.NewID()})
	if got := b.entries(site); len(got) != 1 || got[0]["text"] != "from Carol" {
		b.T.Errorf("got %v after refusals, want nothing lost", got)
	}
	b.publish(storytest.Fields{"acceptDataLoss": plan.ID})
	if got := b.entries(site); len(got) != 1 || got[0]["text"] != nil {
		b.T.Errorf("got %v after the accepted publish, want the text gone", got)
	}
}
