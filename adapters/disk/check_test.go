package disk

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/core"
)

// TestAFolderThatTakesNothingIsNotReady makes the folder itself read-only and leaves the
// service's own folder in it writable, as a wrong owner does.
func TestAFolderThatTakesNothingIsNotReady(t *testing.T) {
	trees, err := NewTrees(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	store, err := NewSites(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = trees.Close(), store.Close() })
	for name, c := range map[string]struct {
		root  string
		check func(context.Context) error
	}{"projects": {trees.root, trees.Check}, "sites": {store.root, store.Check}} {
		t.Run(name, func(t *testing.T) {
			asOrdinaryUser(t, func() {
				if err := c.check(t.Context()); err != nil {
					t.Errorf("got %v, want nil", err)
				}
				if err := os.Chmod(c.root, 0o500); err != nil {
					t.Error(err)
				}
				if err := c.check(t.Context()); !core.IsCode(err, core.CodeUnavailable) {
					t.Errorf("read-only: got %v, want code %s", err, core.CodeUnavailable)
				}
				if err := os.Chmod(c.root, 0o700); err != nil {
					t.Error(err)
				}
				if err := c.check(t.Context()); err != nil {
					t.Errorf("mended: got %v, want nil", err)
				}
			})
			if left, err := filepath.Glob(filepath.Join(c.root, ".probe*")); err != nil || len(left) > 0 {
				t.Errorf("got %v, %v, want nothing left behind", left, err)
			}
		})
	}
}

// asOrdinaryUser does work without the right of root to pass over modes. The thread that
// gave it up ends with the goroutine.
func asOrdinaryUser(t *testing.T, work func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var none [2]unix.CapUserData
		if err := unix.Capset(&header, &none[0]); err != nil {
			t.Error(err)
			return
		}
		work()
	}()
	<-done
}
