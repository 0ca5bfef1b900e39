package storage

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type chats struct{ records records[core.Chat] }

func chatsOf(session conn) records[core.Chat] {
	return records[core.Chat]{
		session: session,
		noun:    "chat",
		table:   func(s *database) *table[core.ID, core.Chat] { return &s.chats },
		id:      func(c core.Chat) core.ID { return c.ID },
		copy: func(c core.Chat) core.Chat {
			c.Plan, c.Summary, c.TokensPerByte = copyOfPlan(c.Plan), copyOf(c.Summary), maps.Clone(c.TokensPerByte)
			if c.Briefing = copyOf(c.Briefing); c.Briefing != nil {
				c.Briefing.Sections, c.Briefing.Said, c.Briefing.Hints = slices.Clone(c.Briefing.Sections), slices.Clone(c.Briefing.Said), slices.Clone(c.Briefing.Hints)
			}
			return c
		},
		pin: func(c *core.Chat, before core.Chat) { c.ID, c.CreatedAt = before.ID, before.CreatedAt },
		check: func(s *database, chat core.Chat) error {
			if !s.projects.has(chat.ProjectID) {
				return core.NotFound("project")
			}
			return nil
		},
	}
}

func copyOfPlan(plan *core.Plan) *core.Plan {
	if plan == nil {
		return nil
	}
	steps := slices.Clone(plan.Steps)
	for i := range steps {
		steps[i].Files = slices.Clone(steps[i].Files)
	}
	return &core.Plan{Steps: steps, RawText: plan.RawText}
}

// Create implements storage.Chats.
func (c chats) Create(ctx context.Context, chat core.Chat) error {
	return c.records.create(ctx, chat)
}

// ByID implements storage.Chats.
func (c chats) ByID(ctx context.Context, id core.ID) (core.Chat, error) {
	state, err := c.records.session.view(ctx)
	if err != nil {
		return core.Chat{}, err
	}
	chat, err := c.records.in(state, id)
	chat.Running = state.busy.has(id)
	return chat, err
}

// List implements storage.Chats.
func (c chats) List(ctx context.Context, project core.ID) ([]core.Chat, error) {
	state, err := c.records.session.view(ctx)
	if err != nil {
		return nil, err
	}
	ofProject := func(chat core.Chat) bool { return chat.ProjectID == project }
	chats := c.records.listIn(state, ofProject, func(a, b core.Chat) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	for i := range chats {
		chats[i].Running = state.busy.has(chats[i].ID)
	}
	return chats, nil
}

// Runs implements storage.Chats.
func (c chats) Runs(ctx context.Context, project core.ID) ([]core.Run, error) {
	state, err := c.records.session.view(ctx)
	if err != nil {
		return nil, err
	}
	runs := runsOf(c.records.session)
	return runs.listIn(state, func(run core.Run) bool {
		return run.Busy() && state.chats.rows[run.ChatID].ProjectID == project
	}, byAge), nil
}

// Update implements storage.Chats.
func (c chats) Update(ctx context.Context, id core.ID, change func(*core.Chat) error) (core.Chat, error) {
	var running bool
	chat, err := c.records.update(ctx, id, func(chat *core.Chat) error {
		// The caller holds the writer's lock, so this view stays current.
		state, err := c.records.session.view(ctx)
		if err != nil {
			return err
		}
		running = state.busy.has(id)
		chat.Running = running
		return change(chat)
	})
	chat.Running = running && err == nil
	return chat, err
}

// Delete implements storage.Chats.
func (c chats) Delete(ctx context.Context, id core.ID) error {
	return c.records.delete(ctx, id, func(state *database, id core.ID) {
		delete(state.chats.edit(state), id)
		state.dropChat(id)
	})
}

// dropChat removes what belongs to a chat.
func (s *database) dropChat(id core.ID) {
	delete(s.events.edit(s), id)
	delete(s.busy.edit(s), id)
	s.runs.drop(s, func(r core.Run) bool { return r.ChatID == id })
	s.attachments.drop(s, func(image storedImage) bool { return !s.runs.has(image.run) })
}

// storedEvent keeps a payload as JSON, so that no reader can change it.
type storedEvent struct {
	kind      core.EventType
	createdAt core.Time
	body      []byte
}

type events struct{ session conn }

// Append implements storage.Events.
func (e events) Append(ctx context.Context, chat core.ID, at core.Time, payloads []core.Payload) ([]core.Event, error) {
	added := make([]storedEvent, len(payloads))
	for i, payload := range payloads {
		body, err := json.Marshal(payload)
		if err != nil {
			return nil, core.Wrap(core.CodeValidationFailed, err, "event %s cannot be encoded as JSON", payload.EventType())
		}
		if !storage.Storable(string(body)) {
			return nil, core.Errorf(core.CodeValidationFailed, "event %s is not valid text", payload.EventType())
		}
		added[i] = storedEvent{payload.EventType(), at, body}
	}
	events := make([]core.Event, len(payloads))
	err := e.session.change(ctx, func(state *database) error {
		if !state.chats.has(chat) {
			return core.NotFound("chat")
		}
		log := state.events.rows[chat]
		for i, payload := range payloads {
			events[i] = core.Event{Seq: int64(len(log) + i + 1), CreatedAt: at, Payload: payload}
		}
		state.events.edit(state)[chat] = append(log, added...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return events, nil
}

// Read implements storage.Events.
func (e events) Read(ctx context.Context, chat core.ID, span storage.EventRange) ([]core.Event, error) {
	state, err := e.session.view(ctx)
	if err != nil {
		return nil, err
	}
	log := state.events.rows[chat]
	first, end := min(max(span.After, 0), int64(len(log))), int64(len(log))
	if span.Before != 0 {
		end = min(end, max(span.Before-1, 0))
	}
	count := max(0, min(end-first, int64(span.Limit)))
	if span.Newest {
		first = end - count
	}
	events := make([]core.Event, count)
	for i := range events {
		stored := log[first+int64(i)]
		payload, err := core.DecodePayload(stored.kind, stored.body)
		if err != nil {
			return nil, err
		}
		events[i] = core.Event{Seq: first + int64(i) + 1, CreatedAt: stored.createdAt, Payload: payload}
	}
	return events, nil
}
