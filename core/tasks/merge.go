package tasks

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/copies"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// agentAuthor signs merges, so that they can be undone like everything that the agent does.
var agentAuthor = core.Author{Kind: core.AuthorAgent, Name: "Atelier"}

// Merge brings the changes of a task into its project, as one version, and has the project's checks
// played then. With conflicts it changes nothing and returns core.CodeConflict with the files. It
// returns core.CodeChatBusy while the agent works in the copy or in the project, and
// core.CodeConflict for a task that is merged or being merged.
func (b *Board) Merge(ctx context.Context, by core.Actor, project, id core.ID) (View, error) {
	if _, err := b.find(ctx, by, core.ActionTaskMerge, project, id); err != nil {
		return View{}, err
	}
	task, err := b.claim(ctx, id, by.UserID, func(*core.Task) {})
	if err != nil {
		return View{}, err
	}
	b.announce(ctx, project)
	task, err = b.merge(ctx, task)
	if err != nil {
		return View{}, err
	}
	return b.view(ctx, task)
}

// claim takes an open task for a merge or a rebase, if the agent does not work in its copy.
func (b *Board) claim(ctx context.Context, id, by core.ID, change func(*core.Task)) (core.Task, error) {
	var task core.Task
	err := b.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		var err error
		task, err = tables.Tasks.Update(ctx, id, func(stored *core.Task) error {
			switch stored.State {
			case core.TaskOpen:
			case core.TaskStarting:
				return core.Errorf(core.CodeChatBusy, "the agent has not begun with this task: wait until it has finished")
			case core.TaskMerging:
				return core.Errorf(core.CodeConflict, "this task is being merged")
			default:
				return core.Errorf(core.CodeConflict, "this task is merged")
			}
			stored.State, stored.By, stored.DueAt, stored.UpdatedAt = core.TaskMerging, by, b.now().Add(lease), b.now()
			stored.Conflicts, stored.Problem, stored.Resolving = nil, "", false
			change(stored)
			return nil
		})
		if err != nil {
			return err
		}
		return checkIdle(ctx, tables, task.CopyID)
	})
	return task, err
}

// checkIdle returns core.CodeChatBusy while the agent works in a project.
func checkIdle(ctx context.Context, tables storage.Tables, project core.ID) error {
	chats, err := tables.Chats.List(ctx, project)
	if err != nil {
		return err
	}
	for _, chat := range chats {
		if chat.Running {
			return core.Errorf(core.CodeChatBusy, "the agent is working in the chat %q: stop it, or wait until it has finished", chat.Title)
		}
	}
	return nil
}

// merge carries out a merge that was claimed.
func (b *Board) merge(ctx context.Context, task core.Task) (core.Task, error) {
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepLimit)
	defer cancel()
	version, err := b.mergeFiles(work, task)
	if err != nil {
		return core.Task{}, errors.Join(err, b.reopen(work, task, err))
	}
	return b.settle(work, task, version)
}

// mergeFiles makes the version, and returns its id, "" if there was nothing to merge.
func (b *Board) mergeFiles(ctx context.Context, task core.Task) (string, error) {
	work, err := b.deps.Merger.Keep(ctx, task.CopyID)
	if err != nil {
		return "", err
	}
	if made, err := b.madeBefore(ctx, task); made != "" || err != nil {
		return made, err
	}
	chat := task.ID
	version, changed, err := b.deps.Merger.Merge(ctx, copies.Merging{
		Copy: task.CopyID, Base: task.Base, Work: work, Project: task.ProjectID,
		Commit: vcs.Commit{Message: messageOf(task), Author: agentAuthor, ChatID: &chat},
		Into:   b.deps.Committer.As(b.deps.Gate, core.Actor{UserID: task.By}, core.ActionTaskMerge),
		Check:  func(ctx context.Context) error { return checkIdle(ctx, b.deps.Store.Tables(), task.ProjectID) },
	})
	if err != nil || !changed {
		return "", err
	}
	return version.ID, nil
}

// searched is how many of a project's last versions are searched for a merge that a crash
// interrupted after its version was made.
const searched = 100

// madeBefore returns the version of an earlier attempt to merge the task, "" if there is none.
func (b *Board) madeBefore(ctx context.Context, task core.Task) (string, error) {
	versions, err := b.deps.History.Versions(ctx, task.ProjectID, "", searched)
	if err != nil {
		return "", err
	}
	for _, version := range versions {
		if version.ChatID != nil && *version.ChatID == task.ID {
			return version.ID, nil
		}
	}
	return "", nil
}

func messageOf(task core.Task) string {
	message := "Task: " + task.Title
	if utf8.RuneCountInString(message) > files.MaxMessageChars {
		message = string([]rune(message)[:files.MaxMessageChars])
	}
	return message
}

// settle records a merge: the chat moves to the project, and the worker plays the checks and
// removes the copy.
func (b *Board) settle(ctx context.Context, task core.Task, version string) (core.Task, error) {
	var settled core.Task
	err := b.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		outcomes, err := tables.CheckOutcomes.List(ctx, task.ProjectID)
		if err != nil {
			return err
		}
		checks := core.TaskChecks{State: core.ChecksPending}
		for _, outcome := range outcomes {
			if outcome.Passed {
				checks.Passed = append(checks.Passed, outcome.Name)
			}
		}
		err = b.deps.Copies.KeepChat(ctx, tables, task.ChatID, task.ID, task.ProjectID)
		if err != nil && !core.IsCode(err, core.CodeNotFound) {
			return err
		}
		settled, err = tables.Tasks.Update(ctx, task.ID, func(stored *core.Task) error {
			if stored.State == core.TaskMerged {
				return core.Errorf(core.CodeConflict, "this task is merged")
			}
			stored.State, stored.ChatID, stored.VersionID, stored.Checks = core.TaskMerged, task.ID, version, checks
			stored.DueAt, stored.UpdatedAt = b.now(), b.now()
			return nil
		})
		return err
	})
	if err == nil {
		b.announce(ctx, task.ProjectID, core.NoticeProject)
		b.wake.Send()
	}
	return settled, err
}

// reopen records why a merge or a rebase failed.
func (b *Board) reopen(ctx context.Context, task core.Task, why error) error {
	var known *core.Error
	problem := "the task could not be merged: try again"
	if errors.As(why, &known) && known.Code != core.CodeInternal {
		problem = known.Message
	}
	_, err := b.deps.Store.Tables().Tasks.Update(ctx, task.ID, func(stored *core.Task) error {
		if stored.State != core.TaskMerging {
			return core.Errorf(core.CodeConflict, "the task is not being merged")
		}
		stored.State, stored.Work, stored.Resolving, stored.DueAt, stored.UpdatedAt = core.TaskOpen, "", false, 0, b.now()
		if known != nil && len(known.Conflicts) > 0 {
			stored.Conflicts = known.Conflicts
			return nil
		}
		stored.Problem = problem
		return nil
	})
	b.announce(ctx, task.ProjectID)
	if err != nil {
		return fmt.Errorf("reopen the task: %w", err)
	}
	return nil
}
