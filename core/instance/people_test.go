package instance_test

import (
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/instance"
)

func TestSomebodyStaysAnAdmin(t *testing.T) {
	h := newHouse(t, instance.Environment{Preset: core.SignupOpen})
	ada, bob := h.live("ada@example.com"), h.live("bob@example.com")
	for what, change := range map[string]instance.PersonChange{"the role": {Admin: new(false)}, "the account": {Disabled: new(true)}} {
		_, err := h.people.Update(t.Context(), ada, ada.UserID, change)
		h.wantCode("taking the last admin "+what, err, core.CodeConflict)
	}
	_, err := h.people.Update(t.Context(), bob, bob.UserID, instance.PersonChange{Admin: new(true)})
	h.wantCode("a grab at the role", err, core.CodeForbidden)
	_, err = h.people.Update(t.Context(), ada, bob.UserID, instance.PersonChange{Admin: new(true)})
	h.must(err)
	_, err = h.people.Update(t.Context(), bob, ada.UserID, instance.PersonChange{Admin: new(false)})
	h.wantCode("taking one of two", err, "")
	_, err = h.people.List(t.Context(), ada, "", core.Page{Limit: 1})
	h.wantCode("who was an admin", err, core.CodeForbidden)
}

func TestADisabledAccountLosesItsSessions(t *testing.T) {
	h := newHouse(t, instance.Environment{Preset: core.SignupOpen}, "named@example.com")
	ada, bob := h.live("ada@example.com"), h.live("bob@example.com")
	session := core.Session{ID: core.NewID(), UserID: bob.UserID, TokenID: core.NewID(), CreatedAt: 1, LastSeenAt: 1, ExpiresAt: core.At(h.now).Add(1e12)}
	h.must(h.store.Tables().Sessions.Create(t.Context(), session))
	account, err := h.people.Update(t.Context(), ada, bob.UserID, instance.PersonChange{Disabled: new(true)})
	if err != nil || account.DisabledAt == nil {
		t.Fatalf("got %+v, %v, want a disabled account", account, err)
	}
	standing, err := h.store.Tables().Sessions.Standing(t.Context(), bob.UserID, session.ID)
	if err != nil || standing.Open || standing.CredentialVersion != 1 {
		t.Errorf("got %+v, %v, want the session ended and the credentials raised", standing, err)
	}
	account, err = h.people.Update(t.Context(), ada, bob.UserID, instance.PersonChange{Disabled: new(false)})
	if err != nil || account.DisabledAt != nil {
		t.Errorf("got %+v, %v, want it enabled again", account, err)
	}
	h.must(h.people.SignOut(t.Context(), ada, bob.UserID))
	h.wantCode("signing out nobody", h.people.SignOut(t.Context(), ada, core.NewID()), core.CodeNotFound)
	h.wantCode("by somebody else", h.people.SignOut(t.Context(), bob, ada.UserID), core.CodeForbidden)
}

func TestAnAdminResetsTheFactorOfSomebodyElse(t *testing.T) {
	h := newHouse(t, instance.Environment{Preset: core.SignupOpen})
	ada, bob := h.live("ada@example.com"), h.live("bob@example.com")
	tables := h.store.Tables()
	h.wantCode("somebody without one", h.people.ResetFactor(t.Context(), ada, bob.UserID), core.CodeConflict)
	h.must(tables.Factors.Put(t.Context(), core.Factor{UserID: bob.UserID, SealedPending: []byte("x"), PendingUntil: 1 << 60}))
	h.wantCode("one that is not on", h.people.ResetFactor(t.Context(), ada, bob.UserID), core.CodeConflict)
	waiting := core.Ticket{Kind: core.TicketSecondFactor, Hash: "x", UserID: bob.UserID, ExpiresAt: 1 << 60}
	h.must(tables.Tickets.Create(t.Context(), waiting))
	for _, person := range []core.Actor{ada, bob} {
		h.must(tables.Factors.Put(t.Context(), core.Factor{UserID: person.UserID, SealedSecret: []byte("x"), ConfirmedAt: 1}))
	}
	h.wantCode("by somebody else", h.people.ResetFactor(t.Context(), bob, ada.UserID), core.CodeForbidden)
	h.wantCode("one's own", h.people.ResetFactor(t.Context(), ada, ada.UserID), core.CodeConflict)
	h.wantCode("nobody's", h.people.ResetFactor(t.Context(), ada, core.NewID()), core.CodeNotFound)
	h.must(h.people.ResetFactor(t.Context(), ada, bob.UserID))
	_, err := tables.Factors.Of(t.Context(), bob.UserID)
	h.wantCode("the factor", err, core.CodeNotFound)
	_, err = tables.Tickets.Take(t.Context(), waiting.Kind, waiting.Hash)
	h.wantCode("a sign-in that waited", err, core.CodeNotFound)
	entries, err := tables.Audit.OfPerson(t.Context(), bob.UserID, core.Page{Limit: 9})
	if err != nil || len(entries) != 1 || entries[0].Action != core.AuditFactorReset {
		t.Errorf("got %+v, %v, want it in the person's log", entries, err)
	}
}

