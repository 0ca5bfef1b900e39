package disk_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/porttest"
	"github.com/atelierhq/atelier/ports/sites"
)

func TestSites(t *testing.T) {
	porttest.TestSites(t, func(t *testing.T) sites.Store { return newSites(t, t.TempDir()) })
}

func newSites(t *testing.T, root string) *disk.Sites {
	t.Helper()
	store, err := disk.NewSites(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

func TestSitesOutliveTheProcess(t *testing.T) {
	root := t.TempDir()
	first := newSites(t, root)
	id := core.NewID()
	if err := first.Put(t.Context(), id, []sites.File{{Path: "a/b.js", Content: []byte("x"), Immutable: true}}); err != nil {
		t.Fatal(err)
	}
	first.Close()
	files, err := newSites(t, root).Open(t.Context(), id)
	if err != nil || len(files) != 1 || !files[0].Immutable || string(files[0].Content) != "x" {
		t.Errorf("got %+v, %v, want the file that was put", files, err)
	}
}

func TestSitesNoticeDamage(t *testing.T) {
	for name, damage := range map[string]func(place string) error{
		"changed content": func(place string) error {
			return os.WriteFile(filepath.Join(place, "files", "a.html"), []byte("evil"), 0o644)
		},
		"a link in the place of a file": func(place string) error {
			file := filepath.Join(place, "files", "a.html")
			if err := os.Remove(file); err != nil {
				return err
			}
			return os.Symlink("/etc/passwd", file)
		},
		"a missing file":          func(place string) error { return os.Remove(filepath.Join(place, "files", "a.html")) },
		"a manifest that is torn": func(place string) error { return os.Truncate(filepath.Join(place, "manifest.json"), 5) },
		"a manifest that leads out": func(place string) error {
			manifest, err := os.ReadFile(filepath.Join(place, "manifest.json"))
			if err != nil {
				return err
			}
			changed := strings.Replace(string(manifest), "a.html", "../../../etc/passwd", 1)
			return os.WriteFile(filepath.Join(place, "manifest.json"), []byte(changed), 0o644)
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			store := newSites(t, root)
			id := core.NewID()
			if err := store.Put(t.Context(), id, []sites.File{{Path: "a.html", Content: []byte("good")}}); err != nil {
				t.Fatal(err)
			}
			if err := damage(filepath.Join(root, string(id))); err != nil {
				t.Fatal(err)
			}
			if _, err := store.Open(t.Context(), id); !core.IsCode(err, core.CodeUnavailable) {
				t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
			}
		})
	}
}
