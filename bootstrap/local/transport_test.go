package local

import (
	"context"
	"encoding/base64"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/storage"
)

// TestProcessesReachEachOtherWhereTheSettingsNameAServer opens the communication of two
// processes with the same environment.
func TestProcessesReachEachOtherWhereTheSettingsNameAServer(t *testing.T) {
	address := os.Getenv("ATELIER_TEST_NATS")
	if address == "" {
		t.Fatal("ATELIER_TEST_NATS is not set: run `make test`, which starts a NATS server for the tests")
	}
	for _, c := range []struct {
		url  string
		want bool
	}{{address, true}, {"", false}} {
		env := map[string]string{"NATS_URL": c.url, "NATS_PREFIX": "test-" + string(core.NewID()), "DATA_DIR": t.TempDir(), "DATABASE_URL": "postgres://db.example/atelier",
			"JWT_SECRET": strings.Repeat("s", 32), "ENCRYPTION_KEY": base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32))),
		}
		store := memory.NewStore()
		here, there := processOf(t, env, store), processOf(t, env, store)
		project, saved := projectIn(t, store), make(chan struct{}, 1)
		heard, err := there.Bus.Follow(t.Context(), project)
		if err != nil {
			t.Fatal(err)
		}
		now := store.Now()
		if _, err := store.Tables().Rooms.Claim(t.Context(), project, there.Unsaved.Owner(), core.At(now), core.At(now.Add(time.Hour))); err != nil {
			t.Fatal(err)
		}
		withdraw, err := there.Unsaved.Keep(t.Context(), project, func(context.Context) error { saved <- struct{}{}; return nil })
		if err != nil {
			t.Fatal(err)
		}
		defer withdraw()
		if err := here.Bus.Publish(t.Context(), core.Notice{Kind: core.NoticeProject, ProjectID: project}); err != nil {
			t.Fatal(err)
		}
		if err := here.Unsaved.Save(t.Context(), project); err != nil {
			t.Fatal(err)
		}
		if got := len(saved) == 1; got != c.want {
			t.Errorf("NATS_URL=%s: got the edits of the other process saved: %v, want %v", c.url, got, c.want)
		}
		if c.want {
			conformance.Await(t, "the notice to reach the other process", heard)
		}
	}
}

func projectIn(t *testing.T, store storage.Store) core.ID {
	t.Helper()
	space, project := core.NewID(), core.NewID()
	err := store.Tables().Workspaces.Create(t.Context(), core.Workspace{ID: space, Name: "Space", Slug: "space"})
	if err == nil {
		err = store.Tables().Projects.Create(t.Context(), core.Project{ID: project, WorkspaceID: space, Name: "Site", Slug: "site"})
	}
	if err != nil {
		t.Fatal(err)
	}
	return project
}

func processOf(t *testing.T, env map[string]string, store storage.Store) transport {
	t.Helper()
	s, err := settings.Read(func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	opened, end, err := openTransport(t.Context(), s, store, Parts{}, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	return opened
}
