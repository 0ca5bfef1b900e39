package nats

import (
	"context"
	"errors"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/unsaved/unsavedtest"
)

func TestUnsaved(t *testing.T) {
	unsavedtest.Run(t, func(t *testing.T) (here, there unsavedtest.End) {
		claimed := new(claims)
		both := endsWith(t, 2, claimed)
		return unsavedtest.End{Registry: both[0].Unsaved(), Claim: claimed.claim}, unsavedtest.End{Registry: both[1].Unsaved(), Claim: claimed.claim}
	})
}

// keep keeps edits as a room does, which claims first.
func keep(t testing.TB, conn *Conn, claimed *claims, project core.ID, saves *atomic.Int32) (withdraw func()) {
	t.Helper()
	claimed.claim(project, conn.Unsaved().Owner())
	withdraw, err := conn.Unsaved().Keep(t.Context(), project, func(context.Context) error { saves.Add(1); return nil })
	if err != nil {
		t.Fatalf("keep: %v", err)
	}
	return withdraw
}

func TestAKeeperThatIsCutOffSavesAndIsAskedWhenItIsBack(t *testing.T) {
	t.Parallel()
	server, project, claimed := newServer(t), core.NewID(), new(claims)
	network := newPipe(t, server.host)
	away, reader := connect(t, Config{URL: network.url(), OwnerOf: claimed.ownerOf}), connect(t, Config{URL: server.url(), OwnerOf: claimed.ownerOf})
	var saves atomic.Int32
	defer keep(t, away, claimed, project, &saves)()
	network.setCut(true)
	eventually(t, "the edits are not saved when the connection is lost", func() bool { return saves.Load() > 0 })
	if _, err := away.Unsaved().Keep(t.Context(), core.NewID(), nil); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("keeping where nobody can ask: got %v, want code %s", err, core.CodeUnavailable)
	}
	eventually(t, "the server still counts on who is cut off", func() bool { return reader.Unsaved().Save(t.Context(), project) == nil })
	network.setCut(false)
	eventually(t, "a keeper that is back is not asked", func() bool {
		before := saves.Load()
		return reader.Unsaved().Save(t.Context(), project) == nil && saves.Load() > before
	})
}

func TestAnOwnerThatIsGoneHoldsNobodyUp(t *testing.T) {
	claimed, project := new(claims), core.NewID()
	both := endsWith(t, 2, claimed)
	var saves atomic.Int32
	keep(t, both[0], claimed, project, &saves)
	both[0].Close() // Without withdrawing, as a crash does.
	eventually(t, "who is gone is waited for", func() bool { return both[1].Unsaved().Save(t.Context(), project) == nil })
	if saves.Load() != 0 {
		t.Errorf("got %d saves, want nobody asked", saves.Load())
	}
}

func TestAnOwnerThatCannotBeFoundOutIsNotPassedOver(t *testing.T) {
	conn := connect(t, Config{URL: sharedServer(t), OwnerOf: func(context.Context, core.ID) (core.ID, error) {
		return "", errors.New("the database is away")
	}})
	if err := conn.Unsaved().Save(t.Context(), core.NewID()); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
	}
}

func TestAStoppedOwnerHoldsReadersUpForAsLongAsItsClaimLasts(t *testing.T) {
	t.Parallel()
	project, prefix, claimed := core.NewID(), "test-"+string(core.NewID()), new(claims)
	config := Config{URL: sharedServer(t), Prefix: prefix, OwnerOf: claimed.ownerOf}
	reader, next := connect(t, config), connect(t, config)
	process, owner := startKeeper(t, prefix, project)
	claimed.claim(project, owner)
	save := func() error {
		return mustEnd(t, "save", func() error { return reader.Unsaved().Save(t.Context(), project) })
	}
	if err := save(); err != nil {
		t.Fatalf("an owner that lives: got %v, want nil", err)
	}
	process.signal(syscall.SIGSTOP)
	if err := save(); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("while the claim lasts: got %v, want code %s", err, core.CodeUnavailable)
	}
	claimed.claim(project, "")
	for range 50 {
		if err := save(); err != nil {
			t.Fatalf("without a claim: got %v, want nil", err)
		}
	}
	var saves atomic.Int32
	withdraw := keep(t, next, claimed, project, &saves)
	if err := save(); err != nil || saves.Load() != 1 {
		t.Errorf("with the next owner: got %v and %d saves, want one", err, saves.Load())
	}
	withdraw()
	process.signal(syscall.SIGCONT)
	claimed.claim(project, owner)
	eventually(t, "an owner that goes on is not asked", func() bool { return save() == nil })
	process.kill()
	eventually(t, "an owner that is gone is waited for", func() bool { return save() == nil })
}

// TestReadersOfOneProjectDoNotWaitForAnothers reads a project beside one whose owner hangs.
func TestReadersOfOneProjectDoNotWaitForAnothers(t *testing.T) {
	claimed, stuck, free := new(claims), core.NewID(), core.NewID()
	both := endsWith(t, 2, claimed)
	release, begun := make(chan struct{}), make(chan struct{})
	claimed.claim(stuck, both[0].Unsaved().Owner())
	withdraw, err := both[0].Unsaved().Keep(t.Context(), stuck, func(context.Context) error { close(begun); <-release; return nil })
	if err != nil {
		t.Fatal(err)
	}
	var saves atomic.Int32
	defer keep(t, both[0], claimed, free, &saves)()
	hung := make(chan error, 1)
	go func() { hung <- both[1].Unsaved().Save(t.Context(), stuck) }()
	<-begun
	if err := both[1].Unsaved().Save(t.Context(), free); err != nil || saves.Load() != 1 {
		t.Errorf("got %v and %d saves, want one while the other project's save hangs", err, saves.Load())
	}
	close(release)
	<-hung
	withdraw()
}

func TestRequestsThatAreNotUnderstoodAreRefused(t *testing.T) {
	both := ends(t, 2)
	for _, body := range []string{`{"v":2,"project":"x"}`, `{`, ``, `{"v":"1"}`} {
		got, err := both[1].nc.Request(both[1].unsaved.keeper(both[0].unsaved.self), []byte(body), conformance.Patience)
		if err != nil || !containsOnce(string(got.Data), `"error"`) {
			t.Errorf("%q: got %v, %v, want an error in the reply", body, got, err)
		}
	}
}

func BenchmarkSaveOfWhatNobodyKeeps(b *testing.B) {
	registry, project := ends(b, 1)[0].Unsaved(), core.NewID()
	for b.Loop() {
		if err := registry.Save(b.Context(), project); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSaveInAnotherProcess(b *testing.B) {
	claimed, project := new(claims), core.NewID()
	both := endsWith(b, 2, claimed)
	var saves atomic.Int32
	defer keep(b, both[1], claimed, project, &saves)()
	for b.Loop() {
		if err := both[0].Unsaved().Save(b.Context(), project); err != nil {
			b.Fatal(err)
		}
	}
}
