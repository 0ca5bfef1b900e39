package walship_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/walship"
)

func TestWhatIsShippedIsThere(t *testing.T) {
	dir := newDurable(t)
	holds(t, dir)
	d := open(t, dir)
	is(t, d.Ship(), nil) // nothing
	d.keep(t, "a")
	holds(t, dir, "a")
	d.put(t, "b")
	d.keep(t, "c")
	is(t, d.Ship(), nil) // nothing more
	holds(t, dir, "a", "b", "c")
	d.put(t, "d")
	holds(t, dir, "a", "b", "c") // nobody was told of d
	if got := segments(t, dir); !slices.Equal(got, []string{"wal-1"}) {
		t.Errorf("got the segments %v, want one", got)
	}
}

func TestATransactionUnderWayIsNotShipped(t *testing.T) {
	dir := newDurable(t)
	d := open(t, dir)
	d.keep(t, "a")
	// SQLite writes a part of the transaction to its log before the end, because it has no room.
	exec(t, d.db, "PRAGMA cache_size = 10")
	exec(t, d.db, "BEGIN")
	d.put(t, strings.Repeat("b", 1<<16))
	before := contentOf(t, filepath.Join(dir, "wal-1"))
	is(t, d.Ship(), nil)
	if info, err := os.Stat(d.path + "-wal"); err != nil || info.Size() <= int64(len(before)) {
		t.Fatalf("got %v and %v, want a log with a part of the transaction", info, err)
	}
	if after := contentOf(t, filepath.Join(dir, "wal-1")); len(after) != len(before) {
		t.Errorf("a segment of %d bytes has %d, want the same", len(before), len(after))
	}
	exec(t, d.db, "ROLLBACK")
	d.keep(t, "c") // over what was rolled back
	holds(t, dir, "a", "c")
}

func TestSegmentsFollowEachOther(t *testing.T) {
	dir := newDurable(t)
	d := open(t, dir)
	d.rotate(t) // nothing to rotate
	d.keep(t, "a")
	d.put(t, "b")
	d.rotate(t)
	holds(t, dir, "a", "b")
	d.rotate(t)
	d.keep(t, "c")
	exec(t, d.db, "DELETE FROM notes WHERE text = 'a'")
	exec(t, d.db, "VACUUM")
	d.rotate(t)
	d.keep(t, "d")
	if got := segments(t, dir); !slices.Equal(got, []string{"wal-1", "wal-2", "wal-3"}) {
		t.Errorf("got the segments %v, want three", got)
	}
	holds(t, dir, "b", "c", "d")
	next := open(t, dir)
	next.wants(t, "b", "c", "d")
	if got := segments(t, dir); got != nil {
		t.Errorf("got the segments %v, want a base that has all", got)
	}
	next.keep(t, "e")
	holds(t, dir, "b", "c", "d", "e")
}

// TestAReaderKeepsTheLog has a checkpoint that cannot begin the log anew.
func TestAReaderKeepsTheLog(t *testing.T) {
	dir := newDurable(t)
	d := open(t, dir)
	d.keep(t, "a")
	exec(t, connect(t, d.path), "SELECT 1")
	reader := connect(t, d.path)
	exec(t, reader, "BEGIN")
	var notes int
	if err := reader.QueryRowContext(t.Context(), "SELECT count(*) FROM notes").Scan(&notes); err != nil {
		t.Fatal(err)
	}
	d.put(t, "b")
	d.rotate(t)
	d.keep(t, "c")
	holds(t, dir, "a", "b", "c")
	exec(t, reader, "COMMIT")
	d.rotate(t)
	d.keep(t, "d")
	holds(t, dir, "a", "b", "c", "d")
	if got := segments(t, dir); !slices.Equal(got, []string{"wal-1", "wal-2"}) {
		t.Errorf("got the segments %v, want two", got)
	}
}

func TestALogThatBeginsAnewBeforeItIsShippedEndsShipping(t *testing.T) {
	d := open(t, newDurable(t))
	d.keep(t, "a")
	d.put(t, "b")
	is(t, d.checkpoint(), nil) // by somebody who must not
	d.put(t, "c")
	if err := d.Ship(); err == nil || d.Failed() == nil {
		t.Errorf("got %v, want an error that stays", err)
	}
	if err := d.Rotate(func() error { t.Error("a log that failed makes a checkpoint"); return nil }); err == nil {
		t.Error("got no error of a log that failed")
	}
}

func TestSegmentsBecomeTheBase(t *testing.T) {
	dir := newDurable(t)
	d := open(t, dir)
	for _, letter := range []string{"a", "b", "c"} {
		d.keep(t, letter+strings.Repeat("x", walship.CompactBytes/3))
		if letter < "c" {
			d.rotate(t)
		}
	}
	before := copied(t, dir)
	if got := segments(t, before); !slices.Equal(got, []string{"wal-1", "wal-2", "wal-3"}) {
		t.Fatalf("got the segments %v, want three", got)
	}
	if !d.Due() {
		t.Error("a long log is not due")
	}
	d.rotate(t)
	if got := segments(t, dir); got != nil {
		t.Errorf("got the segments %v, want a base that has all", got)
	}
	base := copied(t, dir)
	d.keep(t, "d")
	holds(t, dir, "a", "b", "c", "d")
	t.Run("crash", func(t *testing.T) { survivesReplacing(t, before, base) })
}

