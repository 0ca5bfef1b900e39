package chat_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/attachments"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/storage"
)

// newGallery is a room whose model can see.
func newGallery(t *testing.T) *room {
	r := newRoom(t)
	r.model = memory.NewModel(core.Model{ID: "m", Abilities: core.Abilities{Vision: true}})
	return r
}

// imageOf is a PNG that its width identifies, padded with bytes that nobody reads.
func imageOf(t *testing.T, width, padding int) []byte {
	t.Helper()
	var out bytes.Buffer
	must(t, png.Encode(&out, image.NewGray(image.Rect(0, 0, width, 1))))
	return append(out.Bytes(), make([]byte, padding)...)
}

func sourcesOf(images ...[]byte) []attachments.Source {
	var sources []attachments.Source
	for _, data := range images {
		sources = append(sources, attachments.Parse(fmt.Appendf(nil, "data:;base64,%s", base64.StdEncoding.EncodeToString(data))))
	}
	return sources
}

// show sends a message with images and waits for the end of its run.
func (r *room) show(text string, images ...[]byte) *recorder {
	r.t.Helper()
	recorder := newRecorder()
	message := chat.Message{ChatID: r.chat.ID, Text: text, Attachments: sourcesOf(images...)}
	must(r.t, r.service.Send(r.t.Context(), r.member, r.project.ID, message, recorder.emit))
	return recorder
}

// shownImages are the widths of the images of a request's messages by their texts.
func shownImages(t *testing.T, request ai.Request) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, message := range request.Messages {
		if message.Role != ai.RoleUser {
			continue
		}
		var widths []string
		for _, picture := range message.Images {
			config, err := png.DecodeConfig(bytes.NewReader(picture.Data))
			must(t, err)
			widths = append(widths, fmt.Sprint(config.Width))
		}
		found[message.Text] = strings.Join(widths, " ")
	}
	return found
}

func TestTheModelSeesTheImagesOfTheMessage(t *testing.T) {
	r := newGallery(t)
	r.model.Say("Nice.").Say("Still nice.")
	recorder := r.show("Look", imageOf(t, 3, 0), imageOf(t, 4, 0))
	r.show("And now?")
	requests := r.model.Requests()
	for i, want := range []map[string]string{{"Look": "3 4"}, {"Look": "3 4", "And now?": ""}} {
		if got := shownImages(t, requests[i]); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("call %d: got %v, want %v", i, got, want)
		}
	}
	opened := recorder.events[0].Payload.(core.UserMessage)
	if len(opened.Attachments) != 2 || opened.Attachments[0].Type != "image" || opened.Attachments[0].MediaType != "image/png" ||
		opened.Attachments[1].Size != int64(len(imageOf(t, 4, 0))) || opened.Attachments[0].ID == opened.Attachments[1].ID {
		t.Errorf("got %+v, want two images", opened.Attachments)
	}
	body, err := json.Marshal(recorder.events)
	if must(t, err); strings.Contains(string(body), "base64") || strings.Contains(string(body), "iVBOR") {
		t.Errorf("got %s, want no data in events", body)
	}
}

func TestOlderImagesAreNoLongerShown(t *testing.T) {
	r := newGallery(t)
	for n := range 12 {
		r.model.Say("Nice.")
		r.show(fmt.Sprint("message ", n), imageOf(t, n+1, 0))
	}
	got := shownImages(t, r.model.Requests()[11])
	for n := range 12 {
		text, want := fmt.Sprint("message ", n), fmt.Sprint(n+1)
		if n < 2 {
			text, want = text+"\n\n[image no longer shown]", ""
		}
		if widths, there := got[text]; !there || widths != want {
			t.Errorf("got %v, want %q with the images %q", got, text, want)
		}
	}
}

func TestImagesThatAreTooMuchTogetherAreNoLongerShown(t *testing.T) {
	r := newGallery(t)
	const gone = "\n\n[image no longer shown]"
	large := func(width int) []byte { return imageOf(t, width, core.MaxImageBytes-1000) }
	r.model.Say("1").Say("2").Say("3").Say("4")
	r.show("a", imageOf(t, 1, 0))
	r.show("b", large(2), large(3), large(4))
	r.show("c", large(5))
	r.show("d", large(6), large(7), large(8), large(9), large(10))
	for i, want := range []map[string]string{
		{"a": "1"}, {"a": "1", "b": "2 3 4"}, {"a": "1", "b": "2 3 4", "c": "5"},
		{"a" + gone: "", "b" + gone: "", "c" + gone: "", "d": "6 7 8 9 10"},
	} {
		if got := shownImages(t, r.model.Requests()[i]); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("call %d: got %v, want %v", i, got, want)
		}
	}
}

