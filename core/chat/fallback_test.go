package chat_test

import (
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
)

// TestTheDemoNeverTakesOverAChatOfAModel: it begins chats, and continues its own.
func TestTheDemoNeverTakesOverAChatOfAModel(t *testing.T) {
	r := newRoom(t)
	r.model.Say("I am the demo.").Say("Still the demo.").Say("A model.").Say("A model again.")
	demo := chat.Choice{Provider: r.model, Model: "demo", Kind: core.ProviderDemo, Fallback: true}
	model := chat.Choice{Provider: r.model, Model: "m", Kind: core.ProviderOllama, Source: "here\nm"}
	want := "user.message assistant.message_delta session.usage_info assistant.message session.task_complete"
	log := ""
	for _, step := range []struct {
		choice chat.Choice
		want   string
	}{
		{demo, want}, {demo, want}, {model, want}, {demo, "user.message session.error"}, {model, want},
	} {
		r.chosen = &step.choice
		_, err := r.send("Hello.")
		must(t, err)
		log += " " + step.want
		r.checkLog(log[1:])
	}
	for _, event := range r.log() {
		if failed, is := event.Payload.(core.SessionError); is && failed.Error != core.CodeModelUnavailable {
			t.Errorf("got %+v, want %s", failed, core.CodeModelUnavailable)
		}
	}
}
