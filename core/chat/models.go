package chat

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/ports/ai"
)

// Models chooses the model for a message, and meters what it costs.
type Models interface {
	// Choose resolves the model that a message asks for. It
	// returns core.CodeNoProvider if none is configured.
	Choose(ctx context.Context, workspace core.ID, model string) (Choice, error)
	// ChooseOwn resolves a message that spends a person's own AI subscription; "" is
	// its default model. It does not use the network.
	ChooseOwn(ctx context.Context, person core.ID, model string) (Choice, error)
	// CheckOwn returns core.CodeNoProvider if the person has no subscription.
	CheckOwn(ctx context.Context, person core.ID) error
	// Meter guards the credit of a run's workspace for calls of a model. A choice
	// that the sender pays for costs the workspace nothing.
	Meter(run core.Run, choice Choice) agent.Meter
	// Brush returns what paints pictures at the provider of a choice, with a meter like
	// Meter's; nil if it has no model that paints, or that cannot be found out now.
	Brush(ctx context.Context, run core.Run, choice Choice) *agent.Brush
}

// Choice is the model that answers a message.
type Choice struct {
	Provider ai.Provider
	Model    string
	// Painter is the same provider's part that paints, nil if it has none.
	Painter ai.Painter
	// Source identifies the provider: it distinguishes equal model names of several.
	Source string
	// ContextTokens is the model's window, AnswerTokens the longest answer that it can
	// write; 0 means unknown.
	ContextTokens, AnswerTokens int
	// SetsWindow says that requests ask for the window.
	SetsWindow bool
	// Capabilities are the known capabilities of the model. Provider speaks its
	// dialect.
	Capabilities core.ProviderCapabilities
	Kind         core.ProviderKind
	// KeepsThoughts says that the vendor wants its model's reasoning back between the calls
	// of tools.
	KeepsThoughts bool
	// Fallback says that the demo replaces a model that does not answer.
	Fallback bool
	// Emulated reports whether the model gets its tools as text, because it cannot call them. It is nil
	// where that is never so.
	Emulated func() bool
	// Own says that the sender pays, not the workspace; Platform that the operator
	// does.
	Own, Platform bool
}
