package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// sources is where the studio is, from here.
const sources = "../../../adapters/studio"

// TestBuildingAgainGivesTheSameBytes takes the packages from the public registry, as
// the lock beside the sources names them.
func TestBuildingAgainGivesTheSameBytes(t *testing.T) {
	shop, err := newWorkshop(sources, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	made, err := shop.build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	carried := carried(t)
	for _, file := range made {
		if got, kept := carried[file.Path]; !kept {
			t.Errorf("%s: got it built and not in dist: run `make studio`", file.Path)
		} else if !bytes.Equal(got, file.Content) {
			t.Errorf("%s: got other bytes than in dist: run `make studio`", file.Path)
		}
		delete(carried, file.Path)
	}
	for name := range carried {
		t.Errorf("%s: got it in dist and not built: run `make studio`", name)
	}
	checkNotices(t, shop)
	locks, err := os.ReadDir(filepath.Join(shop.store, "locks"))
	if err != nil || len(locks) != 1 {
		t.Errorf("got %d locks, %v, want the one beside the sources: run `make studio`", len(locks), err)
	}
}

// checkNotices compares the embedded licences with the packages in the program.
func checkNotices(t *testing.T, shop *workshop) {
	t.Helper()
	set, err := shop.install(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want, err := notices(set.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := os.ReadFile(filepath.Join(sources, noticesFile)); err != nil || !bytes.Equal(kept, want) {
		t.Errorf("%s: got others than those of the packages, %v: run `make studio`", noticesFile, err)
	}
	for _, name := range []string{"lucide ", "preact ", "yjs ", "@codemirror/view ", "style-mod "} {
		if !bytes.Contains(want, []byte("\n"+name)) {
			t.Errorf("got no notice of %s", name)
		}
	}
}

// carried reads the embedded files.
func carried(t *testing.T) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	root := os.DirFS(filepath.Join(sources, "dist"))
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files[name], err = fs.ReadFile(root, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
