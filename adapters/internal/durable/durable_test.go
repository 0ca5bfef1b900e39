package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/core"
)

func TestWriteFileMakesNewFilesOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := WriteFile(path, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, []byte("two"), 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the second time: got %v, want fs.ErrExist", err)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "one" {
		t.Errorf("got %q, %v, want %q", content, err, "one")
	}
	if err := SyncDir(filepath.Dir(path)); err != nil {
		t.Errorf("syncing the directory: got %v, want nil", err)
	}
	if err := SyncDir(path + ".absent"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("syncing what is not there: got %v, want fs.ErrNotExist", err)
	}
}

func TestInParallelDoesEachOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 15, 16, 17, 500} {
		done := make([]atomic.Int32, n)
		InParallel(n, func(i int) { done[i].Add(1) })
		for i := range done {
			if got := done[i].Load(); got != 1 {
				t.Errorf("%d of %d: got it done %d times, want once", i, n, got)
			}
		}
	}
}

func TestRetriedGoesOnAfterASignal(t *testing.T) {
	calls := 0
	err := Retried(func() error {
		calls++
		if calls < 3 {
			return unix.EINTR
		}
		return unix.EIO
	})
	if calls != 3 || !errors.Is(err, unix.EIO) {
		t.Errorf("got %v after %d calls, want the error of the third", err, calls)
	}
}

func TestFaultGivesCodes(t *testing.T) {
	if err := Fault(nil, "file"); err != nil {
		t.Errorf("nil: got %v, want nil", err)
	}
	for _, c := range []struct {
		err  error
		want core.Code
	}{
		{unix.ENOENT, core.CodeNotFound},
		{&fs.PathError{Op: "open", Err: unix.ENOENT}, core.CodeNotFound},
		{unix.ENOSPC, core.CodeUnavailable},
		{unix.EDQUOT, core.CodeUnavailable},
		{unix.EIO, core.CodeUnavailable},
		{fmt.Errorf("wrapped: %w", core.Errorf(core.CodeConflict, "taken")), core.CodeConflict},
	} {
		if got := core.CodeOf(Fault(c.err, "file")); got != c.want {
			t.Errorf("%v: got %q, want %q", c.err, got, c.want)
		}
	}
}