func TestAModelThatCannotSeeSaysSoBeforeTheCall(t *testing.T) {
	r := newGallery(t)
	r.model.Say("I see a cat.").Say("Fine.")
	r.show("Look", imageOf(t, 3, 0))
	r.answers = blindModel{r.model}
	events := r.show("Look again", imageOf(t, 3, 0)).events
	failure, failed := events[len(events)-1].Payload.(core.SessionError)
	if !failed || failure.Error != core.CodeModelUnavailable || !strings.Contains(failure.Message, "the model m cannot see images: choose another model") {
		t.Errorf("got %+v, want %s as the last event", events, core.CodeModelUnavailable)
	}
	if calls := len(r.model.Requests()); calls != 1 {
		t.Errorf("got %d calls, want none of the model that cannot see", calls)
	}
	r.answers, r.known = muteModel{r.model}, core.ProviderCapabilities{Dialect: core.DialectNative}
	events = r.show("Look once more", imageOf(t, 3, 0)).events
	if last := events[len(events)-1].Payload.EventType(); last != core.EventSessionError || len(r.model.Requests()) != 1 {
		t.Errorf("of a model that is known to be blind: got %s, want %s", last, core.EventSessionError)
	}
	// The model answers a message without images although the chat has some.
	r.show("Then do without")
	got := shownImages(t, r.model.Requests()[1])
	if got["Look\n\n[image no longer shown]"] != "" || len(got) != 4 {
		t.Errorf("got %v, want no images", got)
	}
	for _, message := range r.model.Requests()[1].Messages {
		if len(message.Images) > 0 {
			t.Errorf("got %+v, want no images for a model that cannot see", message)
		}
	}
}

// blindModel offers models that cannot see.
type blindModel struct{ ai.Provider }

func (b blindModel) Models(context.Context) ([]core.Model, error) {
	return []core.Model{{ID: "m:latest"}}, nil
}

// muteModel does not report what its models can do.
type muteModel struct{ ai.Provider }

func (muteModel) Models(context.Context) ([]core.Model, error) { return nil, errors.New("down") }

func TestAModelOfWhichNothingIsKnownIsShownImages(t *testing.T) {
	r := newGallery(t)
	r.model.Say("A cat.")
	r.answers = muteModel{r.model}
	events := r.show("Look", imageOf(t, 3, 0)).events
	if last := events[len(events)-1].Payload.EventType(); last != core.EventTaskComplete || shownImages(t, r.model.Requests()[0])["Look"] != "3" {
		t.Errorf("got %s, want an answer about the image", last)
	}
}

func TestAMessageWithAWrongImageBeginsNothing(t *testing.T) {
	r := newGallery(t)
	recorder := newRecorder()
	message := chat.Message{ChatID: r.chat.ID, Text: "Look", Attachments: sourcesOf(imageOf(t, 3, 0), []byte("a text"))}
	err := r.service.Send(t.Context(), r.member, r.project.ID, message, recorder.emit)
	if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "attachments[1].url") || len(recorder.events) > 0 {
		t.Errorf("got %v and %s, want code validation_failed and no event", err, types(recorder.events))
	}
	if _, err := r.store.Tables().Runs.Busy(t.Context(), r.chat.ID); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want no run", err)
	}
	stranger := core.Actor{UserID: core.NewID()}
	if err := r.service.Send(t.Context(), stranger, r.project.ID, message, recorder.emit); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("a stranger: got %v, want code not_found before any image is looked at", err)
	}
}

func TestTheSenderHoldsNoImagesWhileTheRunLasts(t *testing.T) {
	r := newGallery(t)
	r.model.Say("Nice.")
	sources := sourcesOf(imageOf(t, 3, 0))
	stored := false
	message := chat.Message{ChatID: r.chat.ID, Text: "Look", Attachments: sources}
	must(t, r.service.Send(t.Context(), r.member, r.project.ID, message, func(core.Event) error {
		empty := attachments.Source{}
		stored = fmt.Sprintf("%+v", sources[0]) == fmt.Sprintf("%+v", empty)
		return nil
	}))
	if !stored {
		t.Error("got the image still held, want it gone once it is stored")
	}
}

// TestARunFromTheQueueHasItsImages covers a run that was stored with its images by a
// process that did not begin it.
func TestARunFromTheQueueHasItsImages(t *testing.T) {
	r := newGallery(t)
	r.model.Say("Nice.")
	data := imageOf(t, 5, 0)
	run := core.Run{
		ID: core.NewID(), ChatID: r.chat.ID, ProjectID: r.project.ID, WorkspaceID: r.project.WorkspaceID, UserID: r.member.UserID,
		Status: core.RunQueued, Text: "Look", Detached: true, CreatedAt: core.At(time.Now()),
		Attachments: []core.Attachment{{Type: core.AttachmentImage, ID: core.NewID(), MediaType: "image/png", Size: int64(len(data))}},
	}
	must(t, r.store.InTx(t.Context(), func(ctx context.Context, tables storage.Tables) error {
		if err := tables.Runs.Create(ctx, run); err != nil {
			return err
		}
		return tables.Attachments.Create(ctx, run.ID, run.Attachments[0].ID, core.Image{MediaType: "image/png", Data: data})
	}))
	must(t, r.service.Start(t.Context()))
	follower, err := r.service.Follow(t.Context(), r.member, r.project.ID, r.chat.ID, 0)
	must(t, err)
	recorder := newRecorder()
	must(t, follower.Run(t.Context(), recorder.emit))
	if got := shownImages(t, r.model.Requests()[0]); got["Look"] != "5" {
		t.Errorf("got %v after %s, want the image", got, types(recorder.events))
	}
	opened := recorder.events[0].Payload.(core.UserMessage)
	if len(opened.Attachments) != 1 || opened.Attachments[0] != run.Attachments[0] {
		t.Errorf("got %+v, want %+v", opened.Attachments, run.Attachments)
	}
}
