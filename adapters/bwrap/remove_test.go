package bwrap

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// nobody is a user without rights.
const nobody = 65534

// asNobody runs a function that sees the disk as a user without rights does, in a
// directory of that user.
func asNobody(t *testing.T, run func(dir string)) {
	t.Helper()
	dir, err := os.MkdirTemp("", "bwrap-nobody-*") //nolint:usetesting // that user cannot enter what t.TempDir makes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if os.Geteuid() != 0 {
		run(dir)
		return
	}
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	// The thread's changed identity is its own. The thread ends with its goroutine.
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		_ = unix.Setfsuid(nobody)
		run(dir)
	}()
	<-done
}

func TestDirectoriesWithoutRightsAreRemoved(t *testing.T) {
	asNobody(t, func(dir string) {
		outside := filepath.Join(dir, "outside")
		tree := filepath.Join(dir, "tree")
		for _, path := range []string{outside, tree, filepath.Join(tree, "a"), filepath.Join(tree, "a", "b")} {
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Error(err)
			}
		}
		err := errors.Join(
			os.WriteFile(filepath.Join(tree, "a", "b", "x"), nil, 0o000), os.Symlink(outside, filepath.Join(tree, "link")),
			os.Chmod(outside, 0o555), os.Chmod(filepath.Join(tree, "a", "b"), 0o000), os.Chmod(filepath.Join(tree, "a"), 0o000), os.Chmod(tree, 0o500),
		)
		if err != nil {
			t.Error(err)
		}
		if err := os.RemoveAll(tree); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("got %v without more ado, want it refused", err)
		}
		if err := removeAll(tree); err != nil {
			t.Errorf("got %v, want it removed", err)
		}
		if _, err := os.Lstat(tree); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v, want nothing there", err)
		}
		if info, err := os.Stat(outside); err != nil || info.Mode().Perm() != 0o555 {
			t.Errorf("got %v, %v, want what a link leads to as it was", info.Mode(), err)
		}
	})
}
