package instance_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/instance"
)

// verify marks a person's address as verified.
func (h *house) verify(by core.Actor) {
	h.t.Helper()
	_, err := h.store.Tables().Users.Update(h.t.Context(), by.UserID, func(user *core.User) error {
		user.EmailVerified = true
		return nil
	})
	h.must(err)
}

// set changes the settings.
func (h *house) set(by core.Actor, change instance.Change) (instance.View, error) {
	return h.settings.Update(h.t.Context(), by, change)
}

func TestAVerifiedAddressIsRequiredByWhoHasOne(t *testing.T) {
	h := newHouse(t, instance.Environment{Preset: core.SignupOpen})
	admin, other := h.live("ada@example.com"), h.live("bob@example.com")
	lacks := func(by core.Actor) bool {
		user, err := h.store.Tables().Users.ByID(t.Context(), by.UserID)
		h.must(err)
		missing, err := h.doors.LacksProof(t.Context(), h.store.Tables(), user)
		h.must(err)
		return missing
	}
	require := instance.Change{RequireVerifiedEmail: new(true)}
	_, err := h.set(admin, require)
	h.wantCode("an admin without one", err, core.CodeConflict)
	h.verify(admin)
	if lacks(other) {
		t.Error("got an address missing that is not required")
	}
	view, err := h.set(admin, require)
	if err != nil || !view.RequireVerifiedEmail {
		t.Fatalf("got %+v, %v, want it required", view, err)
	}
	if lacks(admin) || !lacks(other) {
		t.Error("got the wrong people without a verified address")
	}
}

// TestWhereAddressesLetPeopleInTheyAreProven is for addresses that anybody can type.
func TestWhereAddressesLetPeopleInTheyAreProven(t *testing.T) {
	for _, policy := range core.SignupPolicies() {
		h := newHouse(t, instance.Environment{Signup: policy, SignupDomains: []string{"example.com"}})
		admin := h.live("ada@example.com")
		user, err := h.store.Tables().Users.ByID(t.Context(), admin.UserID)
		h.must(err)
		lacks, err := h.doors.LacksProof(t.Context(), h.store.Tables(), user)
		if want := policy == core.SignupDomains; err != nil || lacks != want || h.doors.RequiresProof(core.InstanceSettings{}) != want {
			t.Errorf("%s: got a proof missing %v, %v, want %v", policy, lacks, err, want)
		}
		outside := core.Code("")
		if policy == core.SignupDomains {
			outside = core.CodeSignupClosed
		}
		h.must(h.doors.CheckMove(t.Context(), h.store.Tables(), "new@example.com"))
		h.wantCode(string(policy)+": a move outside", h.doors.CheckMove(t.Context(), h.store.Tables(), "new@evil.example"), outside)
		if policy != core.SignupClosed {
			h.verify(admin)
			_, _, err := h.invites.Create(t.Context(), admin, "guest@other.example")
			h.must(err)
			h.must(h.doors.CheckMove(t.Context(), h.store.Tables(), "guest@other.example"))
		}
	}
	h := newHouse(t, instance.Environment{Preset: core.SignupOpen})
	admin, domains := h.live("ada@example.com"), instance.Change{Signup: new(core.SignupDomains), SignupDomains: &[]string{"example.com"}}
	_, err := h.set(admin, domains)
	h.wantCode("an admin without a proven address", err, core.CodeConflict)
	h.verify(admin)
	_, err = h.set(admin, domains)
	h.must(err)
}

