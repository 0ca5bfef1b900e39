package tasks_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/tasks"
)

func isMerged(task tasks.View) bool { return task.Status == tasks.Merged && task.CopyID == nil }

func TestAMergeWhoseChecksFailChangesNothing(t *testing.T) {
	r := newRig(t)
	r.write(r.project, "price.txt", "10")
	r.keep(r.project, "price", "price.txt", "10")
	board := r.board()
	task := r.begin(board, "Raise the price")
	r.write(*task.CopyID, "price.txt", "11")
	r.write(*task.CopyID, "new.txt", "new")

	_, err := board.Merge(t.Context(), r.member, r.project, task.ID, false)
	var refused *core.Error
	if !errors.As(err, &refused) || refused.Code != core.CodeChecksFailed || len(refused.Checks) != 1 || refused.Checks[0].Name != "price" || refused.Checks[0].Step != 1 {
		t.Fatalf("got %v, want %s with the check", err, core.CodeChecksFailed)
	}
	if got := r.read(r.project, "price.txt") + r.read(r.project, "new.txt"); got != "10" {
		t.Errorf("got %q, want the project unchanged", got)
	}
	held := r.get(board, task.ID)
	want := core.TaskCheckFailed{Name: "price", Title: "About price", Message: "price.txt says 11", PassedBefore: true}
	if held.Status != tasks.ChecksFailed || held.Checks.State != core.ChecksFailed || len(held.Checks.Failed) != 1 || held.Checks.Failed[0] != want {
		t.Errorf("got %+v, want it held back by the check", held)
	}
	if there, elsewhere := r.checks.where(r.project); there != 0 || elsewhere != 1 {
		t.Errorf("played %d times in the project and %d elsewhere, want once in the copy", there, elsewhere)
	}

	r.write(*task.CopyID, "price.txt", "10")
	_, err = board.Merge(t.Context(), r.member, r.project, task.ID, false)
	r.must(err)
	merged := r.await(board, task.ID, "merged", isMerged)
	if merged.Checks.State != core.ChecksPassed || merged.VersionID == nil || r.read(r.project, "new.txt") != "new" {
		t.Errorf("got %+v, want it merged with checks that pass", merged)
	}
	outcomes, err := r.deps.Store.Tables().CheckOutcomes.List(t.Context(), r.project)
	if err != nil || len(outcomes) != 1 || !outcomes[0].Passed {
		t.Errorf("got %v, %v, want the project to know that the check passed", outcomes, err)
	}
	if there, _ := r.checks.where(r.project); there != 0 {
		t.Errorf("played %d times in the project, want never", there)
	}
}

func TestAPersonMayMergeWhateverTheChecksSay(t *testing.T) {
	r := newRig(t)
	r.write(r.project, "price.txt", "10")
	r.keep(r.project, "price", "price.txt", "10")
	r.keep(r.project, "title", "title.txt", "Shop")
	// The project knows that one passes and the other fails.
	_, err := r.checks.Play(t.Context(), r.project, ignore)
	r.must(err)
	board := r.board()
	task := r.begin(board, "Raise the price")
	r.write(*task.CopyID, "price.txt", "11")
	_, err = board.Merge(t.Context(), r.member, r.project, task.ID, false)
	r.wantCode(err, core.CodeChecksFailed)
	_, err = board.Merge(t.Context(), r.member, r.project, task.ID, true)
	r.must(err)
	merged := r.await(board, task.ID, "merged", isMerged)
	before := map[string]bool{}
	for _, failed := range merged.Checks.Failed {
		before[failed.Name] = failed.PassedBefore
	}
	if merged.Checks.State != core.ChecksFailed || !merged.Checks.Ignored || len(before) != 2 || !before["price"] || before["title"] {
		t.Errorf("got %+v, want both to fail, one of which had passed", merged.Checks)
	}
	if got := r.read(r.project, "price.txt"); got != "11" {
		t.Errorf("got %q, want the merge", got)
	}
}

