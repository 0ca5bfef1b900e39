package tasks

import (
	"context"
	"errors"
	"fmt"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/copies"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// agentAuthor signs merges, so that they can be undone like everything that the agent does.
var agentAuthor = core.Author{Kind: core.AuthorAgent, Name: "Atelier"}

// Merge brings the changes of a task into its project, as one version. With conflicts it changes
// nothing and returns core.CodeConflict with the files. Where there are checks and a browser it plays
// the checks on the merged files first, and if one fails that does not fail in the project as it is,
// it changes nothing and returns core.CodeChecksFailed with these; ignoreChecks merges nevertheless.
//
// It returns core.CodeChatBusy while the agent works in the copy or in the project, and
// core.CodeConflict for a task that is merged or being merged.
func (b *Board) Merge(ctx context.Context, by core.Actor, project, id core.ID, ignoreChecks bool) (View, error) {
	if _, err := b.find(ctx, by, core.ActionTaskMerge, project, id); err != nil {
		return View{}, err
	}
	task, err := b.claim(ctx, id, by.UserID, func(task *core.Task) { task.Checks = core.TaskChecks{Ignored: ignoreChecks} })
	if err != nil {
		return View{}, err
	}
	defer b.hold(ctx, task)()
	b.announce(ctx, project)
	task, err = b.merge(ctx, task, false)
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

// merge carries out a merge that was claimed. resumed says that a process died with it.
func (b *Board) merge(ctx context.Context, task core.Task, resumed bool) (core.Task, error) {
	ctx = context.WithoutCancel(ctx)
	m := &claimedMerge{Board: b, task: task, resumed: resumed}
	version, err := m.land(ctx)
	switch {
	case err == nil:
		return m.settle(ctx, version)
	case b.life.Err() != nil:
		// Another process goes on.
		return core.Task{}, errors.Join(err, b.postpone(ctx, task.ID, waitPoll))
	}
	return core.Task{}, errors.Join(err, m.reopen(ctx, err))
}

// claimedMerge is a merge, or a rebase, of a task that was claimed for it.
type claimedMerge struct {
	*Board
	task    core.Task
	resumed bool
	// played is the outcome of the checks on the files that are merged.
	played core.TaskChecks
}

// land makes the version and returns its id, "" if there was nothing to merge.
func (m *claimedMerge) land(ctx context.Context) (string, error) {
	waiting, stop := both(ctx, m.life)
	defer stop()
	unlock, err := m.merges.Lock(waiting, m.task.ProjectID)
	if err != nil {
		return "", err
	}
	defer unlock()
	if m.resumed {
		if made, err := m.madeBefore(ctx); made != "" || err != nil {
			return made, err
		}
	}
	if err := checkIdle(ctx, m.deps.Store.Tables(), m.task.ProjectID); err != nil {
		return "", err
	}
	for range rehearsals {
		rehearsed, err := m.rehearse(ctx)
		if err != nil {
			return "", err
		}
		if !rehearsed {
			break
		}
		version, err := m.files(ctx, m.task.Base)
		if !errors.Is(err, copies.ErrMoved) {
			return version, err
		}
	}
	m.played = core.TaskChecks{}
	return m.files(ctx, "")
}

// files merges the files, and returns the id of the version, "" if there was nothing to merge. It
// returns copies.ErrMoved if the project no longer equals onto, a version of the copy.
func (m *claimedMerge) files(ctx context.Context, onto string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	if err := m.suspend(ctx); err != nil {
		return "", err
	}
	work, err := m.deps.Merger.Keep(ctx, m.task.CopyID)
	if err != nil {
		return "", err
	}
	message, err := m.message(ctx)
	if err != nil {
		return "", err
	}
	chat := m.task.ID
	version, changed, err := m.deps.Merger.Merge(ctx, copies.MergeRequest{
		Copy: m.task.CopyID, Base: m.task.Base, Work: work, Project: m.task.ProjectID, Onto: onto,
		Commit: vcs.Commit{Message: message, Author: agentAuthor, ChatID: &chat},
		Into:   m.deps.Committer.As(m.deps.Gate, core.Unattended(m.task.By), core.ActionTaskMerge), Resumed: m.resumed,
		Check: func(ctx context.Context) error { return checkIdle(ctx, m.deps.Store.Tables(), m.task.ProjectID) },
	})
	if err == nil && !changed {
		return m.madeBefore(ctx)
	}
	return version.ID, err
}

// suspend closes the copy: what was saved in it after the merge would go with it.
func (m *claimedMerge) suspend(ctx context.Context) error {
	return m.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		return m.deps.Copies.Suspend(ctx, tables, m.task.CopyID)
	})
}

