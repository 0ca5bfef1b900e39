package tasks_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/checks"
	"github.com/atelierhq/atelier/core/tasks"
)

func ignore(checks.Result) error { return nil }

// TestAnotherProcessGoesOnWithAMergeSoonAfterItsProcessDied: a lease that nobody renews ends within
// seconds, and one that a process renews does not, however long the checks take.
func TestAnotherProcessGoesOnWithAMergeSoonAfterItsProcessDied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.write(r.project, "price.txt", "10")
		r.keep(r.project, "price", "price.txt", "10")
		busy, other := r.board(), r.board()
		task := r.begin(busy, "Add a page")
		r.write(*task.CopyID, "page.txt", "page")
		r.checks.meanwhile = func(context.Context, core.ID) { time.Sleep(2 * time.Minute) }
		_, err := busy.Merge(t.Context(), r.member, r.project, task.ID, false)
		r.must(err)
		if _, elsewhere := r.checks.where(r.project); elsewhere != 1 {
			t.Errorf("played %d times, want the other process to leave the task alone", elsewhere)
		}

		r.checks.meanwhile = nil
		task = r.begin(busy, "Add another page")
		r.write(*task.CopyID, "other.txt", "other")
		died := time.Now()
		_, err = r.deps.Store.Tables().Tasks.Update(t.Context(), task.ID, func(stored *core.Task) error {
			stored.State, stored.DueAt = core.TaskMerging, core.At(died.Add(15*time.Second))
			return nil
		})
		r.must(err)
		r.await(other, task.ID, "merged", isMerged)
		if took := time.Since(died); took > 20*time.Second {
			t.Errorf("the other process came after %s", took)
		}
		for _, board := range []*tasks.Board{busy, other} {
			r.must(board.Close(t.Context()))
		}
	})
}

// TestAStoppingProcessLeavesAMergeToAnother: nothing is lost, and the board does not call it failed.
func TestAStoppingProcessLeavesAMergeToAnother(t *testing.T) {
	r := newRig(t)
	r.write(r.project, "price.txt", "10")
	r.keep(r.project, "price", "price.txt", "10")
	stopping := r.board()
	task := r.begin(stopping, "Add a page")
	r.write(*task.CopyID, "page.txt", "page")
	r.checks.meanwhile = func(ctx context.Context, _ core.ID) {
		go func() { _ = stopping.Close(context.WithoutCancel(ctx)) }()
		<-ctx.Done()
	}
	if _, err := stopping.Merge(t.Context(), r.member, r.project, task.ID, false); err == nil {
		t.Fatal("got a merge, want the end of the process")
	}
	if got := r.get(stopping, task.ID); got.Status != tasks.Merging || got.Problem != "" {
		t.Errorf("got %+v, want it merging still", got)
	}
	r.checks.mu.Lock()
	r.checks.meanwhile = nil
	r.checks.mu.Unlock()
	other := r.board()
	if merged := r.await(other, task.ID, "merged", isMerged); merged.Checks.State != core.ChecksPassed || r.read(r.project, "page.txt") != "page" {
		t.Errorf("got %+v, want it merged by the other process", merged)
	}
}