func TestACheckThatFailsAlreadyHoldsNothingBack(t *testing.T) {
	r := newRig(t)
	r.keep(r.project, "title", "title.txt", "Shop")
	_, err := r.checks.Play(t.Context(), r.project, ignore)
	r.must(err)
	board := r.board()
	task := r.begin(board, "Add a page")
	r.write(*task.CopyID, "page.txt", "page")
	_, err = board.Merge(t.Context(), r.member, r.project, task.ID, false)
	r.must(err)
	merged := r.await(board, task.ID, "merged", isMerged)
	if merged.Checks.State != core.ChecksFailed || len(merged.Checks.Failed) != 1 || merged.Checks.Failed[0].PassedBefore {
		t.Errorf("got %+v, want the old failure told", merged.Checks)
	}
}

// TestAStaleOutcomeDecidesNothing: what a check said before the project's last changes neither lets a
// merge through that breaks it, nor holds one back that does not.
func TestAStaleOutcomeDecidesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		played, now, merged string
		lands               bool
	}{
		"failed, and was mended":        {"11", "10", "12", false},
		"passed, and is broken already": {"10", "11", "12", true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.write(r.project, "price.txt", c.played)
			r.keep(r.project, "price", "price.txt", "10")
			r.keep(r.project, "title", "title.txt", "")
			_, err := r.checks.Play(t.Context(), r.project, ignore)
			r.must(err)
			r.write(r.project, "price.txt", c.now)
			board := r.board()
			task := r.begin(board, "Change the price")
			r.write(*task.CopyID, "price.txt", c.merged)
			_, err = board.Merge(t.Context(), r.member, r.project, task.ID, false)
			if landed := err == nil; landed != c.lands || !landed && core.CodeOf(err) != core.CodeChecksFailed {
				t.Errorf("got %v, want a merge: %t", err, c.lands)
			}
			if len(r.checks.again) != 1 || r.checks.again[0] != "price" {
				t.Errorf("played %q once more in the project, want only what fails", r.checks.again)
			}
		})
	}
}

func TestAChecklessProjectIsNotRehearsed(t *testing.T) {
	r := newRig(t)
	board := r.board()
	task := r.begin(board, "Add a page")
	r.write(*task.CopyID, "page.txt", "page")
	_, err := board.Merge(t.Context(), r.member, r.project, task.ID, false)
	r.must(err)
	merged := r.await(board, task.ID, "merged", isMerged)
	if _, elsewhere := r.checks.where(r.project); elsewhere != 0 || merged.Checks.State != core.ChecksNone {
		t.Errorf("played %d times in the copy and got %+v, want nothing", elsewhere, merged.Checks)
	}
}

func TestWithoutABrowserAMergeSaysThatNothingWasPlayed(t *testing.T) {
	for name, broken := range map[string]error{"absent": nil, "broken": core.Errorf(core.CodeSandboxUnavailable, "no browser")} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.keep(r.project, "title", "title.txt", "Shop")
			r.checks.absent, r.checks.wrong = true, broken
			board := r.board()
			task := r.begin(board, "Add a page")
			r.write(*task.CopyID, "page.txt", "page")
			_, err := board.Merge(t.Context(), r.member, r.project, task.ID, false)
			r.must(err)
			if merged := r.await(board, task.ID, "merged", isMerged); merged.Checks.State != core.ChecksUnavailable {
				t.Errorf("got %+v, want %s", merged.Checks, core.ChecksUnavailable)
			}
		})
	}
}

// TestOnlyOneOfTwoMergesThatBreakEachOtherLands: each is sound by itself, together they are not.
func TestOnlyOneOfTwoMergesThatBreakEachOtherLands(t *testing.T) {
	r := newRig(t)
	r.write(r.project, "a.txt", "on")
	r.write(r.project, "b.txt", "on")
	r.keep(r.project, "a", "a.txt", "on")
	board := r.board()
	// The first moves the check to the other file, the second changes that one.
	first, second := r.begin(board, "Look at b"), r.begin(board, "Turn b off")
	r.keep(*first.CopyID, "a", "b.txt", "on")
	r.write(*second.CopyID, "b.txt", "off")
	var both sync.WaitGroup
	results := make([]error, 2)
	for i, task := range []tasks.View{first, second} {
		both.Go(func() { _, results[i] = board.Merge(t.Context(), r.member, r.project, task.ID, false) })
	}
	both.Wait()
	landed := slices.Index(results, nil)
	if landed < 0 || core.CodeOf(results[1-landed]) != core.CodeChecksFailed {
		t.Fatalf("got %v, want one merge and one that its check holds back", results)
	}
	found, err := r.checks.Play(t.Context(), r.project, ignore)
	if err != nil || len(found) != 1 || !found[0].Passed {
		t.Errorf("got %+v, %v, want the project's check to pass", found, err)
	}
}