func TestPasswordsAreTurnedOffByWhoHasAnotherWayIn(t *testing.T) {
	off := instance.Change{PasswordSignIn: new(false)}
	for what, prepare := range map[string]func(h *house, admin core.ID) error{
		"a passkey": func(h *house, admin core.ID) error {
			return h.store.Tables().Passkeys.Create(t.Context(), core.Passkey{ID: core.NewID(), UserID: admin, Name: "x", CredentialID: "x", PublicKey: []byte("x")})
		},
		"an account at GitHub": func(h *house, admin core.ID) error {
			return h.store.Tables().Identities.Create(t.Context(), core.Identity{Provider: core.IdentityGitHub, Subject: "1", UserID: admin})
		},
	} {
		h := newHouse(t, instance.Environment{Preset: core.SignupOpen, Providers: []core.IdentityProvider{core.IdentityGitHub}})
		admin := h.live("ada@example.com")
		_, err := h.set(admin, off)
		h.wantCode("without "+what, err, core.CodeConflict)
		h.must(h.doors.CheckPasswords(t.Context(), h.store.Tables()))
		h.must(prepare(h, admin.UserID))
		view, err := h.set(admin, off)
		if err != nil || view.PasswordSignIn {
			t.Fatalf("with %s: got %+v, %v, want passwords off", what, view, err)
		}
		err = h.doors.CheckPasswords(t.Context(), h.store.Tables())
		h.wantCode("a password", err, core.CodePasswordSignInOff)
		if !strings.Contains(err.Error(), "GitHub") {
			t.Errorf("got %v, want the provider named", err)
		}
		h.wantCode("a sign-up", h.doors.Check(t.Context(), instance.Newcomer{Email: "bob@example.com", Password: true}), core.CodePasswordSignInOff)
		h.must(h.doors.Check(t.Context(), instance.Newcomer{Email: "bob@example.com", Proven: true}))
		_, err = h.set(admin, instance.Change{PasswordSignIn: new(true)})
		h.must(err)
		h.must(h.doors.CheckPasswords(t.Context(), h.store.Tables()))
	}
}

func TestAnIdentityAtAProviderThatIsGoneIsNoWayIn(t *testing.T) {
	h := newHouse(t, instance.Environment{Preset: core.SignupOpen})
	admin := h.live("ada@example.com")
	for _, provider := range []core.IdentityProvider{core.IdentityGitHub, "oidc:gone"} {
		h.must(h.store.Tables().Identities.Create(t.Context(), core.Identity{Provider: provider, Subject: "1", UserID: admin.UserID}))
	}
	_, err := h.set(admin, instance.Change{PasswordSignIn: new(false)})
	h.wantCode("passwords off", err, core.CodeConflict)
}

func TestTheEnvironmentBringsPasswordsBack(t *testing.T) {
	h := newHouse(t, instance.Environment{Preset: core.SignupOpen, PasswordSignIn: new(true)})
	admin := h.live("ada@example.com")
	_, err := h.store.Tables().InstanceSettings.Update(t.Context(), func(decided *core.InstanceSettings) error {
		decided.NoPasswords = true
		return nil
	})
	h.must(err)
	h.must(h.doors.CheckPasswords(t.Context(), h.store.Tables()))
	view, err := h.settings.Get(t.Context(), admin)
	if err != nil || !view.PasswordSignIn || view.Fixed["passwordSignIn"] != "PASSWORD_SIGN_IN" {
		t.Errorf("got %+v, %v, want passwords on and fixed", view, err)
	}
	_, err = h.set(admin, instance.Change{PasswordSignIn: new(false)})
	h.wantCode("a change of what is fixed", err, core.CodeConflict)
}

func TestTheFirstAccountHasAPasswordWhateverIsFixed(t *testing.T) {
	h := newHouse(t, instance.Environment{Preset: core.SignupOpen, PasswordSignIn: new(false)})
	h.must(h.doors.Check(t.Context(), instance.Newcomer{Email: "ada@example.com", Password: true}))
	h.live("ada@example.com")
	h.wantCode("the second", h.doors.Check(t.Context(), instance.Newcomer{Email: "bob@example.com", Password: true}), core.CodePasswordSignInOff)
}

func TestSecondFactorsAreRequiredAlsoWithoutPasswords(t *testing.T) {
	h := newHouse(t, instance.Environment{Preset: core.SignupOpen})
	admin := h.live("ada@example.com")
	h.must(h.store.Tables().Passkeys.Create(t.Context(), core.Passkey{ID: core.NewID(), UserID: admin.UserID, Name: "x", CredentialID: "x", PublicKey: []byte("x")}))
	h.must(h.store.Tables().Factors.Put(t.Context(), core.Factor{UserID: admin.UserID, Passkeys: 1}))
	view, err := h.set(admin, instance.Change{RequireMFA: new(true), PasswordSignIn: new(false)})
	if err != nil || !view.RequireMFA || view.PasswordSignIn {
		t.Errorf("got %+v, %v, want both policies", view, err)
	}
}
