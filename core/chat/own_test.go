package chat_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
)

// connect gives the room's member a subscription.
func (r *room) connect() *memory.Model {
	own := memory.NewModel(core.Model{ID: "own"})
	r.owned = map[core.ID]*memory.Model{r.member.UserID: own}
	return own
}

// sendOwn sends a message that spends the sender's own subscription.
func (r *room) sendOwn(by core.Actor) error {
	message := chat.Message{ChatID: r.chat.ID, Text: "go", OwnProvider: true}
	return r.service.Send(r.t.Context(), by, r.project.ID, message, newRecorder().emit)
}

func TestAMessageOnOnesOwnSubscriptionNeedsNoProviderOfTheWorkspace(t *testing.T) {
	r := newRoom(t)
	r.choose = core.Errorf(core.CodeNoProvider, "the workspace has none")
	// A mode's model is one of the workspace's.
	model := "small"
	r.inMode("review", []string{"read_file"}, &model)
	own := r.connect().Say("done")
	must(t, r.sendOwn(r.member))
	r.checkLog("user.message assistant.message_delta session.usage_info assistant.message session.task_complete")
	if requests := own.Requests(); len(requests) != 1 || requests[0].Model != "own" || len(r.model.Requests()) != 0 {
		t.Errorf("got %+v, want the subscription asked alone", requests)
	}
}

func TestAMessageWithoutASubscriptionEndsWithThat(t *testing.T) {
	r := newRoom(t)
	must(t, r.sendOwn(r.member))
	r.checkLog("user.message session.error")
	// Somebody else's subscription is of no use.
	r.owned = map[core.ID]*memory.Model{core.NewID(): memory.NewModel()}
	must(t, r.sendOwn(r.member))
	r.checkLog("user.message session.error user.message session.error")
	for _, event := range r.log() {
		if failed, is := event.Payload.(core.SessionError); is && failed.Error != core.CodeNoProvider {
			t.Errorf("got %s, want %s", failed.Error, core.CodeNoProvider)
		}
	}
	if err := r.sendOwn(core.Actor{UserID: core.NewID()}); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("a stranger: got %v, want %s", err, core.CodeNotFound)
	}
}

func TestAQueuedRunRemembersWhoPays(t *testing.T) {
	r := newRoom(t)
	own := r.connect().Say("done")
	run := r.queue()
	_, err := r.store.Tables().Runs.Update(t.Context(), run.ID, func(run *core.Run) error {
		run.OwnProvider = true
		return nil
	})
	must(t, err)
	// A different process from the one that queued it.
	must(t, r.open().Start(t.Context()))
	must(t, r.follow(0, newRecorder().emit))
	if paid, others := len(own.Requests()), len(r.model.Requests()); paid != 1 || others != 0 {
		t.Errorf("got %d calls of the subscription and %d of the workspace's model, want one and none", paid, others)
	}
}
