package npm_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/ports/conformance"
)

// A set is used before it is on the disk. After a crash of the machine, contents that may
// be torn are not used.
func TestAPowerCutLeavesNoTornPackages(t *testing.T) {
	t.Parallel()
	registry, dir := newFakeRegistry(t), t.TempDir()
	text := strings.Repeat("engine", 10_000)
	registry.publish(t, "engine", "1.0.0", nil, map[string]string{"a.js": text})
	registry.publish(t, "fuel", "1.0.0", nil, map[string]string{"a.js": text})
	set := install(t, openResolver(t, dir, registry.URL), map[string]string{"engine": "*", "fuel": "*"})
	awaitNotes(t, dir)

	contents, err := filepath.Glob(filepath.Join(dir, "content", "*"))
	if err != nil || len(contents) != 2 {
		t.Fatalf("got %q, %v, want two contents", contents, err)
	}
	torn, sound := contents[0], contents[1]
	tear(t, torn)
	tell := func(boot string) {
		note, err := json.Marshal(map[string]any{"boot": boot, "contents": []string{filepath.Base(torn)}})
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "unsynced", "note.json"), note, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}

	t.Run("what was written in this run of the machine stays", func(t *testing.T) {
		boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
		if err != nil {
			t.Fatal(err)
		}
		tell(strings.TrimSpace(string(boot)))
		openResolver(t, dir, registry.URL)
		awaitNotes(t, dir)
		if _, err := os.Stat(torn); err != nil {
			t.Errorf("got %v, want the content kept", err)
		}
	})

	t.Run("packages of an earlier one are fetched again, and nothing else", func(t *testing.T) {
		tell("another run")
		before := mtimeOf(t, filepath.Join(sound, "a.js"))
		again := install(t, openResolver(t, dir, registry.URL), map[string]string{"engine": "*", "fuel": "*"})
		if again != set {
			t.Errorf("got the set %v, want %v as before", again, set)
		}
		for _, name := range []string{"engine", "fuel"} {
			found, err := os.ReadFile(filepath.Join(again.Dir, "node_modules", name, "a.js"))
			if err != nil || string(found) != text {
				t.Errorf("got %d bytes of %s, %v, want the whole file", len(found), name, err)
			}
		}
		if after := mtimeOf(t, filepath.Join(sound, "a.js")); after != before {
			t.Error("got the sound content unpacked again, want it kept")
		}
	})

	t.Run("a note that is no note is dropped", func(t *testing.T) {
		if err := os.WriteFile(filepath.Join(dir, "unsynced", "note.json"), []byte("{"), 0o644); err != nil {
			t.Fatal(err)
		}
		openResolver(t, dir, registry.URL)
		if _, err := os.Stat(filepath.Join(dir, "unsynced", "note.json")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v, want no note", err)
		}
	})
}

// awaitNotes waits until all that was written is on the disk.
func awaitNotes(t *testing.T, dir string) {
	t.Helper()
	conformance.Eventually(t, "the end of the notes when all is on the disk", func() bool {
		notes, err := os.ReadDir(filepath.Join(dir, "unsynced"))
		return err == nil && len(notes) == 0
	})
}

// tear empties a file of a content, in all places where it is linked.
func tear(t *testing.T, content string) {
	t.Helper()
	path := filepath.Join(content, "a.js")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
}

func mtimeOf(t *testing.T, path string) time.Time {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}
