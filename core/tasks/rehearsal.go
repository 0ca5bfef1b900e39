package tasks

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/checks"
	"github.com/atelierhq/atelier/core/copies"
	"github.com/atelierhq/atelier/ports/storage"
)

// rehearsals is how often a merge plays the checks because the project has changed meanwhile. Then
// it lands as it is, and they are played on the project.
const rehearsals = 3

// both returns a context that ends with either.
func both(ctx, life context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(life, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// rehearse gives the copy the project's present files below its own changes and plays the checks
// there. It returns false if there is nothing to play or the merge does not ask for it, and
// core.CodeChecksFailed for checks that fail and do not fail in the project as it is.
func (m *claimedMerge) rehearse(ctx context.Context) (bool, error) {
	// An attempt that a crash interrupted has played them, and files may be staged.
	if m.task.Checks.Ignored || m.resumed && m.task.Checks.State == core.ChecksPassed {
		return false, nil
	}
	for _, project := range []core.ID{m.task.ProjectID, m.task.CopyID} {
		has, err := m.deps.Checks.Has(ctx, project)
		if err != nil {
			return false, err
		}
		if has {
			return true, m.playMerged(ctx)
		}
	}
	return false, nil
}

// playMerged plays the checks on the merged files.
func (m *claimedMerge) playMerged(ctx context.Context) error {
	if err := m.takeUp(ctx); err != nil {
		return err
	}
	if err := m.resume(ctx); err != nil {
		return err
	}
	playing, stop := both(ctx, m.life)
	defer stop()
	results, err := m.deps.Checks.Play(playing, m.task.CopyID, func(checks.Result) error { return nil })
	switch {
	case playing.Err() != nil:
		return playing.Err()
	case err != nil:
		m.deps.Log.WarnContext(ctx, "could not play the checks of a merge", "task", m.task.ID, "error", err)
		m.played = core.TaskChecks{State: core.ChecksUnavailable}
	case results == nil:
		m.played = core.TaskChecks{State: core.ChecksUnavailable}
	default:
		before, err := m.before(playing, results)
		if err != nil {
			return err
		}
		m.played = verdictOf(results, passedOf(before))
		if refused := refusal(results, before); refused != nil {
			return refused
		}
	}
	return m.note(ctx, func(task *core.Task) { task.Checks = core.TaskChecks{State: core.ChecksPassed} })
}

// before returns the outcomes of the project's checks before the merge. Those that fail with the
// merge are played in the project as it is now: an outcome from before its last changes would let
// a merge through that breaks what was mended meanwhile, or hold one back that breaks nothing. A
// check that cannot be played there has no outcome, so that it holds the merge back.
func (m *claimedMerge) before(ctx context.Context, results []checks.Result) ([]core.CheckOutcome, error) {
	var failed []string
	for _, result := range results {
		if !result.Passed {
			failed = append(failed, result.Name)
		}
	}
	var now []checks.Result
	if len(failed) > 0 {
		var err error
		now, err = m.deps.Checks.Again(ctx, m.task.ProjectID, failed)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			m.deps.Log.WarnContext(ctx, "could not play the checks of a project before a merge", "task", m.task.ID, "error", err)
		}
	}
	stored, err := m.deps.Store.Tables().CheckOutcomes.List(ctx, m.task.ProjectID)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(stored, func(outcome core.CheckOutcome) bool {
		return slices.Contains(failed, outcome.Name) && !slices.ContainsFunc(now, func(result checks.Result) bool {
			return result.Name == outcome.Name && result.Passed == outcome.Passed
		})
	}), nil
}

// takeUp gives the copy the project's present files as its new base. The copy stays suspended.
func (m *claimedMerge) takeUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	if err := m.suspend(ctx); err != nil {
		return err
	}
	work, err := m.deps.Merger.Keep(ctx, m.task.CopyID)
	if err != nil {
		return err
	}
	err = m.note(ctx, func(task *core.Task) { task.Work, task.Checks.State = work, core.ChecksPending })
	if err != nil {
		return err
	}
	m.announce(ctx, m.task.ProjectID)
	base, _, err := m.deps.Merger.Rebase(ctx, copies.RebaseRequest{
		Copy: m.task.CopyID, Base: m.task.Base, Work: work, Project: m.task.ProjectID, Author: agentAuthor, Clean: true,
	})
	if err != nil {
		return err
	}
	return m.note(ctx, func(task *core.Task) { task.Base, task.Work = base, "" })
}

