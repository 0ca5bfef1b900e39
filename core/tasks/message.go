package tasks

import (
	"context"
	"io"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/attachments"
	"github.com/atelierhq/atelier/core/commands"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/mentions"
	"github.com/atelierhq/atelier/ports/storage"
)

// message is the first message of a task. Its run has the task's id and is held until the copy has
// its base.
type message struct {
	task   core.Task
	draft  Draft
	about  string
	images []core.Image
	now    core.Time
}

// MayBegin returns the codes of access for a caller who may not begin tasks in a project.
func (b *Board) MayBegin(ctx context.Context, by core.Actor, project core.ID) error {
	_, err := b.deps.Gate.Project(ctx, by, core.ActionTask, project)
	return err
}

// compose loads what a message has with it, for a caller who may begin a task.
func (d Deps) compose(ctx context.Context, by core.Actor, task core.Task, draft Draft) (message, error) {
	first := message{task: task, draft: draft, now: task.CreatedAt}
	if len(draft.References) == 0 && len(draft.Attachments) == 0 {
		return first, nil
	}
	if _, err := d.Gate.Project(ctx, by, core.ActionTask, task.ProjectID); err != nil {
		return message{}, err
	}
	var err error
	if first.about, err = mentions.Describe(ctx, projectReader{d.Files, task.ProjectID}, draft.References); err != nil {
		return message{}, err
	}
	first.images, err = d.Attachments.Load(ctx, draft.Attachments)
	return first, err
}

// store stores the message with the copy.
func (m message) store(ctx context.Context, tables storage.Tables, made core.Project) error {
	run := core.Run{
		ID: m.task.ID, ChatID: m.task.ChatID, ProjectID: made.ID, WorkspaceID: made.WorkspaceID, UserID: m.task.By,
		Status: core.RunHeld, Text: m.task.Text, Attachments: attachments.Describe(m.images),
		Model: m.task.Model, Detached: true, CreatedAt: m.now,
	}
	meant, err := commands.Apply(ctx, tables, &run, m.draft.References, m.about)
	if err != nil {
		return err
	}
	run.Mode = meant.In(m.task.Mode)
	if err := tables.Runs.Create(ctx, run); err != nil {
		return err
	}
	return attachments.Store(ctx, tables, run, m.images)
}

// maxReferred is the largest file that a message refers to with its text.
const maxReferred = 4 << 20

// projectReader reads the files of a project; it implements mentions.Reader.
type projectReader struct {
	files   files.Reader
	project core.ID
}

// Read implements mentions.Reader.
func (r projectReader) Read(ctx context.Context, path core.ProjectPath) ([]byte, string, error) {
	file, err := r.files.Open(ctx, core.FileAt{Project: r.project, Path: path})
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	if file.Entry.Size > maxReferred {
		return nil, "", core.Errorf(core.CodePayloadTooLarge, "%s has %d bytes, more than can be read at once", path, file.Entry.Size)
	}
	content, err := io.ReadAll(io.LimitReader(file, maxReferred))
	if err != nil {
		return nil, "", core.Wrap(core.CodeUnavailable, err, "%s could not be read", path)
	}
	return content, file.Entry.ETag, nil
}
