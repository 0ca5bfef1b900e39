package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// chatRow mirrors core.Chat, whose Running is derived.
type chatRow struct {
	bun.BaseModel `bun:"table:chats,alias:c"`
	ID            core.ID
	ProjectID     core.ID
	Title         string
	Mode          string
	IsDefault     bool
	CreatedAt     core.Time
	UpdatedAt     core.Time
	Plan          *core.Plan
	Summary       *core.Summary
	TokensPerByte map[string]float64 `bun:",nullzero"`
	Briefing      *core.Briefing
	Running       bool `bun:",scanonly"`
}

func rowOfChat(chat core.Chat) chatRow {
	return chatRow{
		ID: chat.ID, ProjectID: chat.ProjectID, Title: chat.Title, Mode: chat.Mode, IsDefault: chat.IsDefault,
		CreatedAt: chat.CreatedAt, UpdatedAt: chat.UpdatedAt, Plan: chat.Plan, Summary: chat.Summary, TokensPerByte: chat.TokensPerByte, Briefing: chat.Briefing, Running: chat.Running,
	}
}

func (r chatRow) chat() core.Chat {
	return core.Chat{
		ID: r.ID, ProjectID: r.ProjectID, Title: r.Title, Mode: r.Mode, IsDefault: r.IsDefault,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, Plan: r.Plan, Summary: r.Summary, TokensPerByte: r.TokensPerByte, Briefing: r.Briefing, Running: r.Running,
	}
}

func selectChats(db bun.IDB, model any) *bun.SelectQuery {
	return db.NewSelect().Model(model).ColumnExpr("c.*, EXISTS (" +
		"SELECT 1 FROM runs AS r WHERE r.chat_id = c.id AND r.status IN ('queued', 'running')) AS running")
}

type chats struct{ session }

// Create implements storage.Chats.
func (c chats) Create(ctx context.Context, chat core.Chat) error {
	if err := storage.CheckText(chat); err != nil {
		return err
	}
	row := rowOfChat(chat)
	return insert(ctx, c.session, "chat", &row)
}

// ByID implements storage.Chats.
func (c chats) ByID(ctx context.Context, id core.ID) (core.Chat, error) {
	var row chatRow
	err := c.read(ctx, "chat", func(ctx context.Context, db bun.IDB) error {
		return selectChats(db, &row).Where("c.id = ?", id).Scan(ctx)
	})
	return row.chat(), err
}

// List implements storage.Chats.
func (c chats) List(ctx context.Context, project core.ID) ([]core.Chat, error) {
	var rows []chatRow
	err := c.read(ctx, "chat", func(ctx context.Context, db bun.IDB) error {
		return selectChats(db, &rows).Where("c.project_id = ?", project).OrderExpr("c.created_at, c.id").Scan(ctx)
	})
	return each(rows, chatRow.chat), err
}

// Update implements storage.Chats.
func (c chats) Update(ctx context.Context, id core.ID, change func(*core.Chat) error) (core.Chat, error) {
	var chat core.Chat
	err := c.write(ctx, "chat", func(ctx context.Context, db bun.IDB) error {
		var row chatRow
		if err := c.lock(selectChats(db, &row).Where("c.id = ?", id)).Scan(ctx); err != nil {
			return err
		}
		chat = row.chat()
		if err := change(&chat); err != nil {
			return refusal{err}
		}
		chat.ID, chat.CreatedAt, chat.Running = row.ID, row.CreatedAt, row.Running
		if err := storage.CheckText(chat); err != nil {
			return err
		}
		row = rowOfChat(chat)
		return replace(ctx, db, &row, id)
	})
	if err != nil {
		return core.Chat{}, err
	}
	return chat, nil
}

// Runs implements storage.Chats.
func (c chats) Runs(ctx context.Context, project core.ID) ([]core.Run, error) {
	var rows []runRow
	err := c.read(ctx, "run", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&rows).
			Join("JOIN chats AS c ON c.id = r.chat_id").
			Where("c.project_id = ? AND r.status IN ('queued', 'running')", project).
			OrderExpr("r.created_at, r.id").Scan(ctx)
	})
	return each(rows, runRow.run), err
}

// Delete implements storage.Chats.
func (c chats) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, c.session, "chat", "chats", id)
}
