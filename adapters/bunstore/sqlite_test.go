package bunstore

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestOpenRefusesWhatIsNoDatabase(t *testing.T) {
	folder := t.TempDir()
	text := filepath.Join(folder, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("this is no database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]core.Code{
		"":                            core.CodeValidationFailed,
		"atelier.db":                  core.CodeValidationFailed,
		"mysql://host/name":           core.CodeValidationFailed,
		"sqlite://":                   core.CodeValidationFailed,
		"sqlite://" + folder:          core.CodeUnavailable,
		"sqlite://" + text:            core.CodeUnavailable,
		"sqlite://" + text + "/below": core.CodeUnavailable,
	} {
		if _, err := Open(t.Context(), address); !core.IsCode(err, want) {
			t.Errorf("%q: got %v, want code %s", address, err, want)
		}
	}
}

func TestAPathIsTakenAsItIs(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"plain.db", "a b?mode=memory#%20.db", "new/folders/ünï.db", "100%.db"} {
		migrated(t, "sqlite://"+path)
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%q: got %v, %v, want a file with the schema", path, info, err)
		}
	}
}

func TestTheFilesAreForTheirOwnerAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "atelier.db")
	migrated(t, "sqlite://"+path)
	for file, want := range map[string]os.FileMode{
		path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600, path + ".lock": 0o600, filepath.Dir(path): 0o700,
	} {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s: got mode %o, want %o", filepath.Base(file), info.Mode().Perm(), want)
		}
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".new-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("got %v, %v, want no temporary files", left, err)
	}
}

func TestAcknowledgedWritesAreSynced(t *testing.T) {
	store := migrated(t, newSQLite(t))
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1"} {
		var got string
		if err := store.writer.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", pragma, got, err, want)
		}
	}
}

func TestReadersCannotWrite(t *testing.T) {
	store := migrated(t, newSQLite(t))
	if _, err := store.reader.ExecContext(t.Context(), "DELETE FROM users"); err == nil {
		t.Error("got nil, want a refusal")
	}
}

func TestTwoProcessesShareOneFile(t *testing.T) {
	address := newSQLite(t)
	var all sync.WaitGroup
	stores := []*Store{migrated(t, address), opened(t, address)}
	fill(t, stores[0])
	for _, store := range stores {
		for range 2 {
			all.Go(func() {
				for range 10 {
					if _, err := writeOnce(t.Context(), store); err != nil {
						t.Errorf("got %v, want nil", err)
					}
				}
			})
		}
	}
	all.Wait()
	chat, err := stores[1].Tables().Chats.ByID(t.Context(), crashChat)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := stores[1].Tables().Files.State(t.Context(), chat.ProjectID); err != nil || got.Revision != 40 {
		t.Errorf("got revision %d, %v, want 40", got.Revision, err)
	}
}
