package walship_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/walship"
)

// copyOf returns a database that was copied from a durable directory.
func copyOf(t *testing.T, dir fs.FS) *database {
	t.Helper()
	path := filepath.Join(t.TempDir(), "copy.db")
	if err := walship.Copy(dir, path); err != nil {
		t.Fatal(err)
	}
	return &database{nil, path, connect(t, path)}
}

func TestACopyHasWhatWasShipped(t *testing.T) {
	dir := newDurable(t)
	copyOf(t, os.DirFS(dir)).wants(t)
	d := open(t, dir)
	d.keep(t, "a")
	d.rotate(t)
	d.keep(t, "b")
	d.put(t, "c")
	copyOf(t, os.DirFS(dir)).wants(t, "a", "b")
	d.keep(t, "d") // what was copied is still in use
	holds(t, dir, "a", "b", "c", "d")
	if err := walship.Copy(os.DirFS(t.TempDir()), filepath.Join(t.TempDir(), "copy.db")); !os.IsNotExist(err) {
		t.Errorf("got %v of an empty directory, want that there is nothing", err)
	}
}

// listHook calls seen once before its directory is listed.
type listHook struct {
	fs.FS
	seen func()
}

// Open implements fs.FS.
func (l *listHook) Open(name string) (fs.File, error) {
	if seen := l.seen; name == "." && seen != nil {
		l.seen = nil
		seen()
	}
	return l.FS.Open(name)
}

// TestACopyIsOfOneBase has a base that is replaced when it was opened, and its logs were not.
func TestACopyIsOfOneBase(t *testing.T) {
	dir := newDurable(t)
	d := open(t, dir)
	d.keep(t, "a"+strings.Repeat("x", 5000))
	replaced := &listHook{os.DirFS(dir), func() {
		open(t, dir).keep(t, "b"+strings.Repeat("x", 5000))
	}}
	copyOf(t, replaced).wants(t, "a", "b")
	if replaced.seen != nil {
		t.Error("the directory was not listed")
	}
}

// TestCopiesAreOfOneMoment copies a database while it is written to, made the base, and taken over
// by others. No note is deleted, so a copy lacks none before its last.
func TestCopiesAreOfOneMoment(t *testing.T) {
	dir := newDurable(t)
	root, err := os.OpenRoot(dir) // the directory is given other names
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	var kept atomic.Int64
	written, end := context.WithCancel(t.Context())
	copied := make(chan error, 1)
	go func() {
		path := filepath.Join(t.TempDir(), "copy.db")
		var err error
		for last := false; err == nil && !last; {
			last = written.Err() != nil
			err = copyHas(root.FS(), path, kept.Load())
		}
		copied <- err
	}()
	for range 2 {
		next := filepath.Join(t.TempDir(), "next")
		if err := os.Rename(dir, next); err != nil {
			t.Fatal(err)
		}
		dir = next
		d := open(t, dir)
		for range 10 {
			// Notes are so large that the logs become the base, and small later.
			d.keep(t, string(make([]byte, walship.CompactBytes/8)))
			kept.Add(1)
			if d.Due() {
				d.rotate(t)
			}
			exec(t, d.db, "UPDATE notes SET text = '' WHERE rowid < (SELECT max(rowid) FROM notes)")
		}
	}
	end()
	if err := <-copied; err != nil {
		t.Error(err)
	}
}

// copyHas copies a database, and checks that it is whole and has at least so many notes.
func copyHas(dir fs.FS, path string, least int64) error {
	if err := errors.Join(os.RemoveAll(path), os.RemoveAll(path+"-wal"), walship.Copy(dir, path)); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer db.Close()
	var verdict string
	var notes, last int64
	err = errors.Join(
		db.QueryRow("SELECT count(*), coalesce(max(rowid), 0) FROM notes").Scan(&notes, &last),
		db.QueryRow("PRAGMA integrity_check").Scan(&verdict),
	)
	if err == nil && (verdict != "ok" || notes != last || notes < least) {
		err = fmt.Errorf("got %q and %d notes up to %d, want %d or more", verdict, notes, last, least)
	}
	return err
}