// survivesReplacing opens what every crash leaves between the replacing of a base and the removal
// of the last log that it has.
func survivesReplacing(t *testing.T, before, after string) {
	t.Helper()
	left := segments(t, before)
	for removed := range len(left) + 1 {
		dir := copied(t, after)
		for _, name := range left[removed:] {
			write(t, filepath.Join(dir, name), contentOf(t, filepath.Join(before, name)))
		}
		write(t, filepath.Join(dir, "data.db.new"), []byte("half of it"))
		d := open(t, dir)
		d.wants(t, "a", "b", "c")
		d.keep(t, "d")
		holds(t, dir, "a", "b", "c", "d")
	}
}

func TestOpeningSurvivesACrash(t *testing.T) {
	dir := newDurable(t)
	d := open(t, dir)
	d.keep(t, "a")
	d.rotate(t)
	d.keep(t, "b")
	exec(t, d.db, "UPDATE notes SET text = 'c' WHERE text = 'a'")
	exec(t, d.db, "UPDATE notes SET text = 'a' WHERE text = 'c'")
	d.rotate(t)
	d.keep(t, "c")
	before := copied(t, dir)
	next := open(t, dir)
	next.wants(t, "a", "b", "c")
	survivesReplacing(t, before, dir)
}

// TestALogBesideTheBaseIsApplied opens the directory of a service that was alone, and was killed.
func TestALogBesideTheBaseIsApplied(t *testing.T) {
	dir := newDurable(t)
	alone := &database{path: filepath.Join(dir, "data.db"), db: connect(t, filepath.Join(dir, "data.db"))}
	alone.put(t, "a")
	alone.put(t, "b")
	killed := copied(t, dir)
	if len(contentOf(t, filepath.Join(killed, "data.db-wal"))) == 0 {
		t.Fatal("got no log beside the base")
	}
	d := open(t, killed)
	d.wants(t, "a", "b")
	if _, err := os.Stat(filepath.Join(killed, "data.db-wal")); err == nil {
		t.Error("the log beside the base is still there")
	}
	d.keep(t, "c")
	holds(t, killed, "a", "b", "c")
}

func TestAnEarlierOpenerIsFenced(t *testing.T) {
	for name, changes := range map[string]func(*testing.T, *database){
		"in a segment":       func(*testing.T, *database) {},
		"between segments":   func(t *testing.T, d *database) { d.rotate(t) },
		"in a later segment": func(t *testing.T, d *database) { d.rotate(t); d.keep(t, "b"); d.keep(t, "b") },
	} {
		t.Run(name, func(t *testing.T) {
			dir := newDurable(t)
			stale := open(t, dir)
			stale.keep(t, "a")
			changes(t, stale)
			// The next holder gives the directory another name, as the engine does.
			renamed := filepath.Join(t.TempDir(), "4")
			if err := os.Rename(dir, renamed); err != nil {
				t.Fatal(err)
			}
			next := open(t, renamed)
			next.keep(t, "n")
			found := copied(t, renamed)
			stale.put(t, "late")
			if err := stale.Ship(); err == nil {
				t.Error("the earlier opener shipped")
			}
			stale.put(t, "later")
			if err := stale.Rotate(stale.checkpoint); err == nil {
				t.Error("the earlier opener rotated")
			}
			if !slices.Equal(segments(t, renamed), segments(t, found)) {
				t.Error("the earlier opener changed the directory")
			}
			next.keep(t, "o")
		})
	}
}

// TestReplacedSegmentsFence has an earlier opener that knows the directory by its present name.
func TestReplacedSegmentsFence(t *testing.T) {
	dir := newDurable(t)
	stale := open(t, dir)
	stale.keep(t, "a")
	next := open(t, dir)
	stale.put(t, "late")
	is(t, stale.Ship(), walship.ErrFenced)
	next.keep(t, "n") // a segment of the same name
	is(t, stale.Ship(), walship.ErrFenced)
	holds(t, dir, "a", "n")

	stale = next
	next = open(t, dir)
	next.keep(t, "o")
	stale.put(t, "late")
	is(t, stale.Ship(), walship.ErrFenced)
	holds(t, dir, "a", "n", "o")
}

func TestForeignFilesStay(t *testing.T) {
	dir := newDurable(t)
	d := open(t, dir)
	d.keep(t, "a")
	foreign := []string{"wal-", "wal-x", "wal-01", "wal-+1", "wal--1", "wal-0", "wal-1.tmp", "wal-99999999999999999999", ".nfs0001", "notes"}
	for _, name := range foreign {
		write(t, filepath.Join(dir, name), []byte("foreign"))
	}
	if err := os.Mkdir(filepath.Join(dir, "wal-7"), 0o700); err != nil {
		t.Fatal(err)
	}
	next := open(t, dir)
	next.wants(t, "a")
	next.keep(t, "b")
	for _, name := range foreign {
		if content := contentOf(t, filepath.Join(dir, name)); string(content) != "foreign" {
			t.Errorf("the file %s has %q by now", name, content)
		}
	}
	holds(t, dir, "a", "b")
}

func TestADirectoryWithoutABaseIsRefused(t *testing.T) {
	dir := t.TempDir()
	if _, err := walship.Open(dir, filepath.Join(t.TempDir(), "data.db")); err == nil {
		t.Error("got a database of nothing")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("got %v and %v, want an empty directory", entries, err)
	}
}

func TestAClosedLogShipsNothing(t *testing.T) {
	d := open(t, newDurable(t))
	d.keep(t, "a")
	is(t, d.Close(), nil)
	is(t, d.Ship(), os.ErrClosed)
	is(t, d.Close(), nil)
}
