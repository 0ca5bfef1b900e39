package tasks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/copies"
	"github.com/atelierhq/atelier/ports/storage"
)

// The ways to settle conflicts.
const (
	ByAgent  = "agent"
	ByPerson = "person"
)

// Resolve brings the project's present files into the copy of a task, with markers at the
// conflicting places. by ByAgent, the agent is told to settle them and to mend the checks that held
// the merge back, and the task is merged when it has finished; by ByPerson, a person does both.
// With nothing to settle the task is merged at once.
//
// It returns core.CodeValidationFailed for any other way, and otherwise the errors of Merge.
func (b *Board) Resolve(ctx context.Context, by core.Actor, project, id core.ID, way string) (View, error) {
	if way != ByAgent && way != ByPerson {
		return View{}, core.Errorf(core.CodeValidationFailed, "by must be %s or %s", ByAgent, ByPerson)
	}
	task, err := b.find(ctx, by, core.ActionTaskMerge, project, id)
	if err != nil {
		return View{}, err
	}
	if task.State == core.TaskOpen {
		if err := checkIdle(ctx, b.deps.Store.Tables(), task.CopyID); err != nil {
			return View{}, err
		}
	}
	work := task.Base
	if task.State == core.TaskOpen {
		if work, err = b.deps.Merger.Keep(ctx, task.CopyID); err != nil {
			return View{}, err
		}
	}
	task, err = b.claim(ctx, id, by.UserID, func(task *core.Task) {
		if task.Work, task.Resolving = work, way == ByAgent; !task.Resolving {
			task.Checks = core.TaskChecks{}
		}
	})
	if err != nil {
		return View{}, err
	}
	defer b.hold(ctx, task)()
	b.announce(ctx, project)
	if task, err = (&claimedMerge{Board: b, task: task}).lastWork(ctx); err != nil {
		return View{}, err
	}
	task, err = b.rebase(ctx, task)
	if err != nil {
		return View{}, err
	}
	return b.view(ctx, task)
}

// lastWork suspends the copy of the task, and notes what was saved in it until then. A rebase
// puts that on top, and takes back what came later.
func (m *claimedMerge) lastWork(ctx context.Context) (core.Task, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepLimit)
	defer cancel()
	work, err := "", m.suspend(ctx)
	if err == nil {
		work, err = m.deps.Merger.Keep(ctx, m.task.CopyID)
	}
	if err == nil {
		err = m.note(ctx, func(task *core.Task) { task.Work = work })
	}
	if err != nil {
		return core.Task{}, errors.Join(err, m.reopen(ctx, err))
	}
	return m.task, nil
}

// rebase carries out a rebase that was claimed, and what follows it.
func (b *Board) rebase(ctx context.Context, task core.Task) (core.Task, error) {
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepLimit)
	defer cancel()
	m := &claimedMerge{Board: b, task: task}
	err := m.suspend(work)
	if err == nil {
		var base string
		var conflicts []core.MergeConflict
		base, conflicts, err = b.deps.Merger.Rebase(work, copies.RebaseRequest{
			Copy: task.CopyID, Base: task.Base, Work: task.Work, Project: task.ProjectID, Author: agentAuthor,
		})
		if err == nil {
			task, err = b.rebased(work, task, base, conflicts)
		}
	}
	if err != nil {
		return core.Task{}, errors.Join(err, m.reopen(work, err))
	}
	b.announce(work, task.ProjectID)
	if task.State == core.TaskOpen {
		b.deps.Queued()
		return task, nil
	}
	return b.merge(ctx, task, false)
}

// rebased records the new base. With conflicts, or checks that the agent shall mend, the task is open
// again, and the agent is asked if it shall settle them; otherwise the merge goes on.
func (b *Board) rebased(ctx context.Context, task core.Task, base string, conflicts []core.MergeConflict) (core.Task, error) {
	rebased := task
	err := b.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		var err error
		rebased, err = tables.Tasks.Update(ctx, task.ID, func(stored *core.Task) error {
			if stored.State != core.TaskMerging || stored.Work != task.Work {
				return core.Errorf(core.CodeConflict, "the task has been changed meanwhile")
			}
			stored.Base, stored.Work, stored.UpdatedAt = base, "", b.now()
			if len(conflicts) == 0 && !(stored.Resolving && stored.Checks.State == core.ChecksFailed) {
				stored.Resolving, stored.Checks = false, core.TaskChecks{Ignored: stored.Checks.Ignored}
				return nil
			}
			stored.State, stored.Conflicts, stored.DueAt = core.TaskOpen, conflicts, 0
			if stored.Resolving {
				stored.DueAt = b.now().Add(waitPoll)
			}
			return nil
		})
		if err == nil {
			err = b.deps.Copies.Resume(ctx, tables, task.CopyID)
		}
		if err != nil || !rebased.Resolving {
			return err
		}
		asked := rebased
		if asked.Mode == core.ModePlan || asked.Mode == core.ModeChat {
			asked.Mode = core.ModeBuild
		}
		return b.send(ctx, tables, asked, requestOf(conflicts, asked.Checks.Failed))
	})
	if err != nil {
		return task, err
	}
	return rebased, nil
}

// maxRequested bounds the files that a request to the agent names.
const maxRequested = 100

// requestOf asks the agent to settle conflicts, and to mend checks.
func requestOf(conflicts []core.MergeConflict, failed []core.TaskCheckFailed) string {
	var parts []string
	if len(conflicts) > 0 {
		parts = append(parts, requestToSettle(conflicts))
	}
	if len(failed) > 0 {
		parts = append(parts, requestToMend(failed))
	}
	return strings.Join(append(parts, "Change nothing else, and check the build when you are done."), "\n\n")
}

// requestToMend asks the agent to mend checks that fail with its changes.
func requestToMend(failed []core.TaskCheckFailed) string {
	var text strings.Builder
	text.WriteString("With your changes on top of the project's present files, which are in this copy now, these checks fail:\n\n")
	for _, check := range failed {
		fmt.Fprintf(&text, "- %s (%s%s.json): %s\n", cmp.Or(check.Title, check.Name), core.CheckFolder+"/", check.Name, check.Message)
	}
	text.WriteString("\nFind out why, and change the project so that they pass and your work keeps its purpose. " +
		"Change a check only if it tests what this task was to change.")
	return text.String()
}

// requestToSettle asks the agent to settle conflicts.
func requestToSettle(conflicts []core.MergeConflict) string {
	var text strings.Builder
	text.WriteString("While you worked here, the project itself has changed. Its present files are in this copy now, with your changes on top of them. These files conflict:\n\n")
	for i, conflict := range conflicts {
		if i == maxRequested {
			fmt.Fprintf(&text, "- and %d more\n", len(conflicts)-i)
			break
		}
		fmt.Fprintf(&text, "- %s: %s\n", conflict.Path, conflict.Message)
	}
	text.WriteString("\nIn texts, the places are marked: between \"<<<<<<< this copy\" and \"=======\" are your lines, between \"=======\" and \">>>>>>> the project\" those of the project. " +
		"Settle each place so that both changes keep their purpose, and remove all markers. " +
		"A file that was deleted on one side is there again: keep it or delete it, whichever serves both changes.")
	return text.String()
}
