package storage

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// Copy implements storage.Events.
func (e events) Copy(ctx context.Context, from, to core.ID, names map[core.ID]core.ID) error {
	return e.session.change(ctx, func(state *database) error {
		if !state.chats.has(to) {
			return core.NotFound("chat")
		}
		if state.events.has(to) {
			return core.Errorf(core.CodeConflict, "the chat already has events")
		}
		log := slices.Clone(state.events.rows[from])
		for i, event := range log {
			body, err := renamed(event, names)
			if err != nil {
				return err
			}
			log[i].body = body
		}
		state.events.edit(state)[to] = log
		return nil
	})
}

// renamed returns the body of an event with new ids of attachments.
func renamed(event storedEvent, names map[core.ID]core.ID) ([]byte, error) {
	if len(names) == 0 {
		return event.body, nil
	}
	payload, err := core.DecodePayload(event.kind, event.body)
	if err != nil {
		return nil, err
	}
	return json.Marshal(core.RenameImages(payload, names))
}

// OfChat implements storage.Attachments.
func (a attachments) OfChat(ctx context.Context, chat core.ID) ([]core.ID, error) {
	state, err := a.session.view(ctx)
	if err != nil {
		return nil, err
	}
	var found []core.ID
	for id, image := range state.attachments.rows {
		if state.runs.rows[image.run].ChatID == chat {
			found = append(found, id)
		}
	}
	slices.SortFunc(found, func(a, b core.ID) int { return cmp.Compare(a, b) })
	return found, nil
}

// Copy implements storage.Attachments.
func (a attachments) Copy(ctx context.Context, from, run, id core.ID) error {
	if !storage.Storable(string(id)) {
		return core.Errorf(core.CodeValidationFailed, "the attachment is not valid text")
	}
	return a.session.change(ctx, func(state *database) error {
		image, found := state.attachments.rows[from]
		switch {
		case !found:
			return core.NotFound("attachment")
		case state.attachments.has(id):
			return core.Errorf(core.CodeConflict, "this attachment already exists")
		case !state.runs.has(run):
			return core.NotFound("run")
		}
		state.attachments.edit(state)[id] = storedImage{run, image.Image}
		return nil
	})
}