// resume opens a suspended copy again, so that checks can be played in it.
func (m *claimedMerge) resume(ctx context.Context) error {
	return m.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		return m.deps.Copies.Resume(ctx, tables, m.task.CopyID)
	})
}

// searched is how many of a project's last versions are searched for a merge that a crash
// interrupted after its version was made.
const searched = 100

// madeBefore returns the version of an earlier attempt to merge the task, "" if there is none.
func (m *claimedMerge) madeBefore(ctx context.Context) (string, error) {
	versions, err := m.deps.History.Versions(ctx, m.task.ProjectID, "", searched)
	if err != nil {
		return "", err
	}
	for _, version := range versions {
		if version.Chat == core.MarkOf(m.task.ID) {
			return version.ID, nil
		}
	}
	return "", nil
}

// message is the name of the version: the title that a person gave the task, or what changed. A title
// that is the beginning of the message must not become public with the project.
func (m *claimedMerge) message(ctx context.Context) (string, error) {
	if hasOwnTitle(m.task) {
		return core.ShortenChars("Task: "+m.task.Title, files.MaxMessageChars), nil
	}
	changed, err := m.deps.Merger.Changes(ctx, m.task.CopyID, m.task.Base)
	paths, actions := make([]string, len(changed)), map[string]core.FileAction{}
	for i, file := range changed {
		paths[i], actions[file.Path] = file.Path, file.Action()
	}
	return core.NameOfChanges(paths, actions), err
}

// settle records a merge: the chat moves to the project, and the worker removes the copy. It plays
// the checks of the project as well if they were not played on the files that were merged.
func (m *claimedMerge) settle(ctx context.Context, version string) (core.Task, error) {
	var settled core.Task
	err := m.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		checks, err := m.checks(ctx, tables)
		if err != nil {
			return err
		}
		err = m.deps.Copies.KeepChat(ctx, tables, m.task.ChatID, m.task.ID, m.task.ProjectID)
		if err != nil && !core.IsCode(err, core.CodeNotFound) {
			return err
		}
		if err := m.deps.Copies.Condemn(ctx, tables, m.task.CopyID); err != nil {
			return err
		}
		settled, err = tables.Tasks.Update(ctx, m.task.ID, func(stored *core.Task) error {
			if stored.State == core.TaskMerged {
				return core.Errorf(core.CodeConflict, "this task is merged")
			}
			stored.State, stored.ChatID, stored.VersionID, stored.Checks = core.TaskMerged, m.task.ID, version, checks
			stored.DueAt, stored.UpdatedAt = m.now(), m.now()
			return nil
		})
		return err
	})
	if err == nil {
		m.announce(ctx, m.task.ProjectID, core.NoticeProject)
		m.announce(ctx, m.task.CopyID, core.NoticeProject) // everyone who has it open leaves it
		m.wake.Send()
	}
	return settled, err
}

// reopen records why a merge or a rebase failed.
func (m *claimedMerge) reopen(ctx context.Context, why error) error {
	var known *core.Error
	problem := "the task could not be merged: try again"
	if errors.As(why, &known) && known.Code != core.CodeInternal {
		problem = known.Message
	}
	err := m.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		_, err := tables.Tasks.Update(ctx, m.task.ID, func(stored *core.Task) error {
			if stored.State != core.TaskMerging {
				return core.Errorf(core.CodeConflict, "the task is not being merged")
			}
			stored.State, stored.Work, stored.Resolving, stored.DueAt, stored.UpdatedAt = core.TaskOpen, "", false, 0, m.now()
			if stored.Checks.State != core.ChecksFailed {
				stored.Checks = core.TaskChecks{}
			}
			switch {
			case known != nil && known.Code == core.CodeChecksFailed:
				stored.Checks = m.played
			case known != nil && len(known.Conflicts) > 0:
				stored.Conflicts = known.Conflicts
			default:
				stored.Problem = problem
			}
			return nil
		})
		if err != nil {
			return err
		}
		return m.deps.Copies.Resume(ctx, tables, m.task.CopyID)
	})
	m.announce(ctx, m.task.ProjectID)
	if err != nil {
		return fmt.Errorf("reopen the task: %w", err)
	}
	return nil
}
