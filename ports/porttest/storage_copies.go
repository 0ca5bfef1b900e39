package porttest

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

func storageCopyClauses() []storageClause {
	return []storageClause{
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
func (s *storageCase) wholeLog(chat core.ID) []core.Event {
	s.Helper()
	events, err := s.Events.Read(s.Context(), chat, storage.EventRange{Limit: 10_000})
	s.must(err)
	return events
}

func logIsCopied(s *storageCase) {
	from, to, other := s.chat(), s.chat(), s.chat()
	for i := range 3 {
		payloads := []core.Payload{core.UserMessage{Text: `it's "attachments":[{ 東京`, Attachments: []core.Attachment{}, By: "u"}, core.MessageDelta{Delta: "\x00%"}, core.TaskComplete{Reason: core.ReasonDone}}
		_, err := s.Events.Append(s.Context(), from.ID, core.Time(1000*i), payloads)
		s.must(err)
		_, err = s.Events.Append(s.Context(), other.ID, core.Time(1000*i), payloads)
		s.must(err)
	}
	s.must(s.Events.Copy(s.Context(), from.ID, to.ID, nil))
	s.want(s.wholeLog(to.ID), nil, s.wholeLog(from.ID))
	if n := len(s.wholeLog(to.ID)); n != 9 {
		s.Errorf("got %d events, want 9", n)
	}
}

func copiedLogGoesOn(s *storageCase) {
	from, to := s.chat(), s.chat()
	_, err := s.Events.Append(s.Context(), from.ID, 1, []core.Payload{core.MessageDelta{Delta: "1"}, core.MessageDelta{Delta: "2"}})
	s.must(err)
	s.must(s.Events.Copy(s.Context(), from.ID, to.ID, map[core.ID]core.ID{"a": "b"}))
	for chat, want := range map[core.ID]int64{to.ID: 3, from.ID: 3} {
		added, err := s.Events.Append(s.Context(), chat, 2, []core.Payload{core.MessageDelta{Delta: "3"}})
		s.must(err)
		s.want(added[0].Seq, nil, want)
		s.want(len(s.wholeLog(chat)), nil, 3)
	}
}

func logIsCopiedOnce(s *storageCase) {
	from, to, empty := s.chat(), s.chat(), s.chat()
	_, err := s.Events.Append(s.Context(), from.ID, 1, []core.Payload{core.MessageDelta{Delta: "1"}})
	s.must(err)
	s.must(s.Events.Copy(s.Context(), from.ID, to.ID, nil))
	s.wantCode(s.Events.Copy(s.Context(), from.ID, to.ID, nil), core.CodeConflict)
	s.wantCode(s.Events.Copy(s.Context(), from.ID, core.NewID(), nil), core.CodeNotFound)
	s.must(s.Events.Copy(s.Context(), core.NewID(), empty.ID, nil))
	s.want(len(s.wholeLog(empty.ID)), nil, 0)
	added, err := s.Events.Append(s.Context(), empty.ID, 1, []core.Payload{core.MessageDelta{Delta: "1"}})
	s.must(err)
	s.want(added[0].Seq, nil, int64(1))
}

func copiedAttachments(s *storageCase) {
	from, to := s.chat(), s.chat()
	message := func(ids ...core.ID) core.UserMessage {
		m := core.UserMessage{Text: "look", Attachments: []core.Attachment{}, By: "u"}
		for _, id := range ids {
			m.Attachments = append(m.Attachments, core.Attachment{Type: core.AttachmentImage, ID: id, MediaType: "image/png", Size: 3})
		}
		return m
	}
	_, err := s.Events.Append(s.Context(), from.ID, 5, []core.Payload{message("a", "b"), message(), message("c"), core.MessageDelta{Delta: `"attachments":[{"id":"a"}]`}})
	s.must(err)
	before := s.wholeLog(from.ID)
	s.must(s.Events.Copy(s.Context(), from.ID, to.ID, map[core.ID]core.ID{"a": "A", "b": "B"}))
	s.want(s.wholeLog(from.ID), nil, before)
	want := s.wholeLog(from.ID)
	want[0].Payload = message("A", "B")
	s.want(s.wholeLog(to.ID), nil, want)
}

func imagesOfChat(s *storageCase) {
	chat, other := s.chat(), s.chat()
	first, second := s.run(chat.ID, core.RunEnded), s.run(chat.ID, core.RunQueued)
	want := []core.ID{s.attachment(first.ID), s.attachment(first.ID), s.attachment(second.ID)}
	s.attachment(s.run(other.ID, core.RunEnded).ID)
	got, err := s.Attachments.OfChat(s.Context(), chat.ID)
	s.want(got, err, want)
	got, err = s.Attachments.OfChat(s.Context(), core.NewID())
	s.want(len(got), err, 0)
}

func imageIsCopiedToRun(s *storageCase) {
	chat, other := s.chat(), s.chat()
	run := s.run(other.ID, core.RunEnded)
	from, id := s.attachment(s.run(chat.ID, core.RunEnded).ID), core.NewID()
	s.must(s.Attachments.Copy(s.Context(), from, run.ID, id))
	s.wantCode(s.Attachments.Copy(s.Context(), from, run.ID, id), core.CodeConflict)
	s.wantCode(s.Attachments.Copy(s.Context(), core.NewID(), run.ID, core.NewID()), core.CodeNotFound)
	s.wantCode(s.Attachments.Copy(s.Context(), from, core.NewID(), core.NewID()), core.CodeNotFound)
	s.wantCode(s.Attachments.Copy(s.Context(), from, run.ID, "\xff"), core.CodeValidationFailed)
	s.must(s.Chats.Delete(s.Context(), chat.ID))
	got, err := s.Attachments.ByID(s.Context(), id)
	s.want(got, err, core.Image{MediaType: "image/png", Data: []byte("png")})
	s.must(s.Chats.Delete(s.Context(), other.ID))
	_, err = s.Attachments.ByID(s.Context(), id)
	s.wantCode(err, core.CodeNotFound)
}

func copiesRollBack(s *storageCase) {
	from, to := s.chat(), s.chat()
	run := s.run(to.ID, core.RunEnded)
	image, id := s.attachment(s.run(from.ID, core.RunEnded).ID), core.NewID()
	_, err := s.Events.Append(s.Context(), from.ID, 1, []core.Payload{core.MessageDelta{Delta: "1"}})
	s.must(err)
	refused := core.Errorf(core.CodeConflict, "refused")
	err = s.store.InTx(s.Context(), func(ctx context.Context, tables storage.Tables) error {
		if err := tables.Events.Copy(ctx, from.ID, to.ID, nil); err != nil {
			return err
		}
		if err := tables.Attachments.Copy(ctx, image, run.ID, id); err != nil {
			return err
		}
		events, err := tables.Events.Read(ctx, to.ID, storage.EventRange{Limit: 10})
		s.want(len(events), err, 1)
		return refused
	})
	s.wantCode(err, core.CodeConflict)
	s.want(len(s.wholeLog(to.ID)), nil, 0)
	_, err = s.Attachments.ByID(s.Context(), id)
	s.wantCode(err, core.CodeNotFound)
	s.must(s.Events.Copy(s.Context(), from.ID, to.ID, nil))
}

func copiesEnded(s *storageCase) {
	from, to := s.chat(), s.chat()
	image, run := s.attachment(s.run(from.ID, core.RunEnded).ID), s.run(to.ID, core.RunEnded)
	s.wantCode(s.Events.Copy(s.ended(), from.ID, to.ID, nil), core.CodeUnavailable)
	s.wantCode(s.Attachments.Copy(s.ended(), image, run.ID, core.NewID()), core.CodeUnavailable)
	_, err := s.Attachments.OfChat(s.ended(), from.ID)
	s.wantCode(err, core.CodeUnavailable)
}
