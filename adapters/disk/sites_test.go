package disk_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sites"
	"github.com/atelierhq/atelier/ports/sites/sitestest"
)

func TestSites(t *testing.T) {
	sitestest.Run(t, func(t *testing.T) sitestest.WatchedStore { return newSites(t, t.TempDir()) })
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
	again := newSites(t, root)
	entries, err := again.List(t.Context(), id)
	if err != nil || len(entries) != 1 || !entries[0].Immutable {
		t.Fatalf("got %+v, %v, want the file that was put", entries, err)
	}
	if content, err := again.Read(t.Context(), id, entries[0]); err != nil || string(content) != "x" {
		t.Errorf("got %q, %v, want what was put", content, err)
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
		"a manifest whose digest leads out": func(place string) error {
			digest := sites.Describe(sites.File{Content: []byte("good")}).Digest
			manifest, err := os.ReadFile(filepath.Join(place, "manifest.json"))
			if err != nil {
				return err
			}
			changed := strings.Replace(string(manifest), digest, "../../"+digest[6:], 1)
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
			entries, err := store.List(t.Context(), id)
			if err == nil {
				_, err = store.Read(t.Context(), id, entries[0])
			}
			if !core.IsCode(err, core.CodeUnavailable) {
				t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
			}
		})
	}
}

// contentsOf lists the shared contents and forms of a store.
func contentsOf(t *testing.T, root string) []string {
	t.Helper()
	var names []string
	for _, part := range []string{"contents", "forms"} {
		entries, err := os.ReadDir(filepath.Join(root, ".atelier", part))
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			names = append(names, part+"/"+entry.Name())
		}
	}
	return names
}

func TestSitesShareContents(t *testing.T) {
	text := sites.File{Path: "vendor.js", Content: []byte(strings.Repeat("react ", 500))}
	put := func(t *testing.T, store *disk.Sites) core.ID {
		t.Helper()
		id := core.NewID()
		if err := store.Put(t.Context(), id, []sites.File{text}); err != nil {
			t.Fatal(err)
		}
		return id
	}

	t.Run("as one file on the disk, which goes with the last deployment", func(t *testing.T) {
		root := t.TempDir()
		store := newSites(t, root)
		first, second := put(t, store), put(t, store)
		a, err := os.Stat(filepath.Join(root, string(first), "files", "vendor.js"))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.Stat(filepath.Join(root, string(second), "files", "vendor.js"))
		if err != nil || !os.SameFile(a, b) {
			t.Errorf("got two files, %v, want one", err)
		}
		if err := store.Pack(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		for i, id := range []core.ID{first, second} {
			if got := contentsOf(t, root); len(got) != 3 {
				t.Errorf("got %v before removal %d, want a content and two forms", got, i)
			}
			if err := store.Remove(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		if got := contentsOf(t, root); len(got) != 0 {
			t.Errorf("got %v, want nothing left", got)
		}
	})

	t.Run("and do not spread a damaged one", func(t *testing.T) {
		root := t.TempDir()
		store := newSites(t, root)
		first := put(t, store)
		if err := os.WriteFile(filepath.Join(root, string(first), "files", "vendor.js"), []byte("evil"), 0o644); err != nil {
			t.Fatal(err)
		}
		second := put(t, store)
		if content, err := store.Read(t.Context(), second, sites.Describe(text)); err != nil || string(content) != string(text.Content) {
			t.Errorf("got %.20q, %v, want the content", content, err)
		}
	})

	t.Run("and make a damaged form anew", func(t *testing.T) {
		root := t.TempDir()
		store := newSites(t, root)
		id := put(t, store)
		if err := store.Pack(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		form := filepath.Join(root, ".atelier", "forms", sites.Describe(text).Digest+".br")
		for _, damaged := range []string{"torn", strings.Repeat("changed ", 20)} {
			if err := os.WriteFile(form, []byte(damaged), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, made, err := store.Packed(t.Context(), id, sites.Describe(text), sites.Brotli); made || err != nil {
				t.Errorf("%.10q: got %v, %v, want no form", damaged, made, err)
			}
		}
		if err := store.Pack(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if got, made, err := store.Packed(t.Context(), id, sites.Describe(text), sites.Brotli); !made || err != nil || len(got) == 0 {
			t.Errorf("got %d bytes, %v, %v, want the form", len(got), made, err)
		}
	})

	t.Run("and lose what crashes left without use, after a while", func(t *testing.T) {
		root := t.TempDir()
		store := newSites(t, root)
		put(t, store)
		store.Close()
		old := time.Now().Add(-2 * time.Hour)
		for name, at := range map[string]time.Time{strings.Repeat("a", 64): old, strings.Repeat("b", 64): time.Now()} {
			path := filepath.Join(root, ".atelier", "contents", name)
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
		}
		newSites(t, root)
		if got := contentsOf(t, root); len(got) != 2 {
			t.Errorf("got %v, want the deployment's and the new one", got)
		}
	})
}

func TestSitesWithoutTheirDiskAreNotMissing(t *testing.T) {
	root := filepath.Join(t.TempDir(), "sites")
	store := newSites(t, root)
	if err := os.Rename(root, root+"-away"); err != nil {
		t.Fatal(err)
	}
	if _, err := store.List(t.Context(), core.NewID()); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
	}
}
