package disk_test

import (
	"os"
	"testing"

	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/locks/lockstest"
)

func TestLocks(t *testing.T) {
	lockstest.Run(t, func(t *testing.T) (here, there locks.Locker) {
		dir := t.TempDir()
		return newLocks(t, dir), newLocks(t, dir)
	})
}

func TestLocksLeaveNoFiles(t *testing.T) {
	dir := t.TempDir()
	_, unlock, err := newLocks(t, dir).Lock(t.Context(), core.NewID())
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v, want nothing", left, err)
	}
}

func newLocks(t *testing.T, dir string) *disk.Locks {
	t.Helper()
	opened, err := disk.NewLocks(dir, memory.NewLocks())
	if err != nil {
		t.Fatal(err)
	}
	return opened
}
