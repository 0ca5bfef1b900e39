// Package unsavedtest tests an unsaved.Registry against its port.
package unsavedtest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/unsaved"
)

// End is one process's end of a registry.
type End struct {
	unsaved.Registry
	// Claim makes a process the owner of a project's room, and "" nobody.
	Claim func(project, owner core.ID)
}

// Run tests an unsaved.Registry against its contract. open returns two ends of
// one registry, as two processes have them; where there is only one process, the
// same registry twice.
func Run(t *testing.T, open func(t *testing.T) (here, there End)) {
	clauses := []struct {
		name  string
		check func(t *testing.T, here, there End)
	}{
		{"saving what nobody keeps works", byNobody},
		{"a process has one name, and no other has it", hasAnOwner},
		{"edits are on the disk when saving returns, in whichever process they were kept", isSaved},
		{"all who keep edits of the project in a process save them", byMany},
		{"keepers of other projects are not asked", separatesProjects},
		{"who has withdrawn is not asked, and may keep again", ends},
		{"withdrawing twice leaves the others in place", withdrawsOnce},
		{"withdrawing waits for a save that is under way", withdrawWaits},
		{"a save that fails is reported, and the others save all the same", fails},
		{"a save that hangs is given up after the bound", isBounded},
		{"the end of a reader's context ends its waiting and not the save", honoursContext},
		{"a context that has ended keeps and saves nothing", refusesEndedContext},
		{"a room that moves between processes is found by those who read meanwhile", moves},
	}
	for _, clause := range clauses {
		t.Run(clause.name, func(t *testing.T) {
			here, there := open(t)
			clause.check(t, here, there)
		})
	}
}

func byNobody(t *testing.T, here, there End) {
	for _, registry := range []End{here, there} {
		mustSave(t, registry, core.NewID())
	}
}

func hasAnOwner(t *testing.T, here, there End) {
	first := here.Owner()
	if second := here.Owner(); first == "" || first != second {
		t.Errorf("got the owners %q and %q, want one name", first, second)
	}
	if here.Registry != there.Registry && here.Owner() == there.Owner() {
		t.Errorf("got %q for both processes, want two names", here.Owner())
	}
}

func isSaved(t *testing.T, here, there End) {
	project, edits := core.NewID(), &edits{}
	defer mustKeep(t, here, project, edits.save)()
	for round, reader := range []End{here, there, here, there} {
		edits.waiting.Store(true)
		mustSave(t, reader, project)
		if edits.waiting.Load() {
			t.Errorf("read %d: the edits still wait, want them saved", round)
		}
	}
}

func byMany(t *testing.T, here, there End) {
	project := core.NewID()
	all := make([]edits, 3)
	for i := range all {
		defer mustKeep(t, here, project, all[i].save)()
	}
	for _, reader := range []End{here, there} {
		for i := range all {
			all[i].waiting.Store(true)
		}
		mustSave(t, reader, project)
		for i := range all {
			if all[i].waiting.Load() {
				t.Errorf("the edits of keeper %d still wait, want them saved", i)
			}
		}
	}
}

func separatesProjects(t *testing.T, here, there End) {
	other := &edits{}
	other.waiting.Store(true)
	defer mustKeep(t, here, core.NewID(), other.save)()
	mustSave(t, here, core.NewID())
	mustSave(t, there, core.NewID())
	if !other.waiting.Load() {
		t.Error("another project's edits were saved, want them left alone")
	}
}

func ends(t *testing.T, here, there End) {
	project := core.NewID()
	for range 20 {
		edits := &edits{}
		withdraw := mustKeep(t, here, project, edits.save)
		edits.waiting.Store(true)
		mustSave(t, there, project)
		if edits.waiting.Load() {
			t.Fatal("the edits still wait, want them saved")
		}
		withdraw()
		edits.waiting.Store(true)
		mustSave(t, there, project)
		mustSave(t, here, project)
		if !edits.waiting.Load() {
			t.Fatal("somebody who has withdrawn was asked to save")
		}
	}
}

func withdrawsOnce(t *testing.T, here, there End) {
	project, edits := core.NewID(), &edits{}
	first := mustKeep(t, here, project, func(context.Context) error { return nil })
	first()
	defer mustKeep(t, here, project, edits.save)()
	first()
	edits.waiting.Store(true)
	mustSave(t, there, project)
	if edits.waiting.Load() {
		t.Error("the edits still wait, want them saved")
	}
}

func withdrawWaits(t *testing.T, here, there End) {
	project := core.NewID()
	begun, goOn := make(chan struct{}), make(chan struct{})
	var over atomic.Bool
	withdraw := mustKeep(t, here, project, func(context.Context) error {
		close(begun)
		<-goOn
		over.Store(true)
		return nil
	})
	saved := make(chan error, 1)
	go func() { saved <- there.Save(t.Context(), project) }()
	receive(t, begun, "the save did not begin")
	withdrawn := make(chan bool)
	go func() { withdraw(); withdrawn <- over.Load() }()
	close(goOn)
	if !receive(t, withdrawn, "withdrawing did not come to an end") {
		t.Error("withdrawing returned while a save was under way, want it to wait")
	}
	if err := receive(t, saved, "saving did not come to an end"); err != nil {
		t.Errorf("save: got %v, want nil", err)
	}
}

