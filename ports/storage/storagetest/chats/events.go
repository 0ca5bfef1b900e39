package chats

import (
	"encoding/json"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func eventClauses() []clause {
	return []clause{
		{"every kind of event comes back as it was appended", eventsComeBack},
		{"events have no gap under parallel writers", eventsInParallel},
		{"a reader of an event finds all before it", eventsInOrder},
		{"a failed append leaves no gap", eventsAfterFailure},
		{"a range of events is bounded on both sides", eventRange},
		{"events of a chat that is not there are not found", eventsOfNothing},
	}
}

func eventsComeBack(s testCase) {
	chat, other := s.Chat(), s.Chat()
	payloads := []core.Payload{
		core.UserMessage{Text: "it's \x00 東京 \"%\\ \u2028", Attachments: []core.Attachment{{Type: core.AttachmentImage, ID: "a1", MediaType: "image/png", Size: 70}}, By: core.NewID()},
		core.MessageDelta{Delta: "a"}, core.ReasoningDelta{Delta: "b"},
		core.ToolCall{ID: "1", Tool: "write_file", Args: json.RawMessage(`{"path":"a"}`)},
		core.ToolResult{ID: "1", Result: "ok"}, core.ToolError{ID: "2", Error: "denied"}, core.AssistantMessage{Text: "done"},
		core.UsageInfo{InputTokens: 1 << 40, CachedTokens: 1 << 39, WrittenTokens: 3, OutputTokens: 2, Cost: 0.000_125}, core.CompactionStart{},
		core.CompactionComplete{TokensBefore: 2, TokensAfter: 1}, core.FileChanged{Path: "a", Action: core.FileCreated},
		core.VersionCreated{VersionID: "c0ffee", FilesChanged: 3}, core.CheckResult{Name: "add", Title: "Adding", Message: "no button"}, core.TaskComplete{Reason: core.ReasonStopped},
		core.SessionError{Error: core.CodeInterrupted, Message: "cut off"},
	}
	want := make([]core.Event, len(payloads))
	for i, payload := range payloads {
		want[i] = core.Event{Seq: int64(i + 1), CreatedAt: 1_700_000_000_007, Payload: payload}
	}
	got, err := s.Events.Append(s.Context(), chat.ID, 1_700_000_000_007, payloads)
	s.Want(got, err, want)
	got, err = s.Events.Read(s.Context(), chat.ID, storage.EventRange{Limit: 100})
	s.Want(got, err, want)
	got, err = s.Events.Append(s.Context(), chat.ID, 8, []core.Payload{core.MessageDelta{Delta: "c"}})
	s.Want(got, err, []core.Event{{Seq: int64(len(want) + 1), CreatedAt: 8, Payload: core.MessageDelta{Delta: "c"}}})
	got, err = s.Events.Append(s.Context(), other.ID, 9, []core.Payload{core.CompactionStart{}})
	s.Want(got, err, []core.Event{{Seq: 1, CreatedAt: 9, Payload: core.CompactionStart{}}})
	got, err = s.Events.Append(s.Context(), other.ID, 9, nil)
	s.Want(len(got), err, 0)
}

func eventsInParallel(s testCase) {
	chat := s.Chat()
	const writers, calls, each = 8, 10, 3
	var lock sync.Mutex
	seen := map[int64]core.Payload{}
	fixture.Together(writers, func(w int) {
		for range calls {
			payloads := []core.Payload{core.MessageDelta{Delta: string(rune('a' + w))}, core.ReasoningDelta{}, core.MessageDelta{}}
			events, err := s.Events.Append(s.Context(), chat.ID, 1, payloads)
			if err != nil {
				s.Errorf("got %v, want nil", err)
				return
			}
			lock.Lock()
			for i, event := range events {
				if event.Seq != events[0].Seq+int64(i) || seen[event.Seq] != nil {
					s.Errorf("got number %d at %d after %d, want consecutive numbers given once", event.Seq, i, events[0].Seq)
				}
				seen[event.Seq] = event.Payload
			}
			lock.Unlock()
		}
	})
	events, err := s.Events.Read(s.Context(), chat.ID, storage.EventRange{Limit: 1000})
	s.Want(len(events), err, writers*calls*each)
	for i, event := range events {
		if event.Seq != int64(i+1) || seen[event.Seq] != event.Payload {
			s.Fatalf("got %+v at place %d, want number %d with %+v", event, i, i+1, seen[int64(i+1)])
		}
	}
}

func eventsInOrder(s testCase) {
	chat := s.Chat()
	var last int64
	var reader sync.WaitGroup
	stop := make(chan struct{})
	reader.Go(func() {
		for {
			events, err := s.Events.Read(s.Context(), chat.ID, storage.EventRange{After: last, Limit: 1000})
			if err != nil {
				s.Errorf("got %v, want nil", err)
				return
			}
			for _, event := range events {
				if event.Seq != last+1 {
					s.Errorf("got event %d after %d, want no gap", event.Seq, last)
				}
				last = event.Seq
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	fixture.Together(4, func(int) {
		for range 25 {
			if _, err := s.Events.Append(s.Context(), chat.ID, 1, []core.Payload{core.MessageDelta{}}); err != nil {
				s.Errorf("got %v, want nil", err)
			}
		}
	})
	close(stop)
	reader.Wait()
}

func eventsAfterFailure(s testCase) {
	chat := s.Chat()
	for _, args := range []string{"{broken", "{\"path\":\"\xff\"}"} {
		_, err := s.Events.Append(s.Context(), chat.ID, 1, []core.Payload{
			core.MessageDelta{}, core.ToolCall{Args: json.RawMessage(args)},
		})
		s.WantCode(err, core.CodeValidationFailed)
	}
	err := s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
		if _, err := in.Events.Append(in.Ctx, chat.ID, 1, []core.Payload{core.MessageDelta{}}); err != nil {
			return err
		}
		return fixture.ErrStop
	}))
	s.Want(err, nil, fixture.ErrStop)
	events, err := s.Events.Append(s.Context(), chat.ID, 2, []core.Payload{core.CompactionStart{}})
	s.Want(events, err, []core.Event{{Seq: 1, CreatedAt: 2, Payload: core.CompactionStart{}}})
}

func eventRange(s testCase) {
	chat := s.Chat()
	for range 10 {
		_, err := s.Events.Append(s.Context(), chat.ID, 1, []core.Payload{core.MessageDelta{}})
		s.Must(err)
	}
	for _, part := range []struct {
		span        storage.EventRange
		first, last int64
	}{
		{storage.EventRange{Limit: 100}, 1, 10},
		{storage.EventRange{Limit: 3}, 1, 3},
		{storage.EventRange{Limit: 3, Newest: true}, 8, 10},
		{storage.EventRange{Limit: 100, Newest: true}, 1, 10},
		{storage.EventRange{After: 4, Limit: 100}, 5, 10},
		{storage.EventRange{After: 4, Before: 8, Limit: 100}, 5, 7},
		{storage.EventRange{After: 4, Before: 8, Limit: 2}, 5, 6},
		{storage.EventRange{After: 4, Before: 8, Limit: 2, Newest: true}, 6, 7},
		{storage.EventRange{Before: 3, Limit: 5, Newest: true}, 1, 2},
		{storage.EventRange{After: 10, Limit: 5}, 1, 0},
		{storage.EventRange{After: -5, Before: 99, Limit: 99}, 1, 10},
		{storage.EventRange{After: 6, Before: 3, Limit: 5}, 1, 0},
		{storage.EventRange{Before: -1, Limit: 5}, 1, 0},
		{storage.EventRange{Limit: 0}, 1, 0},
		{storage.EventRange{Limit: -1, Newest: true}, 1, 0},
	} {
		events, err := s.Events.Read(s.Context(), chat.ID, part.span)
		got, want := []int64{}, []int64{}
		for _, event := range events {
			got = append(got, event.Seq)
		}
		for seq := part.first; seq <= part.last; seq++ {
			want = append(want, seq)
		}
		s.Want(got, err, want)
	}
}

func eventsOfNothing(s testCase) {
	s.Chat()
	for _, id := range []core.ID{core.NewID(), core.ID(fixture.Unstorable()[0])} {
		for _, payloads := range [][]core.Payload{{core.MessageDelta{}}, nil} {
			_, err := s.Events.Append(s.Context(), id, 1, payloads)
			s.WantCode(err, core.CodeNotFound)
		}
		events, err := s.Events.Read(s.Context(), id, storage.EventRange{Limit: 5})
		s.Want(len(events), err, 0)
	}
}
