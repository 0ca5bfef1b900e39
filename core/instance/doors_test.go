package instance_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/instance"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/storage"
)

// house is an installation on memory adapters, at a time that stands still.
type house struct {
	t        *testing.T
	store    storage.Store
	now      time.Time
	doors    *instance.Doors
	settings *instance.Settings
	people   *instance.People
	invites  *instance.Invites
	spaces   *instance.Spaces
	// left are the people who left all workspaces; estate is why nobody may, or nil.
	left   []core.ID
	estate error
}

// LeaveAll stands for the workspaces.
func (h *house) LeaveAll(_ context.Context, _ storage.Tables, _ core.Actor, person core.ID) (func(context.Context), error) {
	return func(context.Context) { h.left = append(h.left, person) }, h.estate
}

func newHouse(t *testing.T, env instance.Environment, named ...string) *house {
	t.Helper()
	h := &house{t: t, store: memory.NewStore(), now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}
	now := func() time.Time { return h.now }
	gate := access.NewGate(h.store, named...)
	log := audit.New(audit.Deps{Store: h.store, Gate: gate, Now: now, Log: slog.New(slog.DiscardHandler)})
	h.doors = instance.NewDoors(h.store, gate, env, now)
	h.settings = instance.NewSettings(h.store, gate, log, env)
	queue := mailer.New(memory.NewSealer(), now)
	departures := instance.NewDepartures(instance.DepartureDeps{Store: h.store, Gate: gate, Audit: log, Mail: queue, Estate: h})
	h.people = instance.NewPeople(instance.PeopleDeps{Store: h.store, Gate: gate, Audit: log, Mail: queue, Departures: departures, Now: now})
	h.invites = instance.NewInvites(instance.InviteDeps{Store: h.store, Gate: gate, Audit: log, Mail: queue, Env: env, Now: now})
	h.spaces = instance.NewSpaces(instance.SpaceDeps{Store: h.store, Gate: gate, Audit: log, Env: env, Now: now})
	return h
}

// enter creates the account of a newcomer whom the doors admit.
func (h *house) enter(who instance.Newcomer) (core.User, instance.Admission, error) {
	user := core.User{ID: core.NewID(), Email: who.Email, CreatedAt: core.At(h.now)}
	var admission instance.Admission
	err := h.store.InTx(h.t.Context(), func(ctx context.Context, tables storage.Tables) (err error) {
		if admission, err = h.doors.Admit(ctx, tables, who); err != nil {
			return err
		}
		user.Admin, user.EmailVerified = admission.Admin, admission.Verified
		return tables.Users.Create(ctx, user)
	})
	return user, admission, err
}

// live is enter for newcomers who must get in.
func (h *house) live(email string) core.Actor {
	h.t.Helper()
	user := core.User{ID: core.NewID(), Email: email, CreatedAt: core.At(h.now)}
	if any, err := h.store.Tables().Users.Any(h.t.Context()); err == nil && !any {
		user.Admin = true
	}
	h.must(h.store.Tables().Users.Create(h.t.Context(), user))
	return core.Actor{UserID: user.ID, IP: "192.0.2.1"}
}

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) wantCode(what string, err error, code core.Code) {
	h.t.Helper()
	if got := core.CodeOf(err); got != code {
		h.t.Errorf("%s: got %v, want %q", what, err, code)
	}
}

func TestThePolicyDecidesWhoGetsIn(t *testing.T) {
	for policy, want := range map[core.SignupPolicy]map[string]core.Code{
		core.SignupOpen:    {"bob@example.com": "", "eve@other.example": ""},
		core.SignupDomains: {"bob@example.com": "", "eve@other.example": core.CodeSignupClosed, "eve@sub.example.com": core.CodeSignupClosed, "eve@example.com.evil.example": core.CodeSignupClosed},
		core.SignupInvite:  {"bob@example.com": core.CodeSignupClosed},
		core.SignupClosed:  {"bob@example.com": core.CodeSignupClosed},
	} {
		for email, code := range want {
			h := newHouse(t, instance.Environment{Signup: policy, SignupDomains: []string{"example.com"}})
			first, admission, err := h.enter(instance.Newcomer{Email: "first@nowhere.example"})
			if err != nil || !admission.Admin || !first.Admin {
				t.Errorf("%s: the first account: got %+v, %v, want an admin's", policy, admission, err)
			}
			who := instance.Newcomer{Email: email}
			h.wantCode(string(policy)+": a check of "+email, h.doors.Check(t.Context(), who), code)
			user, _, err := h.enter(who)
			h.wantCode(string(policy)+": "+email, err, code)
			if err == nil && user.Admin {
				t.Errorf("%s: got an admin, want one only", email)
			}
			// The refusal is the same for an address with an account.
			if code != "" {
				h.live(email)
				h.wantCode(string(policy)+": "+email+" with an account", h.doors.Check(t.Context(), who), code)
			}
		}
	}
}