func TestAMergeIsRehearsedAgainIfTheProjectChangesMeanwhile(t *testing.T) {
	tests := []struct {
		name string
		// changes is how often the project changes while checks are played there or elsewhere.
		changes         int
		there, elsewere int
	}{
		{"once", 1, 0, 2},
		{"always", 100, 1, 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			r.write(r.project, "price.txt", "10")
			r.keep(r.project, "price", "price.txt", "10")
			board := r.board()
			task := r.begin(board, "Add a page")
			r.write(*task.CopyID, "page.txt", "page")
			left := test.changes
			r.checks.meanwhile = func(_ context.Context, project core.ID) {
				if left--; left >= 0 && project != r.project {
					r.write(r.project, "typed.txt", fmt.Sprint(left))
				}
			}
			_, err := board.Merge(t.Context(), r.member, r.project, task.ID, false)
			r.must(err)
			merged := r.await(board, task.ID, "merged", isMerged)
			there, elsewhere := r.checks.where(r.project)
			if there != test.there || elsewhere != test.elsewere || merged.Checks.State != core.ChecksPassed {
				t.Errorf("played %d times in the project and %d elsewhere, and got %+v, want %d and %d", there, elsewhere, merged.Checks, test.there, test.elsewere)
			}
			if got := r.read(r.project, "page.txt") + r.read(r.project, "typed.txt"); !strings.HasPrefix(got, "page") || len(got) < 5 {
				t.Errorf("got %q, want both changes", got)
			}
		})
	}
}

func TestAConflictIsFoundBeforeAnythingIsPlayed(t *testing.T) {
	r := newRig(t)
	r.write(r.project, "price.txt", "10")
	r.keep(r.project, "price", "price.txt", "10")
	board := r.board()
	task := r.begin(board, "Raise the price")
	r.write(*task.CopyID, "price.txt", "11")
	r.write(r.project, "price.txt", "12")
	_, err := board.Merge(t.Context(), r.member, r.project, task.ID, false)
	var refused *core.Error
	if !errors.As(err, &refused) || refused.Code != core.CodeConflict || len(refused.Conflicts) != 1 {
		t.Fatalf("got %v, want the conflict", err)
	}
	if _, elsewhere := r.checks.where(r.project); elsewhere != 0 || r.read(*task.CopyID, "price.txt") != "11" {
		t.Errorf("played %d times, and the copy says %q, want nothing changed", elsewhere, r.read(*task.CopyID, "price.txt"))
	}
	if got := r.get(board, task.ID); got.Status != tasks.Conflict || got.Checks.State != core.ChecksNone {
		t.Errorf("got %+v, want the conflict on the board", got)
	}
}

// TestTheAgentMendsWhatHeldAMergeBack: it is told what fails, and the task is merged when it has
// finished.
func TestTheAgentMendsWhatHeldAMergeBack(t *testing.T) {
	r := newRig(t)
	r.write(r.project, "price.txt", "10")
	r.keep(r.project, "price", "price.txt", "10")
	board := r.board()
	task := r.begin(board, "Raise the price")
	r.write(*task.CopyID, "price.txt", "11")
	_, err := board.Merge(t.Context(), r.member, r.project, task.ID, false)
	r.wantCode(err, core.CodeChecksFailed)
	r.write(r.project, "later.txt", "later")

	asked, err := board.Resolve(t.Context(), r.member, r.project, task.ID, tasks.ByAgent)
	r.must(err)
	if asked.Status != tasks.Working || r.read(*task.CopyID, "later.txt") != "later" {
		t.Errorf("got %+v, want the agent at work on the project's present files", asked)
	}
	r.write(*task.CopyID, "price.txt", "10")
	said := r.endRuns(*task.CopyID, core.TaskComplete{Reason: core.ReasonDone})
	if len(said) != 1 || !strings.Contains(said[0], "About price") || !strings.Contains(said[0], "price.txt says 11") || strings.Contains(said[0], "<<<<") {
		t.Errorf("got %q, want the check and no word of conflicts", said)
	}
	if merged := r.await(board, task.ID, "merged", isMerged); merged.Checks.State != core.ChecksPassed {
		t.Errorf("got %+v, want the checks to pass", merged)
	}
}

