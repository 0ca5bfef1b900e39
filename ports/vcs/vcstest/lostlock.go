package vcstest

import (
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree/worktreetest"
)

func lostLock(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("a", "a"))
	first := p.commit(t, "First")
	p.save(t, worktreetest.Writing("a", "changed"))
	second := p.commit(t, "Second")
	next, _, err := p.repo.Recommit(t.Context(), p.id, first.ID, vcs.Commit{Message: "Back"})
	conformance.Must(t, err)
	p.save(t, worktreetest.Writing("b", "b"))
	lost := conformance.LostLock(t.Context())
	conformance.WantCode(t, "stage", p.repo.Stage(lost, p.id, []core.FileChange{worktreetest.Writing("c", "c")}), core.CodeUnavailable)
	// The next holder of the lock repairs the repository.
	repair := func() {
		_, err := p.repo.Repair(t.Context(), p.id)
		conformance.Must(t, err)
	}
	repair()
	_, _, err = p.repo.Commit(lost, p.id, vcs.Commit{Message: "Late"})
	conformance.WantCode(t, "commit", err, core.CodeUnavailable)
	repair()
	arrival := vcs.Arrival{From: second.ID, To: next.ID}
	conformance.WantCode(t, "arrive", p.repo.Arrive(lost, p.id, arrival), core.CodeUnavailable)
	if _, arriving, err := p.repo.Arriving(t.Context(), p.id); err != nil || arriving {
		t.Errorf("got an arrival %v, %v, want none", arriving, err)
	}
	conformance.Must(t, p.repo.Arrive(t.Context(), p.id, arrival))
	conformance.WantCode(t, "settle", p.repo.Settle(lost, p.id, arrival), core.CodeUnavailable)
	repair()
	if got, arriving, err := p.repo.Arriving(t.Context(), p.id); err != nil || !arriving || got != arrival {
		t.Errorf("got the arrival %v, %v, %v, want the one that is not settled", got, arriving, err)
	}
	versions, err := p.repo.Log(t.Context(), p.id, "", 10)
	if err != nil || len(versions) != 2 {
		t.Errorf("got the versions %v, %v, want the two from before", versions, err)
	}
	if got := p.stagedPaths(t); len(got) != 2 {
		t.Errorf("got %q staged, want a and b", got)
	}
}
