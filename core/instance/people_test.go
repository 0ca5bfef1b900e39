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
