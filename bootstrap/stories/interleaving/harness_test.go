// Package interleaving_test changes the basis of a use case's decision immediately before
// its transaction begins, or before it gets the project's lock. The use case must decide
// again: on every database, for every change that checks before it writes.
package interleaving_test

import (
	"context"
	"database/sql"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/bunstore"
	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/storage"
)

// hookedStore is a store that lets something happen before the next transaction.
type hookedStore struct {
	storage.Store
	hook func()
}

// InTx implements storage.Store.
func (b *hookedStore) InTx(ctx context.Context, do func(context.Context, storage.Tables) error) error {
	if hook := b.hook; hook != nil {
		b.hook = nil
		hook()
	}
	return b.Store.InTx(ctx, do)
}

// hookedLocks is locks that let something happen while the next caller waits for one.
type hookedLocks struct {
	locks.Locker
	hook func()
}

// Lock implements locks.Locker.
func (l *hookedLocks) Lock(ctx context.Context, record core.ID) (context.Context, func(), error) {
	if hook := l.hook; hook != nil {
		l.hook = nil
		hook()
	}
	return l.Locker.Lock(ctx, record)
}

// world is two workspaces of one owner, a project in the first, and the use cases
// over a store that can be interrupted.
type world struct {
	*hookedStore
	t             *testing.T
	home, abroad  core.ID
	owner, member core.Actor
	project       core.Project
	folder        core.ID
	chat          core.Chat
	// payer records the workspaces that pay for the agent's work.
	payer chan core.ID

	gate     *access.Gate
	log      *slog.Logger
	audit    *audit.Log
	bus      *memory.Bus
	trees    *memory.Trees
	locks    *hookedLocks
	pipeline *files.Pipeline
}

// stores are one empty database of each kind.
func stores() map[string]func(*testing.T) storage.Store {
	return map[string]func(*testing.T) storage.Store{
		"memory": func(*testing.T) storage.Store { return memory.NewStore() },
		"SQLite": func(t *testing.T) storage.Store {
			return opened(t, "sqlite://"+filepath.Join(t.TempDir(), "atelier.db"))
		},
		"PostgreSQL": func(t *testing.T) storage.Store { return opened(t, newSchema(t)) },
	}
}

func opened(t *testing.T, address string) storage.Store {
	t.Helper()
	store, err := bunstore.Open(t.Context(), address)
	must(t, err)
	t.Cleanup(func() { _ = store.Close() })
	must(t, store.Migrate(t.Context()))
	return store
}

