package bunstore

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// crashVariable turns the test binary into a writer on the database that it names.
const crashVariable = "BUNSTORE_CRASH_WRITER"

// crashChat is the chat that crashing writers write to.
const crashChat = core.ID("01890000-0000-7000-8000-000000000001")

func TestMain(m *testing.M) {
	if address := os.Getenv(crashVariable); address != "" {
		fmt.Fprintln(os.Stderr, writeUntilKilled(context.Background(), address))
		os.Exit(1)
	}
	if address := os.Getenv(lockHolderVariable); address != "" {
		fmt.Fprintln(os.Stderr, holdUntilKilled(context.Background(), address))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeUntilKilled commits one transaction after the other and prints the last
// event's number after each.
func writeUntilKilled(ctx context.Context, address string) error {
	store, err := Open(ctx, address)
	if err != nil {
		return err
	}
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	for {
		last, err := writeOnce(ctx, store)
		if err != nil {
			return err
		}
		fmt.Println(last)
	}
}

// writeOnce appends two events and one file named for the second, all or none.
func writeOnce(ctx context.Context, store *Store) (last int64, err error) {
	err = store.InTx(ctx, func(ctx context.Context, in storage.Tables) error {
		chat, err := in.Chats.ByID(ctx, crashChat)
		if err != nil {
			return err
		}
		for range 2 {
			events, err := in.Events.Append(ctx, crashChat, 1, []core.Payload{core.MessageDelta{Delta: "x"}})
			if err != nil {
				return err
			}
			last = events[0].Seq
		}
		_, err = in.Files.Apply(ctx, chat.ProjectID, storage.FileDelta{
			Put: []core.FileEntry{{Path: core.MustPath(strconv.FormatInt(last, 10)), Size: last}},
		})
		return err
	})
	return last, err
}

func TestAKilledWriterLosesNothingThatWasAcknowledged(t *testing.T) {
	for name, address := range databases(t) {
		t.Run(name, func(t *testing.T) {
			store := migrated(t, address)
			project := fill(t, store)
			var acknowledged int64
			for round := range 3 {
				acknowledged = killWriterAfter(t, address, 50)
				events, err := store.Tables().Events.Read(t.Context(), crashChat, storage.EventRange{Limit: 1, Newest: true})
				if err != nil || events[0].Seq < acknowledged || events[0].Seq%2 != 0 {
					t.Fatalf("round %d: got last event %+v, %v, want an even number of at least %d", round, events, err, acknowledged)
				}
				wantSame(t, store, project, events[0].Seq/2)
			}
			if acknowledged < 300 {
				t.Errorf("got %d acknowledged events, want at least 300 after three rounds", acknowledged)
			}
			if err := store.Migrate(t.Context()); err != nil {
				t.Errorf("after the crashes: got %v, want nil", err)
			}
		})
	}
}

// wantSame checks that the number of files equals that of the transactions, and SQLite's
// file by its own check.
func wantSame(t *testing.T, store *Store, project core.ID, transactions int64) {
	t.Helper()
	files, err := store.Tables().Files.List(t.Context(), project)
	if err != nil || int64(len(files)) != transactions {
		t.Errorf("got %d files, %v, want %d, one for each transaction", len(files), err, transactions)
	}
	if _, isSQLite := store.dialect.(sqliteDialect); !isSQLite {
		return
	}
	var integrity string
	if err := store.writer.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&integrity); err != nil || integrity != "ok" {
		t.Errorf("integrity_check: got %q, %v, want ok", integrity, err)
	}
	violations, err := store.writer.QueryContext(t.Context(), "PRAGMA foreign_key_check")
	if err != nil {
		t.Fatal(err)
	}
	defer violations.Close()
	if violations.Next() || violations.Err() != nil {
		t.Errorf("foreign_key_check: got a violation or %v, want none", violations.Err())
	}
}

// fill makes the project and the chat that writers use.
func fill(t testing.TB, store *Store) core.ID {
	t.Helper()
	in := store.Tables()
	workspace := core.Workspace{ID: core.NewID(), Name: "W", Slug: "w"}
	project := core.Project{ID: core.NewID(), WorkspaceID: workspace.ID, Slug: "p", Name: "P", Visibility: core.VisibilityWorkspace}
	if err := in.Workspaces.Create(t.Context(), workspace); err != nil {
		t.Fatal(err)
	}
	if err := in.Projects.Create(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	if err := in.Chats.Create(t.Context(), core.Chat{ID: crashChat, ProjectID: project.ID}); err != nil {
		t.Fatal(err)
	}
	return project.ID
}

// killWriterAfter lets a process write, kills it with SIGKILL after a number of
// acknowledgements, and returns the last of them.
func killWriterAfter(t *testing.T, address string, count int) (acknowledged int64) {
	t.Helper()
	writer := exec.CommandContext(t.Context(), os.Args[0])
	writer.Env = append(os.Environ(), crashVariable+"="+address)
	writer.Stderr = os.Stderr
	output, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	for n := 0; lines.Scan(); n++ {
		if n == count {
			if err := writer.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
		if acknowledged, err = strconv.ParseInt(lines.Text(), 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Wait(); err == nil || acknowledged == 0 {
		t.Fatalf("got %v after event %d, want a writer that was killed", err, acknowledged)
	}
	return acknowledged
}