// TestOfParallelFirstSignUpsOneIsAnAdmins is for the race of an installation that was just
// started where everybody reaches it.
func TestOfParallelFirstSignUpsOneIsAnAdmins(t *testing.T) {
	h := newHouse(t, instance.Environment{Preset: core.SignupInvite})
	var all sync.WaitGroup
	var mu sync.Mutex
	admins, refused := 0, 0
	for range 16 {
		all.Go(func() {
			user, _, err := h.enter(instance.Newcomer{Email: string(core.NewID()) + "@example.com"})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && user.Admin:
				admins++
			case core.IsCode(err, core.CodeSignupClosed):
				refused++
			}
		})
	}
	all.Wait()
	if admins != 1 || refused != 15 {
		t.Errorf("got %d admins and %d refusals, want 1 and 15", admins, refused)
	}
}

func TestAnInvitationOpensTheDoorForItsAddress(t *testing.T) {
	h := newHouse(t, instance.Environment{Preset: core.SignupInvite})
	ada := h.live("ada@example.com")
	_, link, err := h.invites.Create(t.Context(), ada, "Bob@example.com")
	h.must(err)
	bob := instance.Newcomer{Email: "bob@example.com", Secret: link}
	for what, who := range map[string]instance.Newcomer{
		"the address without the secret": {Email: bob.Email},
		"another address":                {Email: "eve@example.com", Secret: link},
		"a wrong secret":                 {Email: bob.Email, Secret: core.NewSecret()},
		"another address of a provider":  {Email: "eve@example.com", Proven: true},
	} {
		_, _, err := h.enter(who)
		h.wantCode(what, err, core.CodeSignupClosed)
	}
	_, admission, err := h.enter(bob)
	h.wantCode("the invited person", err, "")
	if admission.Verified {
		t.Error("a link to pass on verified the address, want only a mail's to")
	}
	left, err := h.invites.List(t.Context(), ada)
	if err != nil || len(left) != 0 {
		t.Errorf("got %v, %v, want the invitation used up", left, err)
	}
	_, _, err = h.invites.Create(t.Context(), ada, bob.Email)
	h.wantCode("an invitation to an account", err, core.CodeConflict)

	_, _, err = h.invites.Create(t.Context(), ada, "carol@example.com")
	h.must(err)
	_, _, err = h.enter(instance.Newcomer{Email: "carol@example.com", Proven: true})
	h.wantCode("an invited address that a provider verified", err, "")

	_, late, err := h.invites.Create(t.Context(), ada, "dora@example.com")
	h.must(err)
	h.now = h.now.Add(8 * 24 * time.Hour)
	_, _, err = h.enter(instance.Newcomer{Email: "dora@example.com", Secret: late})
	h.wantCode("an invitation of last week", err, core.CodeSignupClosed)
}

// inviteAs lets the sender, an owner, invite an address into a workspace, and returns the mailed secret.
func (h *house) inviteAs(sender core.Actor, email string) (secret string, space core.ID) {
	h.t.Helper()
	now, tables := core.At(h.now), h.store.Tables()
	team := core.NewWorkspace("Team", false, nil, now)
	h.must(tables.Workspaces.Create(h.t.Context(), team))
	h.must(tables.Workspaces.PutMember(h.t.Context(), core.Membership{WorkspaceID: team.ID, UserID: sender.UserID, Role: core.RoleOwner, JoinedAt: now}))
	secret = core.NewSecret()
	h.must(tables.Invites.Create(h.t.Context(), core.Invite{
		ID: core.NewID(), Email: email, Role: core.RoleMember, InvitedBy: sender.UserID, CreatedAt: now, ExpiresAt: now.Add(time.Hour),
		WorkspaceID: team.ID, TokenHash: core.HashSecret(secret),
	}))
	return secret, team.ID
}

