package chat

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// Chats returns a project's chats, the oldest first.
func (s *Service) Chats(ctx context.Context, by core.Actor, project core.ID) ([]core.Chat, error) {
	if _, err := s.gate.Project(ctx, by, core.ActionChat, project); err != nil {
		return nil, err
	}
	return s.store.Tables().Chats.List(ctx, project)
}

// NewChat describes a new chat. A nil Title means "New chat".
type NewChat struct {
	Mode  string
	Title *string
}

// Create opens a chat. It returns core.CodeValidationFailed if the mode or the
// title is out of bounds, and core.CodeConflict if the project already has as many
// chats as it may.
func (s *Service) Create(ctx context.Context, by core.Actor, project core.ID, input NewChat) (core.Chat, error) {
	if _, err := s.gate.Project(ctx, by, core.ActionChat, project); err != nil {
		return core.Chat{}, err
	}
	title := "New chat"
	if input.Title != nil {
		title = *input.Title
	}
	now := core.At(s.now())
	chat := core.Chat{ID: core.NewID(), ProjectID: project, CreatedAt: now, UpdatedAt: now}
	if err := (Changes{Title: &title, Mode: &input.Mode}).apply(&chat); err != nil {
		return core.Chat{}, err
	}
	return chat, s.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := access.ProjectIn(ctx, tables, by, core.ActionChat, project); err != nil {
			return err
		}
		others, err := tables.Chats.List(ctx, project)
		if err != nil {
			return err
		}
		if err := s.quotas.CheckChats(len(others)); err != nil {
			return err
		}
		return tables.Chats.Create(ctx, chat)
	})
}

// Changes alters a chat; nil fields are left unchanged.
type Changes struct {
	Title *string
	Mode  *string
}

func (c Changes) apply(chat *core.Chat) error {
	if c.Title != nil {
		title, err := core.CheckName("title", *c.Title, core.MaxChatTitleChars)
		if err != nil {
			return err
		}
		chat.Title = title
	}
	if c.Mode != nil {
		mode, err := core.CheckName("mode", *c.Mode, core.MaxModeChars)
		if err != nil {
			return err
		}
		chat.Mode = mode
	}
	return nil
}

// Update changes a chat's title or mode.
func (s *Service) Update(ctx context.Context, by core.Actor, project, chat core.ID, changes Changes) (core.Chat, error) {
	var changed core.Chat
	err := s.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, _, err := chatIn(ctx, tables, by, project, chat); err != nil {
			return err
		}
		var err error
		changed, err = tables.Chats.Update(ctx, chat, func(c *core.Chat) error {
			c.UpdatedAt = core.At(s.now())
			return changes.apply(c)
		})
		return err
	})
	return changed, err
}

// Delete removes a chat with its log. It returns core.CodeConflict for the last
// chat of a project, and core.CodeChatBusy for one with an active run. If the
// default chat is deleted, the oldest remaining chat becomes the default.
func (s *Service) Delete(ctx context.Context, by core.Actor, project, chat core.ID) error {
	return s.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		_, found, err := chatIn(ctx, tables, by, project, chat)
		if err != nil {
			return err
		}
		chats, err := tables.Chats.List(ctx, project)
		if err != nil {
			return err
		}
		if len(chats) < 2 {
			return core.Errorf(core.CodeConflict, "the last chat of a project cannot be deleted")
		}
		if _, err := tables.Runs.Busy(ctx, chat); !core.IsCode(err, core.CodeNotFound) {
			if err != nil {
				return err
			}
			return core.Errorf(core.CodeChatBusy, "the agent is at work in this chat: stop it first")
		}
		if err := tables.Chats.Delete(ctx, chat); err != nil || !found.IsDefault {
			return err
		}
		next := chats[0].ID
		if next == chat {
			next = chats[1].ID
		}
		_, err = tables.Chats.Update(ctx, next, func(c *core.Chat) error {
			c.IsDefault = true
			return nil
		})
		return err
	})
}

// Limits of a page of history (contract, section 6).
const (
	DefaultHistoryLimit = 50
	MaxHistoryLimit     = 500
)

// History returns events of a chat in ascending order: those after span.After, or
// the newest if it is negative, and before span.Before unless that is 0. The second
// result says whether there are more in the direction of reading.
func (s *Service) History(ctx context.Context, by core.Actor, project, chat core.ID, span storage.EventRange) ([]core.Event, bool, error) {
	if _, _, err := s.chatOf(ctx, by, project, chat); err != nil {
		return nil, false, err
	}
	limit := span.Limit
	span.Limit++
	events, err := s.store.Tables().Events.Read(ctx, chat, span)
	if err != nil || len(events) <= limit {
		return events, false, err
	}
	if span.Newest {
		return events[1:], true, nil
	}
	return events[:limit], true, nil
}
