package interleaving_test

import (
	"context"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/core/files"
)

// noModels serves no models, and records who would have paid.
type noModels struct {
	chat.Models
	payer chan<- core.ID
}

func (m noModels) Choose(_ context.Context, workspace core.ID, _ string) (chat.Choice, error) {
	m.payer <- workspace
	return chat.Choice{}, core.Errorf(core.CodeNoProvider, "no model")
}

// noProjects has nothing to commit.
type noProjects struct{ chat.Projects }

func (noProjects) Commit(context.Context, core.Run, string) (core.Version, bool, error) {
	return core.Version{}, false, nil
}

func (noProjects) CommitByHand(context.Context, core.ID, []core.ProjectPath, files.Exclusion) error {
	return nil
}

func (w *world) chats() *chat.Service {
	made := chat.New(chat.Deps{
		Store: w.hookedStore, Gate: w.gate, Bus: w.bus, Agent: agent.New(w.log), Models: noModels{payer: w.payer}, Projects: noProjects{},
		Picture: func(core.ID) {}, Log: w.log, Now: time.Now, Exclusive: true,
	})
	w.t.Cleanup(func() { _ = made.Close(context.Background()) })
	return made
}

func wantChats(want int) func(*world) {
	return func(w *world) {
		if found, err := w.Tables().Chats.List(w.t.Context(), w.project.ID); err != nil || len(found) != want {
			w.t.Errorf("got %d chats, %v, want %d", len(found), err, want)
		}
	}
}

// second gives the project another chat.
func second(w *world) {
	_, err := w.chats().Create(w.t.Context(), w.owner, w.project.ID, chat.NewChat{Mode: core.ModeBuild})
	must(w.t, err)
}

func TestChatsDecideInTheirTransaction(t *testing.T) {
	title := "New"
	create := func(w *world) error {
		_, err := w.chats().Create(w.t.Context(), w.member, w.project.ID, chat.NewChat{Mode: core.ModeBuild})
		return err
	}
	update := func(w *world) error {
		_, err := w.chats().Update(w.t.Context(), w.member, w.project.ID, w.chat.ID, chat.Changes{Title: &title})
		return err
	}
	remove := func(w *world) error { return w.chats().Delete(w.t.Context(), w.member, w.project.ID, w.chat.ID) }
	send := func(w *world) error {
		message := chat.Message{ChatID: w.chat.ID, Text: "Hello"}
		return w.chats().Send(w.t.Context(), w.member, w.project.ID, message, func(core.Event) error { return nil })
	}
	asOwner := func(w *world) error {
		message := chat.Message{ChatID: w.chat.ID, Text: "Hello"}
		return w.chats().Send(w.t.Context(), w.owner, w.project.ID, message, func(core.Event) error { return nil })
	}
	wantSilence := func(w *world) {
		if last, err := w.Tables().Chats.ByID(w.t.Context(), w.chat.ID); err != nil || last.Running || last.Title == title {
			w.t.Errorf("got %+v, %v, want the chat as it was", last, err)
		}
	}
	play(t, []row{
		{name: "open a chat, and the member leaves", call: create, meanwhile: (*world).leave, want: core.CodeNotFound, check: wantChats(1)},
		{name: "open a chat, and the project is transferred", call: create, meanwhile: (*world).move, want: core.CodeNotFound, check: wantChats(1)},
		{name: "rename a chat, and the member leaves", call: update, meanwhile: (*world).leave, want: core.CodeNotFound, check: wantSilence},
		{name: "delete a chat, and the member leaves", prepare: second, call: remove, meanwhile: (*world).leave, want: core.CodeNotFound, check: wantChats(2)},
		{name: "write, and the member leaves", call: send, meanwhile: (*world).leave, want: core.CodeNotFound, check: wantSilence},
		{name: "write, and the project is deleted", call: send, meanwhile: (*world).bury, want: core.CodeNotFound, check: wantSilence},
		{name: "write, and the project is transferred", call: asOwner, meanwhile: (*world).move, check: func(w *world) {
			if payer := <-w.payer; payer != w.abroad {
				w.t.Errorf("got the run at the cost of %s, want it at that of the workspace that the project is in", payer)
			}
		}},
		{name: "write, and the chat gets another mode", call: asOwner, meanwhile: func(w *world) {
			_, err := w.Tables().Chats.Update(w.t.Context(), w.chat.ID, func(c *core.Chat) error {
				c.Mode = core.ModePlan
				return nil
			})
			must(w.t, err)
		}, check: func(w *world) {
			if found, err := w.Tables().Chats.ByID(w.t.Context(), w.chat.ID); err != nil || found.Mode != core.ModePlan {
				w.t.Errorf("got the mode %s, %v, want the one that was set last", found.Mode, err)
			}
		}},
	})
}
