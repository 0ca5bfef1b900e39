package chats

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

func copyClauses() []clause {
	return []clause{
		{"a log is copied with its seqs and times", logIsCopied},
		{"a copied log goes on without a gap", copiedLogGoesOn},
		{"a log is copied to a chat without one only", logIsCopiedOnce},
		{"attachments are called otherwise in a copied log", copiedAttachments},
		{"the images of a chat are found", imagesOfChat},
		{"an image is copied to a run and outlives the first", imageIsCopiedToRun},
		{"a rollback leaves nothing of copies", copiesRollBack},
		{"no copy outlives its context", copiesEnded},
	}
}

// wholeLog returns all events of a chat.
func (s testCase) wholeLog(chat core.ID) []core.Event {
	s.Helper()
	events, err := s.Events.Read(s.Context(), chat, storage.EventRange{Limit: 10_000})
	s.Must(err)
	return events
}

func logIsCopied(s testCase) {
	from, to, other := s.Chat(), s.Chat(), s.Chat()
	for i := range 3 {
		payloads := []core.Payload{core.UserMessage{Text: `it's "attachments":[{ 東京`, Attachments: []core.Attachment{}, By: "u"}, core.MessageDelta{Delta: "\x00%"}, core.TaskComplete{Reason: core.ReasonDone}}
		_, err := s.Events.Append(s.Context(), from.ID, core.Time(1000*i), payloads)
		s.Must(err)
		_, err = s.Events.Append(s.Context(), other.ID, core.Time(1000*i), payloads)
		s.Must(err)
	}
	s.Must(s.Events.Copy(s.Context(), from.ID, to.ID, nil))
	s.Want(s.wholeLog(to.ID), nil, s.wholeLog(from.ID))
	if n := len(s.wholeLog(to.ID)); n != 9 {
		s.Errorf("got %d events, want 9", n)
	}
}

func copiedLogGoesOn(s testCase) {
	from, to := s.Chat(), s.Chat()
	_, err := s.Events.Append(s.Context(), from.ID, 1, []core.Payload{core.MessageDelta{Delta: "1"}, core.MessageDelta{Delta: "2"}})
	s.Must(err)
	s.Must(s.Events.Copy(s.Context(), from.ID, to.ID, map[core.ID]core.ID{"a": "b"}))
	for chat, want := range map[core.ID]int64{to.ID: 3, from.ID: 3} {
		added, err := s.Events.Append(s.Context(), chat, 2, []core.Payload{core.MessageDelta{Delta: "3"}})
		s.Must(err)
		s.Want(added[0].Seq, nil, want)
		s.Want(len(s.wholeLog(chat)), nil, 3)
	}
}

func logIsCopiedOnce(s testCase) {
	from, to, empty := s.Chat(), s.Chat(), s.Chat()
	_, err := s.Events.Append(s.Context(), from.ID, 1, []core.Payload{core.MessageDelta{Delta: "1"}})
	s.Must(err)
	s.Must(s.Events.Copy(s.Context(), from.ID, to.ID, nil))
	s.WantCode(s.Events.Copy(s.Context(), from.ID, to.ID, nil), core.CodeConflict)
	s.WantCode(s.Events.Copy(s.Context(), from.ID, core.NewID(), nil), core.CodeNotFound)
	s.Must(s.Events.Copy(s.Context(), core.NewID(), empty.ID, nil))
	s.Want(len(s.wholeLog(empty.ID)), nil, 0)
	added, err := s.Events.Append(s.Context(), empty.ID, 1, []core.Payload{core.MessageDelta{Delta: "1"}})
	s.Must(err)
	s.Want(added[0].Seq, nil, int64(1))
}

func copiedAttachments(s testCase) {
	from, to := s.Chat(), s.Chat()
	message := func(ids ...core.ID) core.UserMessage {
		m := core.UserMessage{Text: "look", Attachments: []core.Attachment{}, By: "u"}
		for _, id := range ids {
			m.Attachments = append(m.Attachments, core.Attachment{Type: core.AttachmentImage, ID: id, MediaType: "image/png", Size: 3})
		}
		return m
	}
	frames := func(ids ...core.ID) []core.Attachment { return message(ids...).Attachments }
	_, err := s.Events.Append(s.Context(), from.ID, 5, []core.Payload{
		message("a", "b"), message(), message("c"), core.MessageDelta{Delta: `"attachments":[{"id":"a"}]`},
		core.ToolResult{ID: "1", Result: "seen", Frames: frames("a", "c")}, core.ToolError{ID: "2", Error: "gone", Frames: frames("b")},
		core.CheckResult{Name: "add", Picture: &frames("b")[0]}, core.CheckResult{Name: "add", Passed: true},
	})
	s.Must(err)
	before := s.wholeLog(from.ID)
	s.Must(s.Events.Copy(s.Context(), from.ID, to.ID, map[core.ID]core.ID{"a": "A", "b": "B"}))
	s.Want(s.wholeLog(from.ID), nil, before)
	want := s.wholeLog(from.ID)
	want[0].Payload = message("A", "B")
	want[4].Payload = core.ToolResult{ID: "1", Result: "seen", Frames: frames("A", "c")}
	want[5].Payload = core.ToolError{ID: "2", Error: "gone", Frames: frames("B")}
	want[6].Payload = core.CheckResult{Name: "add", Picture: &frames("B")[0]}
	s.Want(s.wholeLog(to.ID), nil, want)
}

