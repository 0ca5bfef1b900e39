package walship_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/walship"
)

// finish closes a database so that it can be opened again without a copy.
func (d *database) finish(t *testing.T) {
	t.Helper()
	if err := d.Finish(d.checkpoint); err != nil {
		t.Fatal(err)
	}
	d.shut(t)
}

func (d *database) shut(t *testing.T) {
	t.Helper()
	if err := d.db.Close(); err != nil {
		t.Fatal(err)
	}
	is(t, d.Close(), nil)
}

// resume opens a database as it was left; nil if it has to be copied.
func resume(t *testing.T, dir, path string) *database {
	t.Helper()
	log := walship.Resume(dir, path)
	if log == nil {
		return nil
	}
	t.Cleanup(func() { _ = log.Close() })
	return &database{log, path, connect(t, path)}
}

func TestAClosedDatabaseIsNotCopied(t *testing.T) {
	dir := newDurable(t)
	base, err := os.Stat(filepath.Join(dir, "data.db"))
	if err != nil {
		t.Fatal(err)
	}
	d := open(t, dir)
	d.keep(t, "a")
	d.put(t, "b") // which Finish ships
	d.finish(t)
	for _, letter := range []string{"c", "d"} {
		d = resume(t, dir, d.path)
		if d == nil {
			t.Fatal("a database that was closed is copied")
		}
		d.keep(t, letter)
		d.finish(t)
	}
	d = resume(t, dir, d.path)
	d.wants(t, "a", "b", "c", "d") // nothing is written
	d.finish(t)
	after, err := os.Stat(filepath.Join(dir, "data.db"))
	if err != nil || !os.SameFile(base, after) {
		t.Errorf("got another base (%v), want the first", err)
	}
	if got := segments(t, dir); !slices.Equal(got, []string{"wal-1", "wal-2", "wal-3"}) {
		t.Errorf("got the segments %v, want three", got)
	}
	holds(t, dir, "a", "b", "c", "d")

	d = resume(t, dir, d.path)
	d.keep(t, "e"+strings.Repeat("x", walship.CompactBytes))
	d.rotate(t)
	if got := segments(t, dir); got != nil {
		t.Errorf("got the segments %v, want a base that has all", got)
	}
	d.finish(t)
	resume(t, dir, d.path).wants(t, "a", "b", "c", "d", "e")
}

func TestADatabaseIsCopiedUnlessItIsAsShipped(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, dir string, d *database){
		"another has opened it": func(t *testing.T, dir string, _ *database) { open(t, dir) },
		"another has written to it": func(t *testing.T, dir string, _ *database) {
			open(t, dir).keep(t, "x")
		},
		"it is in use":     func(t *testing.T, dir string, d *database) { resume(t, dir, d.path).put(t, "x") },
		"a damaged note":   func(t *testing.T, _ string, d *database) { write(t, d.path+".shipped", []byte("{")) },
		"another database": func(t *testing.T, dir string, _ *database) { write(t, filepath.Join(dir, "data.db"), []byte("x")) },
		"a longer log":     func(t *testing.T, dir string, _ *database) { write(t, filepath.Join(dir, "wal-1"), []byte("x")) },
		"another log":      func(t *testing.T, dir string, _ *database) { write(t, filepath.Join(dir, "wal-2"), []byte("x")) },
		"a log of its own": func(t *testing.T, _ string, d *database) { write(t, d.path+"-wal", []byte("x")) },
		"no directory": func(t *testing.T, dir string, _ *database) {
			if err := os.Rename(dir, filepath.Join(t.TempDir(), "2")); err != nil {
				t.Fatal(err)
			}
		},
		"many logs": func(t *testing.T, dir string, d *database) {
			for range walship.MaxKeptLogs {
				d = resume(t, dir, d.path)
				d.keep(t, "y")
				d.finish(t)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newDurable(t)
			d := open(t, dir)
			d.keep(t, "a")
			d.finish(t)
			change(t, dir, d)
			if resume(t, dir, d.path) != nil {
				t.Error("the database is used as it is")
			}
		})
	}
}

// TestAFencedDatabaseIsNotKept has a holder that another has followed when it closes the database.
func TestAFencedDatabaseIsNotKept(t *testing.T) {
	dir := newDurable(t)
	d := open(t, dir)
	d.keep(t, "a")
	open(t, dir)
	if err := d.Finish(d.checkpoint); err == nil {
		t.Error("the earlier opener notes what it has")
	}
	d.shut(t)
	if resume(t, dir, d.path) != nil {
		t.Error("the database is used as it is")
	}
}

// TestAReaderKeepsTheDatabaseFromBeingKept has a checkpoint that leaves something in the log.
func TestAReaderKeepsTheDatabaseFromBeingKept(t *testing.T) {
	dir := newDurable(t)
	d := open(t, dir)
	d.keep(t, "a")
	reader := connect(t, d.path)
	exec(t, reader, "BEGIN")
	var notes int
	if err := reader.QueryRowContext(t.Context(), "SELECT count(*) FROM notes").Scan(&notes); err != nil {
		t.Fatal(err)
	}
	d.put(t, "b")
	if err := d.Finish(d.checkpoint); err == nil {
		t.Error("a log with something in it is noted as shipped")
	}
}