// note records how far a merge has come.
func (m *claimedMerge) note(ctx context.Context, change func(*core.Task)) error {
	noted, err := m.deps.Store.Tables().Tasks.Update(ctx, m.task.ID, func(stored *core.Task) error {
		if stored.State != core.TaskMerging || stored.Base != m.task.Base || stored.Work != m.task.Work {
			return core.Errorf(core.CodeConflict, "the task has been changed meanwhile")
		}
		change(stored)
		stored.UpdatedAt = m.now()
		return nil
	})
	if err == nil {
		m.task = noted
	}
	return err
}

// passedOf returns the names of the checks that passed.
func passedOf(outcomes []core.CheckOutcome) []string {
	var passed []string
	for _, outcome := range outcomes {
		if outcome.Passed {
			passed = append(passed, outcome.Name)
		}
	}
	return passed
}

// verdictOf sums up results of checks, of which some had passed before.
func verdictOf(results []checks.Result, passed []string) core.TaskChecks {
	verdict := core.TaskChecks{State: core.ChecksPassed, Passed: passed}
	if len(results) == 0 {
		verdict.State = core.ChecksNone
	}
	for _, result := range results {
		if result.Passed {
			continue
		}
		verdict.State = core.ChecksFailed
		verdict.Failed = append(verdict.Failed, core.TaskCheckFailed{
			Name: result.Name, Title: result.Title, Message: result.Message, PassedBefore: slices.Contains(passed, result.Name),
		})
	}
	return verdict
}

// refusal is core.CodeChecksFailed for checks that fail and do not fail before, nil if there are
// none.
func refusal(results []checks.Result, before []core.CheckOutcome) error {
	var broken []core.CheckFailure
	for _, result := range results {
		failed := func(outcome core.CheckOutcome) bool { return outcome.Name == result.Name && !outcome.Passed }
		if !result.Passed && !slices.ContainsFunc(before, failed) {
			broken = append(broken, core.CheckFailure{
				Name: result.Name, Title: cmp.Or(result.Title, result.Name), Step: result.Step, Message: result.Message,
			})
		}
	}
	if len(broken) == 0 {
		return nil
	}
	refused := core.Errorf(core.CodeChecksFailed, "%d checks fail with the changes of this task, so nothing was merged: mend them in the copy, let the agent do it, or merge with ignoreChecks", len(broken))
	if len(broken) == 1 {
		refused.Message = fmt.Sprintf("the check %q fails with the changes of this task, so nothing was merged: mend it in the copy, let the agent do it, or merge with ignoreChecks", broken[0].Title)
	}
	refused.Checks = broken
	return refused
}

// checks returns what a merged task says of the checks. What was played on the merged files counts
// for the project.
func (m *claimedMerge) checks(ctx context.Context, tables storage.Tables) (core.TaskChecks, error) {
	if m.played.State == core.ChecksNone {
		before, err := tables.CheckOutcomes.List(ctx, m.task.ProjectID)
		return core.TaskChecks{State: core.ChecksPending, Ignored: m.task.Checks.Ignored, Passed: passedOf(before)}, err
	}
	outcomes, err := tables.CheckOutcomes.List(ctx, m.task.CopyID)
	if err != nil {
		return core.TaskChecks{}, err
	}
	for _, outcome := range outcomes {
		outcome.ProjectID, outcome.PicturedAt = m.task.ProjectID, 0
		if err := tables.CheckOutcomes.Put(ctx, outcome, nil); err != nil {
			return core.TaskChecks{}, err
		}
	}
	return m.played, nil
}
