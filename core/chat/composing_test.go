package chat_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/ports/ai"
)

// said returns the room's messages of people, in order.
func (r *room) said() []core.UserMessage {
	r.t.Helper()
	var said []core.UserMessage
	for _, event := range r.log() {
		if message, is := event.Payload.(core.UserMessage); is {
			said = append(said, message)
		}
	}
	return said
}

func (r *room) mode() string {
	r.t.Helper()
	stored, err := r.store.Tables().Chats.ByID(r.t.Context(), r.chat.ID)
	must(r.t, err)
	return stored.Mode
}

func lastWish(request ai.Request) string {
	for i := len(request.Messages) - 1; i >= 0; i-- {
		if request.Messages[i].Role == ai.RoleUser {
			return request.Messages[i].Text
		}
	}
	return ""
}

func TestACommandOfTheWorkspaceIsExpandedForTheModelAlone(t *testing.T) {
	r := newRoom(t)
	must(t, r.store.Tables().Commands.Create(t.Context(), core.Command{ID: core.NewID(), WorkspaceID: r.project.WorkspaceID, Name: "review", Text: "Review $ARGUMENTS."}))
	r.model.Say("Done.").Say("Done.").Say("Done.")
	for _, text := range []string{"/review the menu", "/other the menu", "and now?"} {
		_, err := r.send(text)
		must(t, err)
	}
	requests := r.model.Requests()
	for i, want := range []string{"Review the menu.", "/other the menu", "and now?"} {
		if got := lastWish(requests[i]); got != want {
			t.Errorf("got %q, want the model told %q", got, want)
		}
	}
	if got := requests[2].Messages[0].Text; got != "Review the menu." {
		t.Errorf("got %q, want the expansion in later runs, too", got)
	}
	said := r.said()
	if said[0].Text != "/review the menu" || said[0].Command != "review" || said[0].Prompt != "Review the menu." || said[1].Command != "" || said[1].Prompt != "" {
		t.Errorf("got %+v, want what was typed, and the expansion beside it", said)
	}
}

func TestPlanIsForOneMessageAndTheAnswerToItsQuestion(t *testing.T) {
	r := newRoom(t)
	r.model.Call("ask_person", `{"question":"Which?","choices":["a","b"]}`).Say(`{"steps":[{"title":"One","description":"","files":[],"risk":"low"}]}`).Say("Built.")
	isPlan := func(request ai.Request) bool { return strings.Contains(request.System, "Mode: plan.") }
	for i, text := range []string{"/plan a shop", "a", "go on"} {
		_, err := r.send(text)
		must(t, err)
		if got := isPlan(r.model.Requests()[i]); got != (i < 2) || r.mode() != core.ModeBuild {
			t.Errorf("%s: planned %v in the mode %s, want two messages planned and the chat's mode kept", text, got, r.mode())
		}
	}
	if got := lastWish(r.model.Requests()[0]); got != "a shop" {
		t.Errorf("got %q, want what to plan", got)
	}
	plan, err := r.service.Plan(t.Context(), r.member, r.project.ID, r.chat.ID)
	if err != nil || len(plan.Steps) != 1 {
		t.Errorf("got %+v, %v, want the plan kept", plan, err)
	}
	_, err = r.send("/plan")
	if !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("got %v, want a plan of nothing refused", err)
	}
}

func TestFixWorksInAChatThatOnlyTalks(t *testing.T) {
	r := newRoom(t)
	r.inMode(core.ModeChat, nil, nil)
	r.model.Say("Done.").Say("Hm.")
	for _, text := range []string{"/fix the menu", "why?"} {
		_, err := r.send(text)
		must(t, err)
	}
	for i, want := range []string{"Mode: build.", "Mode: chat."} {
		if got := r.model.Requests()[i].System; !strings.Contains(got, want) {
			t.Errorf("got %.200q, want %q", got, want)
		}
	}
}

func TestAMessageCarriesTheFilesThatItRefersTo(t *testing.T) {
	r := newRoom(t)
	r.projects.files = map[string]string{"src/App.tsx": "export default 1\n"}
	r.model.Say("Seen.")
	references := []core.Reference{{Type: core.ReferenceElement, Path: "src/App.tsx", Tag: "a", Line: 13, Column: 9}, {Type: core.ReferenceFile, Path: "src/App.tsx"}}
	message := chat.Message{ChatID: r.chat.ID, Text: "Make it red", References: references}
	must(t, r.service.Send(t.Context(), r.member, r.project.ID, message, newRecorder().emit))
	got := lastWish(r.model.Requests()[0])
	for _, want := range []string{"Make it red\n\nThe person picked the <a> at src/App.tsx:13:9", "```\nexport default 1\n```", "not"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
	if said := r.said()[0]; said.Text != "Make it red" || len(said.References) != 2 || said.Prompt != got {
		t.Errorf("got %+v, want the words, the references and what the model was told", said)
	}
	message.References = []core.Reference{{Type: core.ReferenceFile, Path: "src/Gone.tsx"}}
	err := r.service.Send(t.Context(), r.member, r.project.ID, message, newRecorder().emit)
	if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "references[0].path") || len(r.said()) != 1 {
		t.Errorf("got %v, want the reference refused and nothing sent", err)
	}
	err = r.service.Send(t.Context(), core.Actor{UserID: core.NewID()}, r.project.ID, message, newRecorder().emit)
	if !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want nothing told to a stranger", err)
	}
}

func TestAnImageOfAChatIsForItsMembers(t *testing.T) {
	r := newGallery(t)
	r.model.Say("Nice.")
	data := imageOf(t, 3, 0)
	r.show("Look", data)
	id := r.said()[0].Attachments[0].ID
	image, err := r.service.Attachment(t.Context(), r.member, r.project.ID, r.chat.ID, id)
	if err != nil || string(image.Data) != string(data) || image.MediaType != "image/png" {
		t.Errorf("got %d bytes, %v, want the image", len(image.Data), err)
	}
	for name, try := range map[string]func() error{
		"a stranger": func() error {
			_, err := r.service.Attachment(t.Context(), core.Actor{UserID: core.NewID()}, r.project.ID, r.chat.ID, id)
			return err
		},
		"another image": func() error {
			_, err := r.service.Attachment(t.Context(), r.member, r.project.ID, r.chat.ID, core.NewID())
			return err
		},
		"another chat": func() error {
			other, err := r.service.Create(t.Context(), r.member, r.project.ID, chat.NewChat{Mode: core.ModeBuild})
			must(t, err)
			_, err = r.service.Attachment(t.Context(), r.member, r.project.ID, other.ID, id)
			return err
		},
	} {
		if err := try(); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("%s: got %v, want not_found", name, err)
		}
	}
}