func fails(t *testing.T, here, there End) {
	project, good := core.NewID(), &edits{}
	failure := errors.New("the disk is full")
	defer mustKeep(t, here, project, func(context.Context) error { return failure })()
	defer mustKeep(t, here, project, good.save)()
	for _, reader := range []End{here, there} {
		good.waiting.Store(true)
		if err := reader.Save(t.Context(), project); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
		}
		within(t, "the other keeper's edits still wait, want them saved", func() bool { return !good.waiting.Load() })
	}
}

func isBounded(t *testing.T, here, there End) {
	project := core.NewID()
	ended, release := make(chan error, 2), make(chan struct{})
	defer mustKeep(t, here, project, func(ctx context.Context) error {
		<-ctx.Done()
		ended <- ctx.Err()
		<-release
		return nil
	})()
	defer close(release)
	results := make(chan error, 2)
	for _, reader := range []End{here, there} {
		go func() { results <- reader.Save(t.Context(), project) }()
	}
	for range cap(results) {
		if err := receive(t, results, "the reader still waits"); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
		}
		if err := receive(t, ended, "the save's context did not end"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the save's context: got %v, want %v", err, context.DeadlineExceeded)
		}
	}
}

func honoursContext(t *testing.T, here, there End) {
	for _, reader := range []End{here, there} {
		project := core.NewID()
		begun, goOn, over := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		withdraw := mustKeep(t, here, project, func(ctx context.Context) error {
			close(begun)
			<-goOn
			over <- ctx.Err()
			return nil
		})
		ctx, cancel := context.WithCancel(t.Context())
		saved := make(chan error, 1)
		go func() { saved <- reader.Save(ctx, project) }()
		receive(t, begun, "the save did not begin")
		cancel()
		if err := receive(t, saved, "the reader still waits"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
		close(goOn)
		if err := receive(t, over, "the save did not come to an end"); err != nil {
			t.Errorf("the save's context: got %v, want it to go on", err)
		}
		withdraw()
	}
}

func refusesEndedContext(t *testing.T, here, there End) {
	project := core.NewID()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	asked := func(context.Context) error { t.Error("asked to save what was not kept"); return nil }
	if _, err := here.Keep(ctx, project, asked); !errors.Is(err, context.Canceled) {
		t.Errorf("keep: got %v, want %v", err, context.Canceled)
	}
	if err := there.Save(ctx, project); !errors.Is(err, context.Canceled) {
		t.Errorf("save: got %v, want %v", err, context.Canceled)
	}
	mustSave(t, here, project)
	mustSave(t, there, project)
}

// moves moves one project's room between the processes while others read. Each read
// that begins after the owner keeps edits asks it.
func moves(t *testing.T, here, there End) {
	const rounds = 40
	project := core.NewID()
	ends := []End{here, there}
	over := make(chan struct{})
	var reading sync.WaitGroup
	for _, reader := range ends {
		reading.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
					mustSave(t, reader, project)
				}
			}
		})
	}
	for round := range rounds {
		edits := &edits{}
		withdraw := mustKeep(t, ends[round%2], project, edits.save)
		for _, reader := range ends {
			edits.waiting.Store(true)
			if err := reader.Save(t.Context(), project); err != nil || edits.waiting.Load() {
				t.Errorf("save: got %v with edits waiting: %v, want them saved", err, edits.waiting.Load())
			}
		}
		withdraw()
		here.Claim(project, "")
	}
	close(over)
	reading.Wait()
}

// edits wait until they are saved.
type edits struct{ waiting atomic.Bool }

func (e *edits) save(context.Context) error {
	e.waiting.Store(false)
	return nil
}

// mustKeep keeps edits as a room does, which claims first.
func mustKeep(t *testing.T, end End, project core.ID, save func(context.Context) error) (withdraw func()) {
	t.Helper()
	end.Claim(project, end.Owner())
	withdraw, err := end.Keep(t.Context(), project, save)
	if err != nil {
		t.Fatalf("keep: %v", err)
	}
	return withdraw
}

func mustSave(t *testing.T, registry End, project core.ID) {
	t.Helper()
	if err := registry.Save(t.Context(), project); err != nil {
		t.Errorf("save: got %v, want nil", err)
	}
}

// receive returns what comes from the channel, or its zero value when it is closed.
func receive[T any](t *testing.T, from <-chan T, missing string) T {
	t.Helper()
	select {
	case got := <-from:
		return got
	case <-time.After(conformance.Patience):
		t.Fatal(missing)
	}
	panic("unreachable")
}

// within waits until a condition holds.
func within(t *testing.T, missing string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(conformance.Patience)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatal(missing)
		}
		time.Sleep(time.Millisecond)
	}
}
