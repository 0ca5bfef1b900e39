package audit_test

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/ports/storage"
)

// office is a log with two workspaces: Ada owns both, Bob is a member of the
// first.
type office struct {
	*audit.Log
	t                *testing.T
	store            storage.Store
	now              time.Time
	said             *bytes.Buffer
	ada, bob, nobody core.Actor
	team, other      core.ID
}

func newOffice(t *testing.T, wrap func(storage.Store) storage.Store) *office {
	t.Helper()
	o := &office{t: t, now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC), said: &bytes.Buffer{}}
	o.store = memory.NewStore()
	if wrap != nil {
		o.store = wrap(o.store)
	}
	o.Log = audit.New(audit.Deps{Store: o.store, Gate: access.NewGate(o.store), Now: func() time.Time { return o.now }, Log: slog.New(slog.NewTextHandler(o.said, nil))})
	o.ada, o.bob, o.nobody = o.person("ada@example.com"), o.person("bob@example.com"), o.person("eve@example.com")
	o.team, o.other = o.space("Team"), o.space("Other")
	o.join(o.team, o.ada, core.RoleOwner)
	o.join(o.other, o.ada, core.RoleOwner)
	o.join(o.team, o.bob, core.RoleMember)
	return o
}

func (o *office) person(email string) core.Actor {
	user := core.User{ID: core.NewID(), Email: email, CreatedAt: core.At(o.now)}
	o.must(o.store.Tables().Users.Create(o.t.Context(), user))
	return core.Actor{UserID: user.ID, IP: "192.0.2.7"}
}

func (o *office) space(name string) core.ID {
	space := core.NewWorkspace(name, false, nil, core.At(o.now))
	o.must(o.store.Tables().Workspaces.Create(o.t.Context(), space))
	return space.ID
}

func (o *office) join(space core.ID, who core.Actor, role core.Role) {
	o.must(o.store.Tables().Workspaces.PutMember(o.t.Context(), core.Membership{
		WorkspaceID: space, UserID: who.UserID, Role: role, JoinedAt: core.At(o.now),
	}))
}

