package projects

import (
	"context"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/attachments"
	"github.com/atelierhq/atelier/core/commands"
	"github.com/atelierhq/atelier/ports/storage"
)

// firstRun returns the run that the first message begins, nil without one.
func firstRun(project core.Project, chat core.Chat, draft Draft) (*core.Run, error) {
	if draft.Prompt == nil || strings.TrimSpace(*draft.Prompt) == "" {
		if len(draft.Attachments) > 0 || draft.Model != "" || draft.Thinking != "" || draft.OwnProvider {
			return nil, core.Errorf(core.CodeValidationFailed, "prompt must say what to build: attachments, model, thinking and provider belong to it")
		}
		return nil, nil
	}
	if err := core.CheckMessage(*draft.Prompt); err != nil {
		return nil, core.Errorf(core.CodeValidationFailed, "prompt must have 1 to %d characters", core.MaxPromptChars)
	}
	return &core.Run{
		ID: core.NewID(), ChatID: chat.ID, ProjectID: project.ID, WorkspaceID: project.WorkspaceID, UserID: project.CreatedBy,
		Status: core.RunQueued, Text: *draft.Prompt, Mode: chat.Mode, Model: draft.Model, Thinking: draft.Thinking, OwnProvider: draft.OwnProvider, Detached: true,
		CreatedAt: project.CreatedAt,
	}, nil
}

// enclose loads the images of the first message, which may take long, and may reach other hosts.
func (c *Creations) enclose(ctx context.Context, plan *plan, draft Draft) error {
	if plan.run == nil || len(draft.Attachments) == 0 {
		return nil
	}
	var err error
	if plan.images, err = c.deps.Attachments.Load(ctx, draft.Attachments); err != nil {
		return err
	}
	plan.run.Attachments = attachments.Describe(plan.images)
	return nil
}

// storeRun stores the first message with its images, if there is one.
func (p *plan) storeRun(ctx context.Context, tables storage.Tables) error {
	if p.run == nil {
		return nil
	}
	run := *p.run
	meant, err := commands.Apply(ctx, tables, &run, nil, "")
	if err != nil {
		return err
	}
	run.Mode = meant.In(run.Mode)
	if err := tables.Runs.Create(ctx, run); err != nil {
		return err
	}
	return attachments.Store(ctx, tables, run, p.images)
}