func imagesOfChat(s testCase) {
	chat, other := s.Chat(), s.Chat()
	first, second := s.RunOf(chat.ID, core.RunEnded), s.RunOf(chat.ID, core.RunQueued)
	want := []core.ID{s.Attachment(first.ID), s.Attachment(first.ID), s.Attachment(second.ID)}
	s.Attachment(s.RunOf(other.ID, core.RunEnded).ID)
	got, err := s.Attachments.OfChat(s.Context(), chat.ID)
	s.Want(got, err, want)
	got, err = s.Attachments.OfChat(s.Context(), core.NewID())
	s.Want(len(got), err, 0)
}

func imageIsCopiedToRun(s testCase) {
	chat, other := s.Chat(), s.Chat()
	run := s.RunOf(other.ID, core.RunEnded)
	from, id := s.Attachment(s.RunOf(chat.ID, core.RunEnded).ID), core.NewID()
	s.Must(s.Attachments.Copy(s.Context(), from, run.ID, id))
	s.WantCode(s.Attachments.Copy(s.Context(), from, run.ID, id), core.CodeConflict)
	s.WantCode(s.Attachments.Copy(s.Context(), core.NewID(), run.ID, core.NewID()), core.CodeNotFound)
	s.WantCode(s.Attachments.Copy(s.Context(), from, core.NewID(), core.NewID()), core.CodeNotFound)
	s.WantCode(s.Attachments.Copy(s.Context(), from, run.ID, "\xff"), core.CodeValidationFailed)
	s.Must(s.Chats.Delete(s.Context(), chat.ID))
	got, err := s.Attachments.ByID(s.Context(), id)
	s.Want(got, err, core.Image{MediaType: "image/png", Data: []byte("png")})
	s.Must(s.Chats.Delete(s.Context(), other.ID))
	_, err = s.Attachments.ByID(s.Context(), id)
	s.WantCode(err, core.CodeNotFound)
}

func copiesRollBack(s testCase) {
	from, to := s.Chat(), s.Chat()
	run := s.RunOf(to.ID, core.RunEnded)
	image, id := s.Attachment(s.RunOf(from.ID, core.RunEnded).ID), core.NewID()
	_, err := s.Events.Append(s.Context(), from.ID, 1, []core.Payload{core.MessageDelta{Delta: "1"}})
	s.Must(err)
	refused := core.Errorf(core.CodeConflict, "refused")
	err = s.Store.InTx(s.Context(), func(ctx context.Context, tables storage.Tables) error {
		if err := tables.Events.Copy(ctx, from.ID, to.ID, nil); err != nil {
			return err
		}
		if err := tables.Attachments.Copy(ctx, image, run.ID, id); err != nil {
			return err
		}
		events, err := tables.Events.Read(ctx, to.ID, storage.EventRange{Limit: 10})
		s.Want(len(events), err, 1)
		return refused
	})
	s.WantCode(err, core.CodeConflict)
	s.Want(len(s.wholeLog(to.ID)), nil, 0)
	_, err = s.Attachments.ByID(s.Context(), id)
	s.WantCode(err, core.CodeNotFound)
	s.Must(s.Events.Copy(s.Context(), from.ID, to.ID, nil))
}

func copiesEnded(s testCase) {
	from, to := s.Chat(), s.Chat()
	image, run := s.Attachment(s.RunOf(from.ID, core.RunEnded).ID), s.RunOf(to.ID, core.RunEnded)
	s.WantCode(s.Events.Copy(s.Ended(), from.ID, to.ID, nil), core.CodeUnavailable)
	s.WantCode(s.Attachments.Copy(s.Ended(), image, run.ID, core.NewID()), core.CodeUnavailable)
	_, err := s.Attachments.OfChat(s.Ended(), from.ID)
	s.WantCode(err, core.CodeUnavailable)
}
