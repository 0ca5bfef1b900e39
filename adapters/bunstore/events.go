package bunstore

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type eventRow struct {
	bun.BaseModel `bun:"table:chat_events,alias:e"`
	ChatID        core.ID
	Seq           int64
	Type          core.EventType
	CreatedAt     core.Time
	Payload       string
}

func (r eventRow) event() (core.Event, error) {
	payload, err := core.DecodePayload(r.Type, []byte(r.Payload))
	return core.Event{Seq: r.Seq, CreatedAt: r.CreatedAt, Payload: payload}, err
}

type events struct{ session }

// Append implements storage.Events.
func (e events) Append(ctx context.Context, chat core.ID, at core.Time, payloads []core.Payload) ([]core.Event, error) {
	rows := make([]eventRow, len(payloads))
	for i, payload := range payloads {
		body, err := json.Marshal(payload)
		if err != nil {
			return nil, core.Wrap(core.CodeValidationFailed, err, "event %s cannot be encoded as JSON", payload.EventType())
		}
		if !storage.Storable(string(body)) {
			return nil, core.Errorf(core.CodeValidationFailed, "event %s is not valid text", payload.EventType())
		}
		rows[i] = eventRow{ChatID: chat, Type: payload.EventType(), CreatedAt: at, Payload: string(body)}
	}
	err := e.write(ctx, "chat", func(ctx context.Context, db bun.IDB) error {
		last, err := raise(ctx, db, chat, len(rows))
		if err != nil {
			return err
		}
		for i := range rows {
			rows[i].Seq = last - int64(len(rows)-1-i)
		}
		return insertEvents(ctx, db, rows)
	})
	if err != nil {
		return nil, err
	}
	appended := make([]core.Event, len(payloads))
	for i, payload := range payloads {
		appended[i] = core.Event{Seq: rows[i].Seq, CreatedAt: at, Payload: payload}
	}
	return appended, nil
}

// raise reserves the next count sequence numbers of the chat and returns the last. The
// counter's row stays locked until the transaction ends. So numbers become visible in
// order, and a rollback returns them.
func raise(ctx context.Context, db bun.IDB, chat core.ID, count int) (last int64, err error) {
	err = db.NewRaw("INSERT INTO chat_logs (chat_id, last_seq) VALUES (?, ?)"+
		" ON CONFLICT (chat_id) DO UPDATE SET last_seq = chat_logs.last_seq + EXCLUDED.last_seq"+
		" RETURNING last_seq", chat, count).Scan(ctx, &last)
	return last, err
}

func insertEvents(ctx context.Context, db bun.IDB, rows []eventRow) error {
	for chunk := range slices.Chunk(rows, 500) {
		if _, err := db.NewInsert().Model(&chunk).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Read implements storage.Events.
func (e events) Read(ctx context.Context, chat core.ID, span storage.EventRange) ([]core.Event, error) {
	if span.Limit < 1 {
		return nil, nil
	}
	var rows []eventRow
	err := e.read(ctx, "event", func(ctx context.Context, db bun.IDB) error {
		query := db.NewSelect().Model(&rows).ExcludeColumn("chat_id").
			Where("e.chat_id = ? AND e.seq > ?", chat, span.After).Limit(int64(span.Limit))
		if span.Before != 0 {
			query = query.Where("e.seq < ?", span.Before)
		}
		if span.Newest {
			return query.OrderExpr("e.seq DESC").Scan(ctx)
		}
		return query.OrderExpr("e.seq").Scan(ctx)
	})
	if err != nil {
		return nil, err
	}
	if span.Newest {
		slices.Reverse(rows)
	}
	found := make([]core.Event, len(rows))
	for i, row := range rows {
		if found[i], err = row.event(); err != nil {
			return nil, err
		}
	}
	return found, nil
}
