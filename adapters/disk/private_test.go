package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sites"
)

// wantMode wants a folder's permissions to be these.
func wantMode(t *testing.T, dir string, want os.FileMode) {
	t.Helper()
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != want {
		t.Errorf("%s: got %v, %v, want %o", dir, info.Mode(), err, want)
	}
}

// openFolder makes a folder that everybody can read, whatever the umask.
func openFolder(t *testing.T, dir string) string {
	t.Helper()
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestOtherUsersCannotReadProjects(t *testing.T) {
	root := openFolder(t, filepath.Join(t.TempDir(), "projects"))
	old, project := core.NewID(), core.NewID()
	openFolder(t, filepath.Join(root, string(old)))
	foreign := openFolder(t, filepath.Join(root, "somebody else's"))
	trees, err := disk.NewTrees(root)
	if err != nil {
		t.Fatal(err)
	}
	defer trees.Close()
	if err := trees.Create(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	wantMode(t, filepath.Join(root, string(project)), 0o700)
	wantMode(t, filepath.Join(root, string(old)), 0o700)
	wantMode(t, filepath.Join(root, ".atelier"), 0o700)
	wantMode(t, foreign, 0o755)
	wantMode(t, root, 0o755)
	if err := trees.Exposed(); err != nil {
		t.Errorf("got %v, want nothing exposed", err)
	}
	openFolder(t, filepath.Join(root, string(old)))
	if err := trees.Exposed(); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v, want the folder named that everybody can read", err)
	}
}

func TestOtherUsersCannotReadSites(t *testing.T) {
	root := openFolder(t, filepath.Join(t.TempDir(), "sites"))
	store, err := disk.NewSites(root)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	deployment := core.NewID()
	if err := store.Put(t.Context(), deployment, []sites.File{{Path: "index.html", Content: []byte("x")}}); err != nil {
		t.Fatal(err)
	}
	wantMode(t, root, 0o700)
	wantMode(t, filepath.Join(root, string(deployment)), 0o700)
	if err := store.Exposed(); err != nil {
		t.Errorf("got %v, want nothing exposed", err)
	}
}

func TestARootThatAGroupSharesStaysTheGroups(t *testing.T) {
	root := filepath.Join(t.TempDir(), "projects")
	for before, want := range map[os.FileMode]os.FileMode{
		0o750: 0o750, 0o755: 0o700, 0o700: 0o700, 0o775 | os.ModeSetgid: 0o770, 0o777 | os.ModeSticky: 0o777,
	} {
		if err := errors.Join(os.RemoveAll(root), os.Mkdir(root, 0o700), os.Chmod(root, before)); err != nil {
			t.Fatal(err)
		}
		trees, err := disk.NewTrees(root)
		if err != nil {
			t.Fatal(err)
		}
		wantMode(t, root, want)
		if err := trees.Close(); err != nil {
			t.Error(err)
		}
	}
}
