package chat

import (
	"context"
	"maps"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// memory is the part of a chat's record for the chat's next runs.
type memory struct {
	store storage.Store
	chat  core.ID
}

func (x *execution) memory() memory { return memory{x.store, x.run.ChatID} }

// keepSummary stores the summary of the beginning of the chat.
func (m memory) keepSummary(ctx context.Context, summary core.Summary) error {
	_, err := m.store.Tables().Chats.Update(ctx, m.chat, func(chat *core.Chat) error {
		chat.Summary = &summary
		return nil
	})
	return err
}

// keepBriefing stores what the model was told of the project.
func (m memory) keepBriefing(ctx context.Context, briefing core.Briefing) error {
	_, err := m.store.Tables().Chats.Update(ctx, m.chat, func(chat *core.Chat) error {
		chat.Briefing = &briefing
		return nil
	})
	return err
}

// maxCalibrated is for how many models a chat remembers the tokens per byte.
const maxCalibrated = 16

// keepTokensPerByte stores the tokens per byte that a run measured for a model.
func (m memory) keepTokensPerByte(ctx context.Context, source string, tokensPerByte float64) error {
	_, err := m.store.Tables().Chats.Update(ctx, m.chat, func(chat *core.Chat) error {
		measured := maps.Clone(chat.TokensPerByte)
		if measured == nil || len(measured) >= maxCalibrated {
			measured = map[string]float64{}
		}
		measured[source] = tokensPerByte
		chat.TokensPerByte = measured
		return nil
	})
	return err
}

// keepPlan stores a plan as the chat's.
func (m memory) keepPlan(ctx context.Context, plan *core.Plan) error {
	_, err := m.store.Tables().Chats.Update(ctx, m.chat, func(chat *core.Chat) error {
		chat.Plan = plan
		return nil
	})
	return err
}