func TestATaskThatTheAgentDidNotMendWaitsForAPerson(t *testing.T) {
	r := newRig(t)
	r.write(r.project, "price.txt", "10")
	r.keep(r.project, "price", "price.txt", "10")
	board := r.board()
	task := r.begin(board, "Raise the price")
	r.write(*task.CopyID, "price.txt", "11")
	for _, end := range []core.Payload{
		core.TaskComplete{Reason: core.ReasonStopped}, core.TaskComplete{Reason: core.ReasonDone},
	} {
		_, err := board.Merge(t.Context(), r.member, r.project, task.ID, false)
		r.wantCode(err, core.CodeChecksFailed)
		_, err = board.Resolve(t.Context(), r.member, r.project, task.ID, tasks.ByAgent)
		r.must(err)
		r.endRuns(*task.CopyID, end)
		r.await(board, task.ID, "held back again", func(task tasks.View) bool { return task.Status == tasks.ChecksFailed })
	}
	if got := r.read(r.project, "price.txt"); got != "10" {
		t.Errorf("got %q, want the project unchanged", got)
	}
}

func TestStrangersReachNoTask(t *testing.T) {
	r := newRig(t)
	board := r.board()
	task := r.begin(board, "Add a page")
	_, err := board.Merge(t.Context(), r.stranger, r.project, task.ID, true)
	r.wantCode(err, core.CodeNotFound)
	_, err = board.Resolve(t.Context(), r.stranger, r.project, task.ID, tasks.ByPerson)
	r.wantCode(err, core.CodeNotFound)
	_, err = board.Get(t.Context(), r.stranger, r.project, task.ID)
	r.wantCode(err, core.CodeNotFound)
	_, err = board.Begin(t.Context(), r.stranger, r.project, tasks.Draft{Content: "x"})
	r.wantCode(err, core.CodeNotFound)
	r.wantCode(board.Discard(t.Context(), r.stranger, r.project, task.ID), core.CodeNotFound)
	_, err = board.Resolve(t.Context(), r.member, r.project, task.ID, "nobody")
	r.wantCode(err, core.CodeValidationFailed)
	_, err = board.Merge(t.Context(), r.member, core.NewID(), task.ID, false)
	r.wantCode(err, core.CodeNotFound)
}

// TestNoMessageBecomesTheNameOfAVersion is for public projects, whose versions everybody sees.
func TestNoMessageBecomesTheNameOfAVersion(t *testing.T) {
	r := newRig(t)
	r.write(r.project, "old.txt", "old")
	board := r.board()
	const secret = "Change the heading, and my password is Taskword99"
	for _, c := range []struct {
		title, path, want string
	}{
		{"", "fresh.html", "Add fresh.html"},
		{"", "old.txt", "Change old.txt"},
		{"Change the heading", "new.txt", "Task: Change the heading"},
	} {
		task, err := board.Begin(t.Context(), r.member, r.project, tasks.Draft{Title: c.title, Content: secret})
		r.must(err)
		r.endRuns(*task.CopyID, core.TaskComplete{Reason: core.ReasonDone})
		r.write(*task.CopyID, c.path, "new")
		_, err = board.Merge(t.Context(), r.member, r.project, task.ID, false)
		r.must(err)
		r.await(board, task.ID, "merged", isMerged)
		versions, err := r.pipeline.Versions(t.Context(), r.project, "", 1)
		if err != nil || len(versions) != 1 || versions[0].Message != c.want {
			t.Errorf("got %+v, %v, want the version called %q", versions, err, c.want)
		}
	}
}
