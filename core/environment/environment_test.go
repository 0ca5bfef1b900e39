package environment_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/environment"
)

// fixture is the service over memory, with a project of a workspace that has a
// member, and a stranger.
type fixture struct {
	*testing.T
	store            *memory.Store
	bus              *deafBus
	sealer           *memory.Sealer
	log              bytes.Buffer
	now              time.Time
	service          *environment.Service
	project          core.ID
	member, stranger core.Actor
}

// deafBus fails when a test says so.
type deafBus struct {
	*memory.Bus
	failure error
}

func (b *deafBus) Publish(ctx context.Context, notice core.Notice) error {
	if b.failure != nil {
		return b.failure
	}
	return b.Bus.Publish(ctx, notice)
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{T: t, store: memory.NewStore(), bus: &deafBus{Bus: memory.NewBus()}, sealer: memory.NewSealer(), now: time.UnixMilli(1_700_000_000_000)}
	f.service = environment.New(environment.Deps{
		Store: f.store, Gate: access.NewGate(f.store), Bus: f.bus, Sealer: f.sealer,
		Audit: audit.New(audit.Deps{Store: f.store, Gate: access.NewGate(f.store), Now: time.Now, Log: slog.New(slog.DiscardHandler)}),
		Now:   func() time.Time { return f.now }, Log: slog.New(slog.NewTextHandler(&f.log, nil)),
	})
	workspace := core.NewID()
	f.must(f.store.Tables().Workspaces.Create(t.Context(), core.Workspace{ID: workspace, Name: "Team", Slug: "team"}))
	f.member, f.stranger = f.person("ann@example.com"), f.person("eve@example.com")
	f.must(f.store.Tables().Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: workspace, UserID: f.member.UserID, Role: core.RoleMember}))
	f.project = f.newProject(workspace)
	return f
}

func (f *fixture) person(email string) core.Actor {
	id := core.NewID()
	f.must(f.store.Tables().Users.Create(f.Context(), core.User{ID: id, Email: email}))
	return core.Actor{UserID: id}
}

func (f *fixture) newProject(workspace core.ID) core.ID {
	id := core.NewID()
	f.must(f.store.Tables().Projects.Create(f.Context(), core.Project{
		ID: id, WorkspaceID: workspace, Slug: string(id), Name: "Shop", Visibility: core.VisibilityPublic, CreatedBy: f.member.UserID,
	}))
	return id
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatalf("got %v, want nil", err)
	}
}

func (f *fixture) put(key, value string) {
	f.Helper()
	f.must(f.service.Put(f.Context(), f.member, f.project, key, value))
}

func (f *fixture) wantCode(err error, want core.Code) {
	f.Helper()
	if !core.IsCode(err, want) {
		f.Errorf("got %v, want code %s", err, want)
	}
}

func (f *fixture) revision() int64 {
	f.Helper()
	state, err := f.store.Tables().Files.State(f.Context(), f.project)
	f.must(err)
	return state.Revision
}

func TestValuesAreSealedAndTheirRowsAreListed(t *testing.T) {
	f := newFixture(t)
	f.put("SECRET", "correct horse")
	f.put("ALSO", "correct horse")
	f.now = f.now.Add(time.Minute)
	f.put("SECRET", "battery staple")
	got, err := f.service.List(t.Context(), f.member, f.project)
	f.must(err)
	if len(got) != 2 || got[0].Key != "ALSO" || got[1].Key != "SECRET" || got[1].UpdatedAt != got[1].CreatedAt.Add(time.Minute) {
		t.Errorf("got %+v, want both by key, the second changed a minute later", got)
	}
	for _, row := range got {
		if bytes.Contains(row.SealedValue, []byte("horse")) || bytes.Contains(row.SealedValue, []byte("staple")) {
			t.Errorf("%s: got the value in the row, want it sealed", row.Key)
		}
	}
	one, err := f.service.Get(t.Context(), f.member, f.project, "SECRET")
	f.must(err)
	if one.Key != "SECRET" || one.UpdatedAt != got[1].UpdatedAt {
		t.Errorf("got %+v, want the row of the list", one)
	}
}