// newSchema makes a schema of its own in the server that the tests share.
func newSchema(t *testing.T) string {
	t.Helper()
	server := os.Getenv("ATELIER_TEST_POSTGRES")
	if server == "" {
		t.Fatal("ATELIER_TEST_POSTGRES is not set: run `make test`, which starts a PostgreSQL server for the tests")
	}
	schema := "between_" + strings.ReplaceAll(string(core.NewID()), "-", "")
	admin, err := sql.Open("pgx", server)
	must(t, err)
	_, err = admin.ExecContext(t.Context(), "CREATE SCHEMA "+schema)
	must(t, err)
	t.Cleanup(func() {
		_, err := admin.ExecContext(context.Background(), "DROP SCHEMA "+schema+" CASCADE")
		must(t, err)
		must(t, admin.Close())
	})
	address, err := url.Parse(server)
	must(t, err)
	options := address.Query()
	options.Set("search_path", schema)
	address.RawQuery = options.Encode()
	return address.String()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newWorld(t *testing.T, store storage.Store) *world {
	t.Helper()
	w := &world{
		hookedStore: &hookedStore{Store: store}, t: t, home: core.NewID(), abroad: core.NewID(), folder: core.NewID(),
		payer: make(chan core.ID, 1), log: slog.New(slog.DiscardHandler), bus: memory.NewBus(), trees: memory.NewTrees(),
		locks: &hookedLocks{Locker: memory.NewLocks()},
	}
	w.gate = access.NewGate(w.hookedStore)
	w.audit = audit.New(audit.Deps{Store: w.hookedStore, Gate: w.gate, Now: time.Now, Log: w.log})
	w.pipeline = files.NewPipeline(files.Deps{
		Exclusive: true,
		Trees:     w.trees, Repositories: memory.NewRepositories(w.trees), Store: w.hookedStore, Bus: w.bus,
		Unsaved: memory.NewUnsaved(), Locks: w.locks, Now: time.Now, Log: w.log,
	})
	w.owner, w.member = w.person(), w.person()
	tables, now := store.Tables(), core.At(time.Now())
	for _, id := range []core.ID{w.home, w.abroad} {
		must(t, tables.Workspaces.Create(t.Context(), core.Workspace{ID: id, Name: "Team", Slug: string(id), CreatedAt: now, UpdatedAt: now}))
		w.join(id, w.owner, core.RoleOwner)
	}
	w.join(w.home, w.member, core.RoleAdmin)
	must(t, tables.Folders.Create(t.Context(), core.Folder{ID: w.folder, WorkspaceID: w.home, Name: "Old", CreatedAt: now, UpdatedAt: now}))
	made, err := w.projects().Create(t.Context(), w.owner, w.home, draft("Shop "+string(w.folder)))
	must(t, err)
	t.Cleanup(func() { must(t, store.Tables().Projects.Delete(context.Background(), made.ID)) })
	w.project = made.Project
	chats, err := tables.Chats.List(t.Context(), made.ID)
	must(t, err)
	w.chat = chats[0]
	return w
}

func (w *world) person() core.Actor {
	w.t.Helper()
	id := core.NewID()
	must(w.t, w.Tables().Users.Create(w.t.Context(), core.User{ID: id, Email: string(id) + "@example.com", CreatedAt: core.At(time.Now())}))
	return core.Actor{UserID: id}
}

func (w *world) join(workspace core.ID, who core.Actor, role core.Role) {
	w.t.Helper()
	joined := core.Membership{WorkspaceID: workspace, UserID: who.UserID, Role: role, JoinedAt: core.At(time.Now())}
	must(w.t, w.Tables().Workspaces.PutMember(w.t.Context(), joined))
}

// leave takes the member out of the first workspace.
func (w *world) leave() {
	must(w.t, w.Tables().Members.Remove(w.t.Context(), w.home, w.member.UserID))
}

// demote makes the member, who is an admin, a plain one.
func (w *world) demote() { w.join(w.home, w.member, core.RoleMember) }

// move puts the project into the other workspace, as a transfer does.
func (w *world) move() {
	w.change(func(p *core.Project) { p.WorkspaceID, p.FolderID = w.abroad, nil })
}

// bury deletes the project softly.
func (w *world) bury() {
	now := core.At(time.Now())
	w.change(func(p *core.Project) { p.DeletedAt = &now })
}

// unearth restores the deleted project.
func (w *world) unearth() { w.change(func(p *core.Project) { p.DeletedAt = nil }) }

func (w *world) change(alter func(*core.Project)) {
	w.t.Helper()
	_, err := w.Tables().Projects.Update(w.t.Context(), w.project.ID, func(p *core.Project) error {
		alter(p)
		return nil
	})
	must(w.t, err)
}

// row is a use case, and what happens between its decision and its transaction; with
// atLock, between its decision and taking the project's lock.
type row struct {
	name      string
	atLock    bool
	prepare   func(*world)
	call      func(*world) error
	meanwhile func(*world)
	want      core.Code
	// check checks the result; nil checks nothing.
	check func(*world)
}

// play runs every row on every database.
func play(t *testing.T, rows []row) {
	for name, open := range stores() {
		t.Run(name, func(t *testing.T) {
			store := open(t)
			for _, row := range rows {
				t.Run(row.name, func(t *testing.T) { row.play(t, newWorld(t, store)) })
			}
		})
	}
}

func (r row) play(t *testing.T, w *world) {
	if r.prepare != nil {
		r.prepare(w)
	}
	hook, what := &w.hook, "transaction"
	if r.atLock {
		hook, what = &w.locks.hook, "lock"
	}
	*hook = func() { r.meanwhile(w) }
	if err := r.call(w); core.CodeOf(err) != r.want {
		t.Errorf("got %v, want %q", err, r.want)
	}
	if *hook != nil {
		t.Errorf("got no %s, want one", what)
	}
	if r.check != nil {
		r.check(w)
	}
}
