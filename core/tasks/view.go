package tasks

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/copies"
	"github.com/atelierhq/atelier/ports/storage"
)

// Status is the status of a task as people see it.
type Status string

// The statuses of a task.
const (
	// Working: the agent works in the copy, or is about to.
	Working Status = "working"
	// Ready: the agent has finished, and the task can be merged.
	Ready Status = "ready"
	// Failed: the agent's last run in the copy failed.
	Failed Status = "failed"
	// Conflict: the last merge met conflicts.
	Conflict Status = "conflict"
	// ChecksFailed: checks that fail with the task's changes held the last merge back.
	ChecksFailed Status = "checks_failed"
	// Merging: the task is being merged.
	Merging Status = "merging"
	// Merged: the project has the task's changes.
	Merged Status = "merged"
)

// View is a task as people see it. CopyID is the working copy, nil once it is removed; ChatID is a
// chat of the copy, and of the project after the merge.
type View struct {
	ID        core.ID  `json:"id"`
	ProjectID core.ID  `json:"projectId"`
	Title     string   `json:"title"`
	Status    Status   `json:"status"`
	CopyID    *core.ID `json:"copyId"`
	ChatID    core.ID  `json:"chatId"`
	// Progress is the agent's present or last step, in one line.
	Progress string `json:"progress"`
	// Conflicts are the files at which the last merge stopped.
	Conflicts []core.MergeConflict `json:"conflicts"`
	// Problem says why the last merge failed for another reason.
	Problem string `json:"problem,omitempty"`
	// VersionID is the version that the merge made, nil if there was nothing to merge.
	VersionID *string         `json:"versionId"`
	Checks    core.TaskChecks `json:"checks"`
	// Files are the files that the task changed. Lists do not have them.
	Files     []copies.FileDifference `json:"files,omitempty"`
	CreatedBy core.ID                 `json:"createdBy"`
	CreatedAt core.Time               `json:"createdAt"`
	UpdatedAt core.Time               `json:"updatedAt"`
}

// progressEvents is how many of a chat's last events are searched for progress.
const progressEvents = 40

// view adds to a task what its copy's chats know.
func (b *Board) view(ctx context.Context, task core.Task) (View, error) {
	view := View{
		ID: task.ID, ProjectID: task.ProjectID, Title: task.Title, ChatID: task.ChatID, Conflicts: task.Conflicts, Problem: task.Problem,
		Checks: task.Checks, CreatedBy: task.CreatedBy, CreatedAt: task.CreatedAt, UpdatedAt: task.UpdatedAt,
	}
	if task.CopyID != "" {
		view.CopyID = &task.CopyID
	}
	if task.VersionID != "" {
		view.VersionID = &task.VersionID
	}
	if view.Conflicts == nil {
		view.Conflicts = []core.MergeConflict{}
	}
	if task.State == core.TaskMerged {
		view.Status = Merged
		return view, nil
	}
	work, err := b.workOf(ctx, task)
	view.Status, view.Progress = work.status(task), work.progress
	return view, err
}

// work is the agent's in a copy.
type work struct {
	running  bool
	progress string
	// last is the last event of the chat's last run, nil while that goes on.
	last core.Payload
}

func (b *Board) workOf(ctx context.Context, task core.Task) (work, error) {
	tables := b.deps.Store.Tables()
	chats, err := tables.Chats.List(ctx, task.CopyID)
	if err != nil {
		return work{}, err
	}
	var found work
	for _, chat := range chats {
		found.running = found.running || chat.Running
	}
	events, err := tables.Events.Read(ctx, task.ChatID, storage.EventRange{Limit: progressEvents, Newest: true})
	if err != nil || len(events) == 0 {
		return found, err
	}
	if newest := events[len(events)-1]; newest.Ends() {
		found.last = newest.Payload
	}
	for i := len(events) - 1; i >= 0 && found.progress == ""; i-- {
		found.progress = progressOf(events[i].Payload)
	}
	return found, nil
}

func (w work) status(task core.Task) Status {
	_, failed := w.last.(core.SessionError)
	switch {
	case task.State == core.TaskMerging:
		return Merging
	case task.State == core.TaskStarting, w.running, task.Resolving:
		return Working
	case len(task.Conflicts) > 0:
		return Conflict
	case task.Checks.State == core.ChecksFailed:
		return ChecksFailed
	case failed:
		return Failed
	}
	return Ready
}

// maxProgressChars bounds the line of progress.
const maxProgressChars = 160

// progressOf is an event in one line, "" if it says nothing of its own.
func progressOf(payload core.Payload) string {
	var text string
	switch of := payload.(type) {
	case core.SessionError:
		text = of.Message
	case core.AssistantMessage:
		text = of.Text
	case core.ToolCall:
		text = of.Tool + subjectOf(of.Args)
	case core.CheckResult:
		text = of.Title
	}
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return core.ShortenChars(line, maxProgressChars)
}

// subjectOf is the main argument of a tool, after a space.
func subjectOf(args json.RawMessage) string {
	var known struct{ Path, To, Command, Query string }
	if json.Unmarshal(args, &known) != nil {
		return ""
	}
	for _, text := range []string{known.To, known.Path, known.Command, known.Query} {
		if text != "" {
			return " " + text
		}
	}
	return ""
}
