package agent

import (
	"reflect"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

func TestTheModelIsShownImagesOrToldOfThem(t *testing.T) {
	attached := []core.Attachment{{Type: core.AttachmentImage}, {Type: core.AttachmentImage}}
	log := events(
		core.UserMessage{Text: "old", Attachments: attached}, core.MessageDelta{Delta: "ok"}, core.UsageInfo{}, core.TaskComplete{},
		core.UserMessage{Text: "new", Attachments: attached}, core.MessageDelta{Delta: "ok"}, core.UsageInfo{}, core.TaskComplete{},
		core.UserMessage{Text: "none", Attachments: []core.Attachment{}},
	)
	images := []ai.Image{{MediaType: "image/png", Data: []byte("1")}, {MediaType: "image/gif", Data: []byte("2")}}
	got := transcriptOf(Task{History: log, Images: map[int64][]ai.Image{5: images}}, &briefing{}).messages
	want := []ai.Message{
		{Role: ai.RoleUser, Text: "old\n\n[image no longer shown]"}, {Role: ai.RoleAssistant, Text: "ok"},
		{Role: ai.RoleUser, Text: "new", Images: images}, {Role: ai.RoleAssistant, Text: "ok"},
		{Role: ai.RoleUser, Text: "none"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
