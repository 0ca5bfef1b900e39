package chat

import (
	"context"
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// Chats is the use cases around the records of chats: their titles and modes, their
// stored events and plans.
type Chats struct {
	store  storage.Store
	gate   *access.Gate
	quotas core.Quotas
	now    func() time.Time
}

// chatIn returns a project and a chat of it, for a caller who may use it.
func chatIn(ctx context.Context, tables storage.Tables, by core.Actor, projectID, chatID core.ID) (core.Project, core.Chat, error) {
	project, err := access.ProjectIn(ctx, tables, by, core.ActionChat, projectID)
	if err != nil {
		return core.Project{}, core.Chat{}, err
	}
	chat, err := tables.Chats.ByID(ctx, chatID)
	if err != nil {
		return core.Project{}, core.Chat{}, err
	}
	if chat.ProjectID != projectID {
		return core.Project{}, core.Chat{}, core.NotFound("chat")
	}
	return project, chat, nil
}

// List returns a project's chats, the oldest first.
func (c *Chats) List(ctx context.Context, by core.Actor, project core.ID) ([]core.Chat, error) {
	if _, err := c.gate.Project(ctx, by, core.ActionChat, project); err != nil {
		return nil, err
	}
	return c.store.Tables().Chats.List(ctx, project)
}

// Attachment returns an image of a message of a chat.
func (c *Chats) Attachment(ctx context.Context, by core.Actor, project, chat, id core.ID) (core.Image, error) {
	tables := c.store.Tables()
	if _, _, err := chatIn(ctx, tables, by, project, chat); err != nil {
		return core.Image{}, err
	}
	ids, err := tables.Attachments.OfChat(ctx, chat)
	if err != nil {
		return core.Image{}, err
	}
	if !slices.Contains(ids, id) {
		return core.Image{}, core.NotFound("attachment")
	}
	return tables.Attachments.ByID(ctx, id)
}

// NewChat describes a new chat. A nil Title means "New chat".
type NewChat struct {
	Mode  string
	Title *string
}

// Create opens a chat. It returns core.CodeValidationFailed if the mode or the
// title is out of bounds, and core.CodeConflict if the project already has as many
// chats as it may.
func (c *Chats) Create(ctx context.Context, by core.Actor, project core.ID, input NewChat) (core.Chat, error) {
	if _, err := c.gate.Project(ctx, by, core.ActionChat, project); err != nil {
		return core.Chat{}, err
	}
	title := "New chat"
	if input.Title != nil {
		title = *input.Title
	}
	now := core.At(c.now())
	chat := core.Chat{ID: core.NewID(), ProjectID: project, CreatedAt: now, UpdatedAt: now}
	if err := (Changes{Title: &title, Mode: &input.Mode}).apply(&chat); err != nil {
		return core.Chat{}, err
	}
	return chat, c.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := access.ProjectIn(ctx, tables, by, core.ActionChat, project); err != nil {
			return err
		}
		others, err := tables.Chats.List(ctx, project)
		if err != nil {
			return err
		}
		if err := c.quotas.CheckChats(len(others)); err != nil {
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
func (c *Chats) Update(ctx context.Context, by core.Actor, project, chat core.ID, changes Changes) (core.Chat, error) {
	var changed core.Chat
	err := c.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, _, err := chatIn(ctx, tables, by, project, chat); err != nil {
			return err
		}
		var err error
		changed, err = tables.Chats.Update(ctx, chat, func(chat *core.Chat) error {
			chat.UpdatedAt = core.At(c.now())
			return changes.apply(chat)
		})
		return err
	})
	return changed, err
}

// Delete removes a chat with its log. It returns core.CodeConflict for the last
// chat of a project, and core.CodeChatBusy for one with an active run. If the
// default chat is deleted, the oldest remaining chat becomes the default.
func (c *Chats) Delete(ctx context.Context, by core.Actor, project, chat core.ID) error {
	return c.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
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
			return core.Errorf(core.CodeChatBusy, "the agent is working in this chat: stop it first")
		}
		if err := tables.Chats.Delete(ctx, chat); err != nil || !found.IsDefault {
			return err
		}
		next := chats[0].ID
		if next == chat {
			next = chats[1].ID
		}
		_, err = tables.Chats.Update(ctx, next, func(chat *core.Chat) error {
			chat.IsDefault = true
			return nil
		})
		return err
	})
}

// Limits of a page of history.
const (
	DefaultHistoryLimit = 50
	MaxHistoryLimit     = 500
)

// History returns events of a chat in ascending order: those after span.After, or
// the newest if it is negative, and before span.Before unless that is 0. The second
// result says whether there are more in the direction of reading.
func (c *Chats) History(ctx context.Context, by core.Actor, project, chat core.ID, span storage.EventRange) ([]core.Event, bool, error) {
	if _, _, err := chatIn(ctx, c.store.Tables(), by, project, chat); err != nil {
		return nil, false, err
	}
	limit := span.Limit
	span.Limit++
	events, err := c.store.Tables().Events.Read(ctx, chat, span)
	if err != nil || len(events) <= limit {
		return events, false, err
	}
	if span.Newest {
		return events[1:], true, nil
	}
	return events[:limit], true, nil
}

// Plan returns the last plan of a chat, or core.CodeNotFound if there is none.
func (c *Chats) Plan(ctx context.Context, by core.Actor, project, chat core.ID) (core.Plan, error) {
	_, found, err := chatIn(ctx, c.store.Tables(), by, project, chat)
	if err != nil {
		return core.Plan{}, err
	}
	if found.Plan == nil {
		return core.Plan{}, core.NotFound("plan")
	}
	return *found.Plan, nil
}
