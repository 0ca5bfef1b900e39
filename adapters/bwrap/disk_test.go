package bwrap_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/ports/sandbox"
)

// TestWhatOthersWriteEndsNoCommand fills the disk beside a command, which waits for the end
// of that and then long enough to be looked at.
func TestWhatOthersWriteEndsNoCommand(t *testing.T) {
	for _, mode := range []bwrap.Mode{bwrap.ModeBwrap, bwrap.ModeUnsafe} {
		p := newPlace(t)
		project := p.project()
		runner := p.runner(mode, func(c *bwrap.Config) { c.Limits.DiskBytes = 16 << 20 })
		ready := filepath.Join(p.dir(project), "ready")
		if err := unix.Mkfifo(ready, 0o600); err != nil {
			t.Fatal(err)
		}
		go func() {
			running, err := os.OpenFile(ready, os.O_WRONLY, 0)
			if err != nil {
				t.Error(err)
				return
			}
			defer running.Close()
			if err := os.WriteFile(filepath.Join(t.TempDir(), "large"), make([]byte, 64<<20), 0o600); err != nil {
				t.Error(err)
			}
		}()
		got, err := runner.Run(t.Context(), project, sandbox.Command{Line: "cat ready; sleep 0.5; echo done"})
		if err != nil || got.Ended != "" || got.Output != "done\n" {
			t.Errorf("%s: got %+v, %v, want it to end by itself", mode, got, err)
		}
	}
}

// disk is a disk whose free space shrinks.
type disk struct{ free int64 }

func (d *disk) room(string) (int64, error) { return d.free, nil }

func TestOnlyItsOwnFilesAreHeldAgainstACommand(t *testing.T) {
	const most = 1 << 20
	dir, full := t.TempDir(), &disk{free: 100 << 20}
	write(t, filepath.Join(dir, "before"), 2*most)
	// An older file counts as soon as its record changes, so keep its time apart.
	use := bwrap.NewDiskUse(most, full.room, dir)
	if err := use.BeginAfter(filepath.Join(dir, "before")); err != nil {
		t.Fatal(err)
	}
	exceeds := func(want bool, what string) {
		t.Helper()
		if got := use.Exceeded(t.Context(), os.Getpid()); got != want {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	full.free -= 10 << 20
	exceeds(false, "what others wrote")
	write(t, filepath.Join(dir, "own"), most*3/4)
	full.free -= most * 3 / 4
	exceeds(false, "less than the bound")
	held, err := os.OpenFile(filepath.Join(dir, "held"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	write(t, held.Name(), most*3/4)
	if err := os.Remove(held.Name()); err != nil {
		t.Fatal(err)
	}
	full.free -= most * 3 / 4
	exceeds(true, "with a file that it holds though it is removed")
	held.Close()
	full.free -= 10 << 20
	exceeds(false, "with the file gone")
	mapped, err := os.Create(filepath.Join(dir, "mapped"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, mapped.Name(), most*3/4)
	pages, err := unix.Mmap(int(mapped.Fd()), 0, most*3/4, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	mapped.Close()
	if err := os.Remove(mapped.Name()); err != nil {
		t.Fatal(err)
	}
	full.free -= 10 << 20
	exceeds(true, "with a file that is only mapped")
	if err := unix.Munmap(pages); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "more"), most)
	full.free -= 2 * most
	exceeds(true, "more than the bound")
}

func TestNothingIsAddedUpOnADiskThatIsNearlyFull(t *testing.T) {
	full := &disk{free: 3 << 20}
	use := bwrap.NewDiskUse(1<<20, full.room, t.TempDir())
	full.free = 1<<20 - 1
	if !use.Exceeded(t.Context(), os.Getpid()) {
		t.Error("got a command that goes on, want it ended")
	}
}

func write(t *testing.T, name string, size int) {
	t.Helper()
	if err := os.WriteFile(name, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
}