// TestAnInvitationToAWorkspaceOpensTheDoor holds for every policy.
func TestAnInvitationToAWorkspaceOpensTheDoor(t *testing.T) {
	for _, policy := range core.SignupPolicies() {
		h := newHouse(t, instance.Environment{Signup: policy, SignupDomains: []string{"nowhere.example"}})
		ada := h.live("ada@nowhere.example")
		h.verify(ada)
		mailed, space := h.inviteAs(ada, "bob@example.com")
		who := instance.Newcomer{Email: "bob@example.com", Secret: mailed}
		if policy != core.SignupOpen {
			role := func(role core.Role) {
				h.must(h.store.Tables().Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: space, UserID: ada.UserID, Role: role, JoinedAt: core.At(h.now)}))
			}
			role(core.RoleMember)
			h.wantCode(string(policy)+": of somebody who may not invite any more", h.doors.Check(t.Context(), who), core.CodeSignupClosed)
			role(core.RoleOwner)
		}
		_, admission, err := h.enter(who)
		h.wantCode(string(policy), err, "")
		if !admission.Verified {
			t.Errorf("%s: got %+v, want the address verified by the mail's secret", policy, admission)
		}
	}
}

func TestWhoMayNotBeHereOpensNoDoor(t *testing.T) {
	closed := map[core.SignupPolicy]bool{core.SignupDomains: true, core.SignupClosed: true}
	for _, policy := range core.SignupPolicies() {
		for what, c := range map[string]struct {
			email  string
			proven bool
			opens  bool
		}{
			"somebody unproven":           {"eve@corp.example", false, !closed[policy]},
			"somebody proven":             {"eve@corp.example", true, true},
			"somebody proven from abroad": {"eve@evil.example", true, policy != core.SignupDomains},
		} {
			h := newHouse(t, instance.Environment{Signup: policy, SignupDomains: []string{"corp.example"}})
			h.live("admin@corp.example")
			eve := h.live(c.email)
			if c.proven {
				h.verify(eve)
			}
			secret, _ := h.inviteAs(eve, "friend@evil.example")
			err := h.doors.Check(t.Context(), instance.Newcomer{Email: "friend@evil.example", Secret: secret})
			if opens := err == nil; opens != (c.opens || policy == core.SignupOpen) {
				t.Errorf("%s: invited by %s: got %v, want a way in: %v", policy, what, err, c.opens)
			}
			if err != nil && !strings.Contains(err.Error(), "whoever invited you") {
				t.Errorf("%s: invited by %s: got %v, want it said why", policy, what, err)
			}
			// Whoever needs no door still proves the address with the mail's secret.
			secret, _ = h.inviteAs(eve, "bob@corp.example")
			if _, admission, err := h.enter(instance.Newcomer{Email: "bob@corp.example", Secret: secret}); policy == core.SignupDomains && (err != nil || !admission.Verified) {
				t.Errorf("%s: invited by %s: got %+v, %v, want somebody of the domain in, and verified", policy, what, admission, err)
			}
		}
	}
}

// TestAnAdminFromAbroadOpensDoors is for operators, whose address is often not their customers'.
func TestAnAdminFromAbroadOpensDoors(t *testing.T) {
	h := newHouse(t, instance.Environment{Signup: core.SignupDomains, SignupDomains: []string{"corp.example"}})
	admin := h.live("operator@hosting.example")
	_, link, err := h.invites.Create(t.Context(), admin, "guest@other.example")
	h.must(err)
	guest := instance.Newcomer{Email: "guest@other.example", Secret: link}
	h.wantCode("before the admin's address is proven", h.doors.Check(t.Context(), guest), core.CodeSignupClosed)
	h.verify(admin)
	h.must(h.doors.Check(t.Context(), guest))
}