func TestAnAdminDeletesAnAccount(t *testing.T) {
	h := newHouse(t, instance.Environment{Preset: core.SignupOpen})
	ada, bob := h.live("ada@example.com"), h.live("bob@example.com")
	h.wantCode("by somebody else", h.people.Delete(t.Context(), bob, ada.UserID), core.CodeForbidden)
	h.wantCode("nobody", h.people.Delete(t.Context(), ada, core.NewID()), core.CodeNotFound)
	h.wantCode("the last admin", h.people.Delete(t.Context(), ada, ada.UserID), core.CodeConflict)
	h.estate = core.Errorf(core.CodeConflict, "others belong to it")
	h.wantCode("the last owner of a workspace", h.people.Delete(t.Context(), ada, bob.UserID), core.CodeConflict)
	h.estate = nil
	if len(h.left) != 0 {
		t.Errorf("got %v told of, want nobody", h.left)
	}
	_, err := h.people.Update(t.Context(), ada, bob.UserID, instance.PersonChange{Admin: new(true)})
	h.must(err)
	_, _, err = h.invites.Create(t.Context(), bob, "guest@example.com")
	h.must(err)
	h.must(h.people.Delete(t.Context(), ada, bob.UserID))
	_, err = h.store.Tables().Users.ByID(t.Context(), bob.UserID)
	h.wantCode("the account", err, core.CodeNotFound)
	open, err := h.invites.List(t.Context(), ada)
	if err != nil || len(open) != 0 || len(h.left) != 1 || h.left[0] != bob.UserID {
		t.Errorf("got the invitations %v, %v and %v told of, want none and them", open, err, h.left)
	}
	entries, err := h.store.Tables().Audit.OfInstance(t.Context(), core.Page{Limit: 1})
	if err != nil || entries[0].Action != core.AuditPersonDeleted || entries[0].Target != "bob@example.com" || entries[0].Actor.UserID != ada.UserID {
		t.Errorf("got %+v, %v, want who deleted whom", entries, err)
	}
	h.wantCode("again", h.people.Delete(t.Context(), ada, bob.UserID), core.CodeNotFound)
}

func TestTheEnvironmentWins(t *testing.T) {
	h := newHouse(t, instance.Environment{Signup: core.SignupInvite, CreditLimit: new(5.0)})
	ada := h.live("ada@example.com")
	for field, change := range map[string]instance.Change{
		"signup": {Signup: new(core.SignupOpen)}, "defaultCreditLimit": {CreditLimit: new(new(9.0))},
	} {
		_, err := h.settings.Update(t.Context(), ada, change)
		h.wantCode(field, err, core.CodeConflict)
	}
	view, err := h.settings.Update(t.Context(), ada, instance.Change{Announcement: new("  Hello  ")})
	if err != nil || view.Signup != core.SignupInvite || *view.CreditLimit != 5 || view.Announcement != "Hello" || len(view.Fixed) != 2 {
		t.Errorf("got %+v, %v, want what the environment says, and the notice", view, err)
	}
}

func TestSettingsAreChecked(t *testing.T) {
	h := newHouse(t, instance.Environment{Preset: core.SignupOpen})
	ada, bob := h.live("ada@example.com"), h.live("bob@example.com")
	h.verify(ada)
	for what, change := range map[string]instance.Change{
		"an unknown policy":     {Signup: new(core.SignupPolicy("maybe"))},
		"domains without any":   {Signup: new(core.SignupDomains)},
		"what is no domain":     {SignupDomains: &[]string{"not a domain"}},
		"a negative limit":      {CreditLimit: new(new(-1.0))},
		"an endless notice":     {Announcement: new(string(make([]rune, core.MaxAnnouncementChars)) + "xx")},
		"a notice with a zero":  {Announcement: new("a\x00b")},
		"a domain with an at":   {SignupDomains: &[]string{"a@b.example"}},
		"too many domains":      {SignupDomains: new(make([]string, core.MaxSignupDomains+1))},
		"a domain without dots": {SignupDomains: &[]string{"localhost"}},
	} {
		_, err := h.settings.Update(t.Context(), ada, change)
		h.wantCode(what, err, core.CodeValidationFailed)
	}
	_, err := h.settings.Update(t.Context(), ada, instance.Change{Signup: new(core.SignupDomains), SignupDomains: &[]string{"Example.com", "@example.com"}})
	h.must(err)
	h.wantCode("another domain, at once", h.doors.Check(t.Context(), instance.Newcomer{Email: "eve@other.example"}), core.CodeSignupClosed)
	_, err = h.settings.Get(t.Context(), bob)
	h.wantCode("somebody else", err, core.CodeForbidden)
	_, err = h.settings.Get(t.Context(), core.Actor{UserID: ada.UserID, Token: true, Scopes: core.Scopes()})
	h.wantCode("an API token", err, core.CodeInsufficientScope)
}
