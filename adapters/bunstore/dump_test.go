package bunstore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// peopled is the address of a database with a person in a workspace with a project.
func peopled(t *testing.T) (address string, store *Store, person core.User) {
	t.Helper()
	address = newPostgres(t)
	store = opened(t, address)
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	name := "tab\tnew line\nback\\slash \u00e4"
	person = core.User{ID: core.NewID(), Email: "ada@example.com", DisplayName: &name, CreatedAt: 7}
	workspace := core.Workspace{ID: core.NewID(), Name: "Ada", CreatedAt: 7}
	project := core.Project{ID: core.NewID(), WorkspaceID: workspace.ID, Name: "Guestbook", CreatedBy: person.ID, CreatedAt: 7}
	err := store.InTx(t.Context(), func(ctx context.Context, tables storage.Tables) error {
		return errors.Join(tables.Users.Create(ctx, person), tables.Workspaces.Create(ctx, workspace), tables.Projects.Create(ctx, project))
	})
	if err != nil {
		t.Fatal(err)
	}
	return address, store, person
}

// nothing is what happens before a restored database counts.
func nothing() error { return nil }

func TestADumpIsLoadedIntoAnEmptyDatabase(t *testing.T) {
	address, store, person := peopled(t)
	dir := filepath.Join(t.TempDir(), "dump")
	if err := DumpPostgres(t.Context(), address, dir); err != nil {
		t.Fatal(err)
	}
	fresh := newPostgres(t)
	broken := errors.New("no room for the files")
	if err := LoadPostgres(t.Context(), fresh, dir, func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of what else is restored", err)
	}
	if err := CheckPostgresEmpty(t.Context(), fresh); err != nil {
		t.Errorf("after a failure: got %v, want nothing kept", err)
	}
	if err := LoadPostgres(t.Context(), fresh, dir, nothing); err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(t.TempDir(), "again")
	if err := DumpPostgres(t.Context(), fresh, again); err != nil {
		t.Fatal(err)
	}
	compareDumps(t, dir, again)
	restored := opened(t, fresh)
	if err := restored.CheckSchema(t.Context()); err != nil {
		t.Errorf("the schema: got %v, want the current one", err)
	}
	got, err := restored.Tables().Users.ByID(t.Context(), person.ID)
	if err != nil || *got.DisplayName != *person.DisplayName {
		t.Errorf("got %+v, %v, want %+v", got, err, person)
	}
	for _, used := range []string{fresh, address} {
		if err := LoadPostgres(t.Context(), used, dir, nothing); !core.IsCode(err, core.CodeConflict) {
			t.Errorf("a database in use: got %v, want code %s", err, core.CodeConflict)
		}
	}
	_ = store
}

// compareDumps compares the files of dumps. Rows without an order may have another.
func compareDumps(t *testing.T, first, second string) {
	t.Helper()
	files, err := os.ReadDir(first)
	if err != nil || len(files) < 40 {
		t.Fatalf("got %d files, %v, want one a table", len(files), err)
	}
	for _, file := range files {
		before, err := os.ReadFile(filepath.Join(first, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if after, err := os.ReadFile(filepath.Join(second, file.Name())); err != nil || string(after) != string(before) {
			t.Errorf("%s: got %.200q, %v, want %.200q", file.Name(), after, err, before)
		}
	}
}

func TestADumpIsOfOneMoment(t *testing.T) {
	address, store, _ := peopled(t)
	for range 5 {
		stop, done := make(chan struct{}), make(chan error, 1)
		go func() {
			for {
				select {
				case <-stop:
					done <- nil
					return
				default:
				}
				workspace := core.Workspace{ID: core.NewID(), Name: "More", CreatedAt: 7}
				err := store.InTx(t.Context(), func(ctx context.Context, tables storage.Tables) error {
					return errors.Join(tables.Workspaces.Create(ctx, workspace),
						tables.Projects.Create(ctx, core.Project{ID: core.NewID(), WorkspaceID: workspace.ID, Name: "More", CreatedBy: core.NewID(), CreatedAt: 7}))
				})
				if err != nil {
					done <- err
					return
				}
			}
		}()
		dir := filepath.Join(t.TempDir(), "dump")
		err := DumpPostgres(t.Context(), address, dir)
		close(stop)
		if err := errors.Join(err, <-done); err != nil {
			t.Fatal(err)
		}
		if spaces, projects := dumpedRows(t, dir, "workspaces"), dumpedRows(t, dir, "projects"); spaces != projects {
			t.Errorf("got %d workspaces and %d projects, want as many, since they are made together", spaces, projects)
		}
	}
}

func dumpedRows(t *testing.T, dir, table string) int {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, table+".copy"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(content), "\n")
}

func TestADumpThatIsNotWholeOrTooNewIsRefused(t *testing.T) {
	address, _, _ := peopled(t)
	for name, spoil := range map[string]func(dir string) error{
		"no description": func(dir string) error { return os.Remove(filepath.Join(dir, dumpIndex)) },
		"no table":       func(dir string) error { return os.Remove(filepath.Join(dir, "projects.copy")) },
		"half a table": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "projects.copy"), []byte("half"), 0o600)
		},
		"a newer program": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, dumpIndex), []byte(`{"migrations": ["0001", "9999"]}`), 0o600)
		},
	} {
		dir := filepath.Join(t.TempDir(), "dump")
		if err := errors.Join(DumpPostgres(t.Context(), address, dir), spoil(dir)); err != nil {
			t.Fatal(err)
		}
		fresh := newPostgres(t)
		if err := LoadPostgres(t.Context(), fresh, dir, nothing); !core.IsCode(err, core.CodeConflict) {
			t.Errorf("%s: got %v, want code %s", name, err, core.CodeConflict)
		}
		if err := CheckPostgresEmpty(t.Context(), fresh); err != nil {
			t.Errorf("%s: got %v, want nothing kept", name, err)
		}
	}
}