func TestASealedValueOpensInItsOwnRowOnly(t *testing.T) {
	f := newFixture(t)
	f.put("VITE_A", "one")
	row, err := f.store.Tables().Environment.ByKey(t.Context(), f.project, "VITE_A")
	f.must(err)
	row.Key = "VITE_B"
	_, err = f.store.Tables().Environment.Put(t.Context(), row)
	f.must(err)
	_, err = f.service.Public(t.Context(), f.project)
	f.wantCode(err, core.CodeInternal)
}

func TestOnlyPrefixedValuesArePublic(t *testing.T) {
	f := newFixture(t)
	for key, value := range map[string]string{"VITE_A": "a", "VITE_EMPTY": "", "SECRET": "hidden", "vite_b": "hidden", "MY_VITE_C": "hidden"} {
		f.put(key, value)
	}
	got, err := f.service.Public(t.Context(), f.project)
	f.must(err)
	if want := map[string]string{"VITE_A": "a", "VITE_EMPTY": ""}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAChangeHasTheProjectBuiltAnew(t *testing.T) {
	f := newFixture(t)
	notices, err := f.bus.Follow(t.Context(), f.project)
	f.must(err)
	for i, change := range []func() error{
		func() error { return f.service.Put(t.Context(), f.member, f.project, "VITE_A", "a") },
		func() error { return f.service.Delete(t.Context(), f.member, f.project, "VITE_A") },
	} {
		f.must(change())
		if notice := <-notices; notice.Kind != core.NoticeFiles || notice.ProjectID != f.project {
			t.Errorf("got %+v, want a notice of files", notice)
		}
		if got := f.revision(); got != int64(i+1) {
			t.Errorf("got revision %d, want %d", got, i+1)
		}
	}
	f.wantCode(f.service.Delete(t.Context(), f.member, f.project, "VITE_A"), core.CodeNotFound)
	if got := f.revision(); got != 2 {
		t.Errorf("after nothing was deleted: got revision %d, want 2", got)
	}
	f.bus.failure = core.Errorf(core.CodeUnavailable, "deaf")
	f.put("SECRET", "correct horse")
	if text := f.log.String(); !strings.Contains(text, "could not notify followers") || strings.Contains(text, "horse") {
		t.Errorf("got the log %q, want the failure without the value", text)
	}
}

func TestBoundsOfVariables(t *testing.T) {
	f := newFixture(t)
	f.wantCode(f.service.Put(t.Context(), f.member, f.project, "1A", "x"), core.CodeValidationFailed)
	f.wantCode(f.service.Put(t.Context(), f.member, f.project, "A", "a\x00"), core.CodeValidationFailed)
	for i := range core.MaxVariables {
		f.put(fmt.Sprintf("K%d", i), "x")
	}
	f.wantCode(f.service.Put(t.Context(), f.member, f.project, "MORE", "x"), core.CodeConflict)
	f.put("K7", "another")
	f.must(f.service.Delete(t.Context(), f.member, f.project, "K7"))
	f.put("MORE", "x")
}

func TestTheEnvironmentIsForMembersWhateverTheVisibility(t *testing.T) {
	f := newFixture(t)
	f.put("SECRET", "correct horse")
	reader := core.Actor{UserID: f.member.UserID, Token: true, Scopes: []core.Scope{core.ScopeProjectsRead}}
	for by, want := range map[*core.Actor]core.Code{&f.stranger: core.CodeNotFound, &reader: core.CodeInsufficientScope} {
		_, err := f.service.List(t.Context(), *by, f.project)
		f.wantCode(err, want)
		_, err = f.service.Get(t.Context(), *by, f.project, "SECRET")
		f.wantCode(err, want)
		f.wantCode(f.service.Put(t.Context(), *by, f.project, "SECRET", "x"), want)
		f.wantCode(f.service.Delete(t.Context(), *by, f.project, "SECRET"), want)
	}
	if got := f.revision(); got != 1 {
		t.Errorf("got revision %d, want that nothing was changed", got)
	}
	_, err := f.service.Get(t.Context(), f.member, f.project, "OTHER")
	f.wantCode(err, core.CodeNotFound)
}
