package functions

import (
	"context"
	"errors"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/models"
	"github.com/atelierhq/atelier/ports/functions"
)

// Models answers prompts at the expense of workspaces; models.Providers implements it.
type Models interface {
	Answer(ctx context.Context, prompt models.Prompt) (string, error)
}

// AI implements functions.Host. The provider's error messages go to the log only, because a
// function may show its errors to strangers.
func (h *host) AI(ctx context.Context, prompt string, options functions.AIOptions) (string, error) {
	switch {
	case strings.TrimSpace(prompt) == "":
		return "", core.Errorf(core.CodeValidationFailed, "the prompt is empty")
	case len(prompt)+len(options.System) > functions.MaxPromptBytes:
		return "", core.Errorf(core.CodePayloadTooLarge, "a prompt has at most %d KiB, with its system text", functions.MaxPromptBytes>>10)
	case options.MaxTokens < 0 || options.MaxTokens > functions.MaxPromptTokens:
		return "", core.Errorf(core.CodeValidationFailed, "maxTokens is a number from 1 to %d", functions.MaxPromptTokens)
	case h.prompts.Add(1) > functions.MaxPrompts:
		return "", core.Errorf(core.CodeRateLimited, "a function asks the AI model at most %d times a call", functions.MaxPrompts)
	}
	if err := h.limit.take(h.place, h.guest); err != nil {
		return "", err
	}
	if options.MaxTokens == 0 {
		options.MaxTokens = functions.MaxPromptTokens
	}
	answer, err := h.deps.Models.Answer(ctx, models.Prompt{Workspace: h.tenant, System: options.System, Text: prompt, MaxTokens: options.MaxTokens})
	switch {
	case err == nil:
		return answer, nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return "", core.Errorf(core.CodeModelUnavailable, "the AI model takes too long")
	case core.IsCode(err, core.CodeNoProvider):
		return "", core.Errorf(core.CodeNoProvider, "no AI provider is configured for this workspace: an admin can add one in its settings")
	case core.IsCode(err, core.CodeCreditExhausted):
		return "", core.Errorf(core.CodeCreditExhausted, "the workspace's credit for AI is used up")
	}
	h.deps.Log.WarnContext(ctx, "the prompt of a function was not answered", "project", h.place.Project, "error", err)
	return "", core.Errorf(core.CodeModelUnavailable, "the AI model did not answer: try again later")
}
