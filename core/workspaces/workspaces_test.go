package workspaces_test

import (
	"errors"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/workspaces"
	"github.com/atelierhq/atelier/ports/storage"
)

// spaces is the use cases of workspaces with one workspace and its people.
type spaces struct {
	*workspaces.Service
	store                        storage.Store
	team                         workspaces.View
	owner, admin, member, nobody core.Actor
}

func newSpaces(t *testing.T) *spaces {
	t.Helper()
	store, limit := memory.NewStore(), 5.0
	now := func() time.Time { return time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC) }
	gate := access.NewGate(store)
	s := &spaces{store: store, Service: workspaces.New(workspaces.Deps{
		Store: store, Gate: gate, Audit: audit.New(audit.Deps{Store: store, Gate: gate, Now: now, Log: slog.New(slog.DiscardHandler)}), CreditLimit: &limit, Now: now,
	})}
	for _, actor := range []*core.Actor{&s.owner, &s.admin, &s.member, &s.nobody} {
		actor.UserID = core.NewID()
		user := core.User{ID: actor.UserID, Email: string(actor.UserID) + "@example.com"}
		if err := store.Tables().Users.Create(t.Context(), user); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if s.team, err = s.Create(t.Context(), s.owner, " The Team "); err != nil {
		t.Fatal(err)
	}
	for actor, role := range map[core.ID]core.Role{s.admin.UserID: core.RoleAdmin, s.member.UserID: core.RoleMember} {
		if err := store.Tables().Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: s.team.ID, UserID: actor, Role: role}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func wantSpaceCode(t *testing.T, what string, err error, code core.Code) {
	t.Helper()
	if got := core.CodeOf(err); got != code {
		t.Errorf("%s: got %v, want code %q", what, err, code)
	}
}

func TestWorkspaceRoles(t *testing.T) {
	s := newSpaces(t)
	name := "Team"
	for _, c := range []struct {
		who                 string
		by                  core.Actor
		get, update, delete core.Code
	}{
		{"nobody", s.nobody, core.CodeNotFound, core.CodeNotFound, core.CodeNotFound},
		{"a member", s.member, "", core.CodeForbidden, core.CodeForbidden},
		{"an admin", s.admin, "", "", core.CodeForbidden},
		{"the owner", s.owner, "", "", ""},
	} {
		_, err := s.Get(t.Context(), c.by, s.team.ID)
		wantSpaceCode(t, c.who+" reads", err, c.get)
		_, err = s.Update(t.Context(), c.by, s.team.ID, workspaces.Change{Name: &name})
		wantSpaceCode(t, c.who+" changes", err, c.update)
		wantSpaceCode(t, c.who+" deletes", s.Delete(t.Context(), c.by, s.team.ID), c.delete)
	}
	_, err := s.Get(t.Context(), s.owner, s.team.ID)
	wantSpaceCode(t, "the owner reads it when it is gone", err, core.CodeNotFound)
}

func TestAPITokensNeedTheScopesOfWorkspaces(t *testing.T) {
	s := newSpaces(t)
	reader := core.Actor{UserID: s.owner.UserID, Token: true, Scopes: []core.Scope{core.ScopeWorkspacesRead}}
	other := core.Actor{UserID: s.owner.UserID, Token: true, Scopes: []core.Scope{core.ScopeChat}}
	_, err := s.List(t.Context(), reader)
	wantSpaceCode(t, "a reader lists", err, "")
	_, err = s.List(t.Context(), other)
	wantSpaceCode(t, "another scope lists", err, core.CodeInsufficientScope)
	_, err = s.Create(t.Context(), reader, "x")
	wantSpaceCode(t, "a reader creates", err, core.CodeInsufficientScope)
	_, err = s.Update(t.Context(), reader, s.team.ID, workspaces.Change{})
	wantSpaceCode(t, "a reader changes", err, core.CodeInsufficientScope)
	wantSpaceCode(t, "a reader deletes", s.Delete(t.Context(), reader, s.team.ID), core.CodeInsufficientScope)
}

func TestListingOnesWorkspaces(t *testing.T) {
	s := newSpaces(t)
	for who, want := range map[core.ID]core.Role{s.owner.UserID: core.RoleOwner, s.member.UserID: core.RoleMember} {
		views, err := s.List(t.Context(), core.Actor{UserID: who})
		if err != nil || len(views) != 1 || views[0].Role != want || views[0].Name != "The Team" {
			t.Errorf("got %+v, %v, want the team as %s", views, err, want)
		}
	}
	if views, err := s.List(t.Context(), s.nobody); err != nil || views == nil || len(views) != 0 {
		t.Errorf("got %+v, %v, want an empty list", views, err)
	}
}

func TestChangingAWorkspace(t *testing.T) {
	s := newSpaces(t)
	if *s.team.CreditLimit != 5 {
		t.Errorf("got the limit %v, want the default of 5", *s.team.CreditLimit)
	}
	set := func(usd float64) **float64 { limit := &usd; return &limit }
	for _, usd := range []float64{-0.01, math.NaN(), math.Inf(1), math.Inf(-1), 1e10} {
		_, err := s.Update(t.Context(), s.owner, s.team.ID, workspaces.Change{CreditLimit: set(usd)})
		wantSpaceCode(t, "a limit out of bounds", err, core.CodeValidationFailed)
	}
	for _, name := range []string{"", "  ", strings.Repeat("x", core.MaxWorkspaceNameChars+1), "a\nb"} {
		_, err := s.Update(t.Context(), s.owner, s.team.ID, workspaces.Change{Name: &name})
		wantSpaceCode(t, "a bad name", err, core.CodeValidationFailed)
	}
	view, err := s.Update(t.Context(), s.owner, s.team.ID, workspaces.Change{CreditLimit: set(0)})
	if err != nil || *view.CreditLimit != 0 || view.Name != "The Team" || view.Slug != s.team.Slug || view.Role != core.RoleOwner {
		t.Errorf("got %+v, %v, want the limit 0 and all else the same", view, err)
	}
	var unlimited *float64
	if view, err = s.Update(t.Context(), s.owner, s.team.ID, workspaces.Change{CreditLimit: &unlimited}); err != nil || view.CreditLimit != nil {
		t.Errorf("got %+v, %v, want no limit", view, err)
	}
}

func TestChangingWhatCommandsMayReach(t *testing.T) {
	s := newSpaces(t)
	set := func(hosts ...string) error {
		_, err := s.Update(t.Context(), s.owner, s.team.ID, workspaces.Change{CommandHosts: &hosts})
		return err
	}
	wantSpaceCode(t, "an IP address", set("a.example.com", "127.0.0.1"), core.CodeValidationFailed)
	if err := errors.Join(set("b.example.com", "a.example.com"), set("a.example.com", "*.example.org")); err != nil {
		t.Fatal(err)
	}
	name := "Renamed"
	view, err := s.Update(t.Context(), s.owner, s.team.ID, workspaces.Change{Name: &name})
	if err != nil || view.CommandHosts.String() != "*.example.org, a.example.com" {
		t.Errorf("got %v, %v, want the hosts to stay", view.CommandHosts, err)
	}
	if err := set(); err != nil {
		t.Fatal(err)
	}
	if view, err = s.Get(t.Context(), s.owner, s.team.ID); err != nil || view.CommandHosts != nil {
		t.Errorf("got %v, %v, want none", view.CommandHosts, err)
	}
	entries, err := s.store.Tables().Audit.List(t.Context(), s.team.ID, core.Page{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, entry := range entries {
		told = append(told, entry.Target)
	}
	for _, want := range []string{
		"commandHosts: 2 +a.example.com +b.example.com", "commandHosts: 2 +*.example.org -b.example.com", "commandHosts: 0 -*.example.org -a.example.com",
	} {
		if !slices.Contains(told, want) {
			t.Errorf("got %q in the audit log, want %q", told, want)
		}
	}
}

func TestOnlyEmptyWorkspacesOfTeamsAreDeleted(t *testing.T) {
	s := newSpaces(t)
	tables := s.store.Tables()
	project := core.Project{ID: core.NewID(), WorkspaceID: s.team.ID, Slug: "shop", Name: "Shop", Visibility: core.VisibilityPrivate, CreatedBy: s.member.UserID}
	if err := tables.Projects.Create(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	err := s.Delete(t.Context(), s.owner, s.team.ID)
	wantSpaceCode(t, "with a private project of somebody else", err, core.CodeConflict)
	if err != nil && !strings.Contains(err.Error(), "Shop") {
		t.Errorf("got %v, want the project named", err)
	}
	deleted := core.Time(1)
	if _, err := tables.Projects.Update(t.Context(), project.ID, func(p *core.Project) error { p.DeletedAt = &deleted; return nil }); err != nil {
		t.Fatal(err)
	}
	wantSpaceCode(t, "with a soft-deleted project", s.Delete(t.Context(), s.owner, s.team.ID), core.CodeConflict)
	if err := tables.Projects.Delete(t.Context(), project.ID); err != nil {
		t.Fatal(err)
	}
	wantSpaceCode(t, "empty", s.Delete(t.Context(), s.owner, s.team.ID), "")
	personal := core.NewWorkspace("Ada", true, nil, 0)
	if err := tables.Workspaces.Create(t.Context(), personal); err != nil {
		t.Fatal(err)
	}
	owner := core.Membership{WorkspaceID: personal.ID, UserID: s.owner.UserID, Role: core.RoleOwner}
	if err := tables.Workspaces.PutMember(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	wantSpaceCode(t, "a personal one", s.Delete(t.Context(), s.owner, personal.ID), core.CodeConflict)
}

func TestAChangeOfNothingIsNotAudited(t *testing.T) {
	s := newSpaces(t)
	before, err := s.store.Tables().Audit.List(t.Context(), s.team.ID, core.Page{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	view, err := s.Update(t.Context(), s.admin, s.team.ID, workspaces.Change{})
	if err != nil || view.Role != core.RoleAdmin || view.Name != s.team.Name {
		t.Errorf("got %+v, %v, want the workspace as it was", view, err)
	}
	if after, err := s.store.Tables().Audit.List(t.Context(), s.team.ID, core.Page{Limit: 10}); err != nil || len(after) != len(before) {
		t.Errorf("got %+v, %v, want no other entry", after, err)
	}
}
