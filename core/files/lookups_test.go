package files_test

import (
	"context"
	"io"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
)

// TestAListShowsEditsThatItHadSaved changes the files after the list has read their
// state, as rooms do when they save.
func TestAListShowsEditsThatItHadSaved(t *testing.T) {
	f := newFixture(t)
	before, err := f.service.List(f.ctx, f.member, f.project)
	f.must(err)
	saved := int64(0)
	withdraw, err := f.deps.Unsaved.Keep(f.ctx, f.project, func(ctx context.Context) error {
		saved++
		return f.pipeline.Amend(ctx, f.project, core.Author{Kind: core.AuthorUser}, func(context.Context, files.Snapshot) ([]core.FileChange, error) {
			return []core.FileChange{{Op: core.OpWrite, Path: core.MustPath("typed.txt"), Content: make([]byte, saved)}}, nil
		}, nil)
	})
	f.must(err)
	defer withdraw()
	for range 3 {
		listing, err := f.service.List(f.ctx, f.member, f.project)
		f.must(err)
		if got := listing.Entries[len(listing.Entries)-1]; got.Path.String() != "typed.txt" || got.Size != saved || len(listing.Entries) != len(before.Entries)+1 {
			t.Fatalf("got %+v last of %d, want typed.txt with %d bytes", got, len(listing.Entries), saved)
		}
	}
}

// TestWhatHasNotChangedIsListedAndReadWithOneLookUp counts in one process; where others
// change the files too, it takes one more.
func TestWhatHasNotChangedIsListedAndReadWithOneLookUp(t *testing.T) {
	for exclusive, want := range map[core.SoleProcess]int{true: 1, false: 2} {
		f := newFixture(t)
		store := newCountingStore(f.deps.Store)
		f.deps.Store, f.deps.Exclusive = store, exclusive
		f.restart()
		_, err := f.service.List(f.ctx, f.member, f.project)
		f.must(err)
		before := store.lookUps()
		_, err = f.service.List(f.ctx, f.member, f.project)
		f.must(err)
		if count := store.lookUps() - before; count != want {
			t.Errorf("exclusive %v: got %d look-ups, want %d", exclusive, count, want)
		}
		before = store.lookUps()
		file, err := f.service.Read(f.ctx, f.member, core.FileAt{Project: f.project, Path: core.MustPath("README.md")})
		f.must(err)
		content, err := io.ReadAll(file)
		f.must(err)
		f.must(file.Close())
		if count := store.lookUps() - before; string(content) != "hello" || count != 0 {
			t.Errorf("exclusive %v: got %q with %d look-ups of the files, want none", exclusive, content, count)
		}
	}
}

// TestAWriteTakesThreeTrips counts the round trips for the write of one file: the gate
// before the content comes, the gate under the lock, and the change. The first write of a process
// also asks for the project's quota, and later ones only every ten minutes.
func TestAWriteTakesThreeTrips(t *testing.T) {
	f := newFixture(t)
	store := newCountingStore(f.deps.Store)
	f.deps.Store = store
	f.restart()
	_, err := f.service.List(f.ctx, f.member, f.project)
	f.must(err)
	at := core.FileAt{Project: f.project, Path: core.MustPath("new.txt")}
	_, err = f.service.Write(f.ctx, f.member, at, func() ([]byte, error) { return []byte("measured"), nil }, nil)
	f.must(err)
	for i, content := range []string{"first", "second", "third"} {
		before := store.trips()
		_, err := f.service.Write(f.ctx, f.member, at, func() ([]byte, error) { return []byte(content), nil }, nil)
		f.must(err)
		if got := store.trips() - before; got != 3 {
			t.Errorf("write %d: got %d trips, want 3", i, got)
		}
	}
	before := store.trips()
	listing, err := f.service.List(f.ctx, f.member, f.project)
	f.must(err)
	if got := store.trips() - before; got != 1 || len(listing.Entries) != 3 {
		t.Errorf("got %d trips for a list of %d after the writes, want 1 for 3", got, len(listing.Entries))
	}
}
