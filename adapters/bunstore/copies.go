package bunstore

import (
	"context"
	"encoding/json"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// Copy lets the database copy the rows, because a log may have a hundred thousand.
func (e events) Copy(ctx context.Context, from, to core.ID, names map[core.ID]core.ID) error {
	return e.write(ctx, "chat", func(ctx context.Context, db bun.IDB) error {
		// Insert the counter's row first: it marks a chat that has a log, and keeps other
		// transactions from beginning one.
		_, err := db.NewRaw("INSERT INTO chat_logs (chat_id, last_seq)"+
			" VALUES (?, coalesce((SELECT last_seq FROM chat_logs WHERE chat_id = ?), 0))", to, from).Exec(ctx)
		if err != nil {
			return err
		}
		_, err = db.NewRaw("INSERT INTO chat_events (chat_id, seq, type, created_at, payload)"+
			" SELECT ?, seq, type, created_at, payload FROM chat_events WHERE chat_id = ?"+
			" AND seq <= (SELECT last_seq FROM chat_logs WHERE chat_id = ?)", to, from, to).Exec(ctx)
		if err != nil || len(names) == 0 {
			return err
		}
		return renameAttachments(ctx, db, to, names)
	})
}

// renameAttachments gives the images in a log new ids.
func renameAttachments(ctx context.Context, db bun.IDB, chat core.ID, names map[core.ID]core.ID) error {
	var rows []eventRow
	err := db.NewSelect().Model(&rows).
		Where("e.chat_id = ?", chat).
		Where("(e.type = ? AND e.payload LIKE ?) OR (e.type IN (?, ?) AND e.payload LIKE ?) OR (e.type = ? AND e.payload LIKE ?)",
			core.EventUserMessage, `%"attachments":[{%`, core.EventToolResult, core.EventToolError, `%"frames":[{%`,
			core.EventCheckResult, `%"picture":{%`).Scan(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		event, err := row.event()
		if err != nil {
			return err
		}
		body, err := json.Marshal(core.RenameImages(event.Payload, names))
		if err != nil {
			return err
		}
		_, err = db.NewUpdate().Table("chat_events").Set("payload = ?", string(body)).
			Where("chat_id = ? AND seq = ?", chat, row.Seq).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// OfChat implements storage.Attachments.
func (a attachments) OfChat(ctx context.Context, chat core.ID) ([]core.ID, error) {
	var ids []core.ID
	err := a.read(ctx, "attachment", func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().TableExpr("attachments AS at").Column("at.id").
			Join("JOIN runs AS r ON r.id = at.run_id").Where("r.chat_id = ?", chat).
			OrderExpr("at.id").Scan(ctx, &ids)
	})
	return ids, err
}

// Copy leaves the data in the database.
func (a attachments) Copy(ctx context.Context, from, run, id core.ID) error {
	if !storage.Storable(string(id)) {
		return core.Errorf(core.CodeValidationFailed, "the attachment is not valid text")
	}
	return a.write(ctx, "attachment", func(ctx context.Context, db bun.IDB) error {
		result, err := db.NewRaw("INSERT INTO attachments (id, run_id, media_type, data)"+
			" SELECT ?, ?, media_type, data FROM attachments WHERE id = ?", id, run, from).Exec(ctx)
		if err != nil {
			return err
		}
		return oneRow(result, "attachment")
	})
}