func (o *office) must(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

// actions lists the entries of a workspace's log, newest first.
func (o *office) actions(space core.ID) []core.AuditAction {
	o.t.Helper()
	entries, err := o.List(o.t.Context(), o.ada, space, core.Page{Limit: 100})
	o.must(err)
	var actions []core.AuditAction
	for _, entry := range entries {
		actions = append(actions, entry.Action)
	}
	return actions
}

// own lists the entries of a person's log, newest first.
func (o *office) own(who core.Actor) []core.AuditAction {
	o.t.Helper()
	entries, err := o.Own(o.t.Context(), who, core.Page{Limit: 1000})
	o.must(err)
	var actions []core.AuditAction
	for _, entry := range entries {
		actions = append(actions, entry.Action)
	}
	return actions
}

func TestAnEntrySaysWhoDidWhatFromWhere(t *testing.T) {
	o := newOffice(t, nil)
	o.must(o.Record(t.Context(), o.store.Tables(), o.bob, o.team, core.AuditMemberRemoved, "carol@example.com"))
	entries, err := o.List(t.Context(), o.ada, o.team, core.Page{Limit: 10})
	if err != nil || len(entries) != 1 {
		t.Fatalf("got %v, %v, want one entry", entries, err)
	}
	got := entries[0]
	if got.Action != core.AuditMemberRemoved || *got.Actor != (core.AuditActor{UserID: o.bob.UserID, Email: "bob@example.com"}) ||
		got.Target != "carol@example.com" || got.IP != "192.0.2.7" || got.CreatedAt != core.At(o.now) {
		t.Errorf("got %+v, want Bob, the target, the address and the time", got)
	}
	if got := o.actions(o.other); len(got) != 0 {
		t.Errorf("got %v in another workspace, want nothing", got)
	}
}

func TestTheLogIsForAdmins(t *testing.T) {
	o := newOffice(t, nil)
	for name, c := range map[string]struct {
		who  core.Actor
		code core.Code
	}{
		"owner":    {o.ada, ""},
		"member":   {o.bob, core.CodeForbidden},
		"stranger": {o.nobody, core.CodeNotFound},
		"token without the scope": {
			core.Actor{UserID: o.ada.UserID, Token: true, Scopes: []core.Scope{core.ScopeChat}}, core.CodeInsufficientScope,
		},
	} {
		if _, err := o.List(t.Context(), c.who, o.team, core.Page{Limit: 1}); core.CodeOf(err) != c.code {
			t.Errorf("%s: got %v, want %q", name, err, c.code)
		}
	}
}

func TestAPersonsEventIsTheirsAlone(t *testing.T) {
	o := newOffice(t, nil)
	o.must(o.RecordPerson(t.Context(), o.store.Tables(), o.ada, o.ada.UserID, core.AuditSignIn, "ada@example.com"))
	o.must(o.RecordPerson(t.Context(), o.store.Tables(), o.bob, o.bob.UserID, core.AuditTokenCreated, "ci"))
	for _, space := range []core.ID{o.team, o.other} {
		if got := o.actions(space); len(got) != 0 {
			t.Errorf("got %v in a workspace's log, want nothing of its members' accounts", got)
		}
	}
	for who, want := range map[*core.Actor]core.AuditAction{&o.ada: core.AuditSignIn, &o.bob: core.AuditTokenCreated} {
		if got := o.own(*who); !slices.Equal(got, []core.AuditAction{want}) {
			t.Errorf("got %v in the person's own log, want %s", got, want)
		}
	}
	program := core.Actor{UserID: o.ada.UserID, Token: true, Scopes: core.Scopes()}
	if _, err := o.Own(t.Context(), program, core.Page{Limit: 1}); !core.IsCode(err, core.CodeInsufficientScope) {
		t.Errorf("an API token: got %v, want %s", err, core.CodeInsufficientScope)
	}
}

func TestAFailureIsRecordedWithoutAnActor(t *testing.T) {
	o := newOffice(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // The caller may be gone by then.
	o.RecordFailure(ctx, core.Actor{IP: "203.0.113.9"}, o.bob.UserID, core.AuditSignInFailed, "bob@example.com")
	o.Close()
	entries, err := o.Own(t.Context(), o.bob, core.Page{Limit: 10})
	if err != nil || len(entries) != 1 || entries[0].Actor != nil || entries[0].IP != "203.0.113.9" {
		t.Errorf("got %+v, %v, want the failure, by nobody, from its address", entries, err)
	}
}

// stuckStore begins no transaction before it is released.
type stuckStore struct {
	storage.Store
	held sync.Mutex
}

func (s *stuckStore) InTx(ctx context.Context, do func(context.Context, storage.Tables) error) error {
	s.held.Lock()
	defer s.held.Unlock()
	return s.Store.InTx(ctx, do)
}

func TestAFloodOfFailuresWaitsForNothingAndSaysWhatItLeavesOut(t *testing.T) {
	stuck := &stuckStore{}
	o := newOffice(t, func(inner storage.Store) storage.Store { stuck.Store = inner; return stuck })
	stuck.held.Lock()
	const flood = 500
	for range flood {
		o.RecordFailure(t.Context(), core.Actor{}, o.bob.UserID, core.AuditSignInFailed, "bob@example.com")
	}
	stuck.held.Unlock()
	o.Close()
	left := strings.Count(o.said.String(), "the audit log")
	if got := len(o.own(o.bob)); got == 0 || got+left != flood {
		t.Errorf("got %d entries and %d said to be left out, want %d together", got, left, flood)
	}
}

func TestLongTargetsAreCut(t *testing.T) {
	o := newOffice(t, nil)
	o.must(o.Record(t.Context(), o.store.Tables(), o.ada, o.team, core.AuditWorkspaceUpdated, strings.Repeat("ü", 1000)))
	entries, err := o.List(t.Context(), o.ada, o.team, core.Page{Limit: 1})
	if err != nil || len([]rune(entries[0].Target)) != core.MaxAuditTargetChars || !strings.HasSuffix(entries[0].Target, "ü…") {
		t.Errorf("got %v, %v, want %d characters that end in …", entries, err, core.MaxAuditTargetChars)
	}
}

func TestOldEntriesArePruned(t *testing.T) {
	o := newOffice(t, nil)
	o.must(o.Record(t.Context(), o.store.Tables(), o.ada, o.team, core.AuditSignIn, "old"))
	o.now = o.now.Add(audit.Retention - time.Hour)
	o.must(o.Record(t.Context(), o.store.Tables(), o.ada, o.team, core.AuditSignIn, "young"))
	o.must(o.Prune(t.Context()))
	if got := len(o.actions(o.team)); got != 2 {
		t.Fatalf("got %d entries an hour before the time, want both", got)
	}
	o.now = o.now.Add(2 * time.Hour)
	o.must(o.Prune(t.Context()))
	if got := len(o.actions(o.team)); got != 1 {
		t.Errorf("got %d entries after the time, want the young one", got)
	}
}
