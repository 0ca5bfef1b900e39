package chat

import (
	"cmp"
	"context"
	"maps"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/ports/ai"
)

// task collects everything that the agent works with.
func (s *Service) task(ctx context.Context, run core.Run, journal *journal) (agent.Task, error) {
	chat, err := s.store.Tables().Chats.ByID(ctx, run.ChatID)
	if err != nil {
		return agent.Task{}, err
	}
	mode := cmp.Or(run.Mode, chat.Mode)
	defined, err := s.definedMode(ctx, run, mode)
	if err != nil {
		return agent.Task{}, err
	}
	choice, err := s.choose(ctx, run, defined)
	if err != nil {
		return agent.Task{}, err
	}
	if choice.Fallback && chat.TokensPerByte != nil {
		return agent.Task{}, core.Errorf(core.CodeModelUnavailable,
			"no model answers, and the demo does not go on with a chat that a model has answered: let an admin start Ollama and then this service, or add a provider")
	}
	history, err := s.events.history(ctx, run.ChatID)
	if err != nil {
		return agent.Task{}, err
	}
	images, err := s.images(ctx, choice, history)
	if err != nil {
		return agent.Task{}, err
	}
	task := agent.Task{
		Mode: mode, Defined: defined, Provider: choice.Provider, Model: choice.Model,
		Context: choice.ContextTokens, SetsWindow: choice.Kind == core.ProviderOllama, Structured: choice.Capabilities.Schema,
		AnswerTokens: choice.AnswerTokens, TokensPerByte: chat.TokensPerByte[choice.Source],
		Desk: runDesk{s.desks.Desk(run), s, run, journal.flush}, History: history, Images: images, Summary: chat.Summary,
		Resume: run.ResumedAt > 0, Intent: run.Intent,
		Meter: s.models.Meter(run, choice), Record: journal.record,
		Intend:   func(ctx context.Context, intent core.Intent) error { return s.intend(ctx, run, journal, intent) },
		Remember: func(ctx context.Context, summary core.Summary) error { return s.remember(ctx, run, summary) },
	}
	if choice.Kind != core.ProviderDemo {
		task.Calibrate = func(ctx context.Context, tokensPerByte float64) error {
			return s.calibrate(ctx, run, choice.Source, tokensPerByte)
		}
	}
	return task, nil
}

// Choice is the model that answers a message.
type Choice struct {
	Provider ai.Provider
	Model    string
	// Source identifies the provider: it distinguishes equal model names of several.
	Source string
	// ContextTokens is the model's window, AnswerTokens the longest answer that it can
	// write; 0 means unknown.
	ContextTokens, AnswerTokens int
	// Capabilities are the known capabilities of the model. Provider speaks its
	// dialect.
	Capabilities core.ProviderCapabilities
	Kind         core.ProviderKind
	// Fallback says that the demo replaces a model that does not answer.
	Fallback bool
	// Own says that the sender pays, not the workspace; Platform that the operator
	// does.
	Own, Platform bool
}

// choose chooses the model that answers. A mode's model is one of the workspace's, so
// it is ignored for a person's own subscription.
func (s *Service) choose(ctx context.Context, run core.Run, defined *core.Mode) (Choice, error) {
	if run.OwnProvider {
		if err := s.models.CheckOwn(ctx, run.UserID); err != nil {
			return Choice{}, err
		}
		return s.models.ChooseOwn(ctx, run.UserID, run.Model)
	}
	wanted := run.Model
	if wanted == "" && defined != nil && defined.Model != nil {
		wanted = *defined.Model
	}
	return s.models.Choose(ctx, run.WorkspaceID, wanted)
}

// definedMode returns the definition of a mode by the run's workspace, nil for a
// built-in mode and for a word that nothing defines.
func (s *Service) definedMode(ctx context.Context, run core.Run, name string) (*core.Mode, error) {
	if core.IsBuiltInMode(name) {
		return nil, nil
	}
	mode, err := s.store.Tables().Modes.ByName(ctx, run.WorkspaceID, name)
	if core.IsCode(err, core.CodeNotFound) {
		return nil, nil
	}
	return &mode, err
}

// remember stores the summary of the beginning of the chat.
func (s *Service) remember(ctx context.Context, run core.Run, summary core.Summary) error {
	_, err := s.store.Tables().Chats.Update(ctx, run.ChatID, func(chat *core.Chat) error {
		chat.Summary = &summary
		return nil
	})
	return err
}

// maxCalibrated is for how many models a chat remembers the tokens per byte.
const maxCalibrated = 16

// calibrate stores the tokens per byte that a run measured for a model.
func (s *Service) calibrate(ctx context.Context, run core.Run, source string, tokensPerByte float64) error {
	_, err := s.store.Tables().Chats.Update(ctx, run.ChatID, func(chat *core.Chat) error {
		learnt := maps.Clone(chat.TokensPerByte)
		if learnt == nil || len(learnt) >= maxCalibrated {
			learnt = map[string]float64{}
		}
		learnt[source] = tokensPerByte
		chat.TokensPerByte = learnt
		return nil
	})
	return err
}

// keepPlan stores a plan as the chat's.
func (s *Service) keepPlan(ctx context.Context, run core.Run, plan *core.Plan) error {
	_, err := s.store.Tables().Chats.Update(ctx, run.ChatID, func(chat *core.Chat) error {
		chat.Plan = plan
		return nil
	})
	return err
}
