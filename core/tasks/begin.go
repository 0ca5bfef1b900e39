package tasks

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/attachments"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/ports/storage"
)

// stepLimit bounds a step that changes files, which continues after its caller has left.
const stepLimit = 5 * time.Minute

// Draft describes a new task. Content is the message to the agent, with commands, references and
// images as in a chat. An empty Title is taken from it, and an empty Mode is core.ModeBuild.
type Draft struct {
	Content     string
	Title       string
	Mode        string
	Model       string
	References  []core.Reference
	Attachments []attachments.Source
}

// Begin makes a copy of a project as it is now, opens a chat in it and sends the message. It returns
// core.CodeValidationFailed for a field out of bounds, core.CodeConflict if the project or its
// workspace has as many tasks at work as it may, and the errors of commands.Expand,
// mentions.Describe and attachments.Loader.
func (b *Board) Begin(ctx context.Context, by core.Actor, project core.ID, draft Draft) (View, error) {
	task, err := plan(b.now(), by, project, draft)
	if err != nil {
		return View{}, err
	}
	first, err := b.deps.compose(ctx, by, task, draft)
	if err != nil {
		return View{}, err
	}
	made := projects.CopyDraft{
		ID: task.CopyID, Action: core.ActionTask, Name: task.Title,
		Chat: core.Chat{
			ID: task.ChatID, ProjectID: task.CopyID, Title: task.Title, Mode: task.Mode, IsDefault: true,
			CreatedAt: task.CreatedAt, UpdatedAt: task.CreatedAt,
		},
		Admit: b.admit,
		Record: func(ctx context.Context, tables storage.Tables, made core.Project) error {
			task.DueAt = b.now().Add(lease)
			if err := tables.Tasks.Create(ctx, task); err != nil {
				return err
			}
			return first.store(ctx, tables, made)
		},
	}
	if _, err := b.deps.Copies.Make(ctx, by, project, made); err != nil {
		return View{}, err
	}
	b.announce(ctx, project)
	defer b.hold(ctx, task)()
	// The task is recorded: if this fails, the worker tries again.
	if err := b.start(context.WithoutCancel(ctx), task); err != nil {
		b.deps.Log.WarnContext(ctx, "could not start a task", "task", task.ID, "error", err)
		_ = b.postpone(ctx, task.ID, retryAfter)
	}
	return b.view(ctx, task)
}

func plan(now core.Time, by core.Actor, project core.ID, draft Draft) (core.Task, error) {
	if err := core.CheckMessage(draft.Content); err != nil {
		return core.Task{}, core.Errorf(core.CodeValidationFailed, "content must have 1 to %d characters", core.MaxMessageChars)
	}
	mode, err := core.CheckName("mode", cmp.Or(draft.Mode, core.ModeBuild), core.MaxModeChars)
	if err != nil {
		return core.Task{}, err
	}
	title, err := core.CheckName("title", cmp.Or(draft.Title, titleOf(draft.Content)), core.MaxTaskTitleChars)
	if err != nil {
		return core.Task{}, err
	}
	return core.Task{
		ID: core.NewID(), ProjectID: project, CopyID: core.NewID(), ChatID: core.NewID(), Title: title, State: core.TaskStarting,
		Text: draft.Content, Mode: mode, Model: draft.Model, By: by.UserID,
		CreatedBy: by.UserID, CreatedAt: now, UpdatedAt: now,
	}, nil
}

// titleChars is the length of a title that is taken from a message.
const titleChars = 60

// titleOf is the beginning of a message.
func titleOf(content string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(content), "\n")
	return cmp.Or(core.ShortenChars(core.CleanName(line), titleChars), "Task")
}

// hasOwnTitle reports whether a person gave the task its title, so that it is not from the message.
func hasOwnTitle(task core.Task) bool {
	taken, err := core.CheckName("title", titleOf(task.Text), core.MaxTaskTitleChars)
	return err == nil && task.Title != taken
}

// admit returns core.CodeConflict for a task too many.
func (b *Board) admit(ctx context.Context, tables storage.Tables, project core.Project) error {
	others, err := tables.Tasks.List(ctx, project.ID)
	if err != nil {
		return err
	}
	open := 0
	for _, task := range others {
		if task.State != core.TaskMerged {
			open++
		}
	}
	ofWorkspace, err := tables.Tasks.CountOpen(ctx, project.WorkspaceID)
	if err != nil {
		return err
	}
	return b.deps.Quotas.CheckTasks(open, ofWorkspace)
}

// start notes the base of a copy and sends the message.
func (b *Board) start(ctx context.Context, task core.Task) error {
	base, err := b.deps.Merger.Keep(ctx, task.CopyID)
	if err != nil {
		return err
	}
	err = b.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		_, err := tables.Tasks.Update(ctx, task.ID, func(stored *core.Task) error {
			if stored.State != core.TaskStarting {
				return core.Errorf(core.CodeConflict, "the task has started")
			}
			stored.State, stored.Base, stored.DueAt, stored.UpdatedAt = core.TaskOpen, base, 0, b.now()
			return nil
		})
		if err != nil {
			return err
		}
		if err = release(ctx, tables, task); core.IsCode(err, core.CodeNotFound) {
			// Tasks of an earlier release have no held run.
			err = b.send(ctx, tables, task, task.Text)
		}
		return err
	})
	if core.IsCode(err, core.CodeConflict) {
		return nil
	}
	if err == nil {
		b.deps.Queued()
		b.announce(ctx, task.ProjectID)
	}
	return err
}

// release queues the first message of a task.
func release(ctx context.Context, tables storage.Tables, task core.Task) error {
	_, err := tables.Runs.Update(ctx, task.ID, func(stored *core.Run) error {
		stored.Status = core.RunQueued
		return nil
	})
	return err
}

// send queues a message to the agent in the task's chat.
func (b *Board) send(ctx context.Context, tables storage.Tables, task core.Task, text string) error {
	made, err := access.ProjectIn(ctx, tables, core.Unattended(task.By), core.ActionChat, task.CopyID)
	if err != nil {
		return err
	}
	return tables.Runs.Create(ctx, core.Run{
		ID: core.NewID(), ChatID: task.ChatID, ProjectID: made.ID, WorkspaceID: made.WorkspaceID, UserID: task.By,
		Status: core.RunQueued, Text: text, Mode: task.Mode, Model: task.Model, Detached: true, CreatedAt: b.now(),
	})
}
