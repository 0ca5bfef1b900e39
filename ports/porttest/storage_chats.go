package porttest

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

func storageChatClauses() []storageClause {
	return []storageClause{
		{"a chat comes back as it was stored", chatComesBack},
		{"a chat that is not there is not found", chatNotFound},
		{"chats are listed the oldest first", chatsByAge},
		{"a chat is running while a run of it is queued or under way", chatRunning},
		{"an update of a chat works as a user's and stores no running", chatUpdate},
		{"deleting a chat removes its events, runs and attachments", chatDelete},
	}
}

func chatComesBack(s *storageCase) {
	chat := s.newChat(s.project(s.workspace().ID).ID)
	chat.Title, chat.Mode, chat.IsDefault = "It's 東京", "custom", true
	chat.Plan = &core.Plan{Steps: []core.PlanStep{{Title: "It's", Files: []string{"a.css"}, Risk: core.RiskLow}}, RawText: "東京"}
	chat.Summary = &core.Summary{Through: 12, Text: "It's 東京"}
	chat.TokensPerByte = map[string]float64{"It's\n東京": 0.40625, "other": 0.25}
	s.must(s.Chats.Create(s.Context(), chat))
	got, err := s.Chats.ByID(s.Context(), chat.ID)
	s.want(got, err, chat)
	s.wantCode(s.Chats.Create(s.Context(), chat), core.CodeConflict)
	chat.ID, chat.Title = core.NewID(), unstorable[0]
	s.wantCode(s.Chats.Create(s.Context(), chat), core.CodeValidationFailed)
	s.wantCode(s.Chats.Create(s.Context(), s.newChat(core.NewID())), core.CodeNotFound)
}

func chatNotFound(s *storageCase) {
	s.chat()
	for _, id := range []core.ID{core.NewID(), core.ID(unstorable[0])} {
		_, err := s.Chats.ByID(s.Context(), id)
		s.wantCode(err, core.CodeNotFound)
		_, err = s.Chats.Update(s.Context(), id, func(*core.Chat) error { return nil })
		s.wantCode(err, core.CodeNotFound)
		s.wantCode(s.Chats.Delete(s.Context(), id), core.CodeNotFound)
		list, err := s.Chats.List(s.Context(), id)
		s.want(len(list), err, 0)
	}
}

func chatsByAge(s *storageCase) {
	project := s.project(s.workspace().ID)
	s.chat()
	var want []core.Chat
	for _, at := range []core.Time{30, 10, 20, 20} {
		chat := s.newChat(project.ID)
		chat.CreatedAt = at
		s.must(s.Chats.Create(s.Context(), chat))
		want = append(want, chat)
	}
	slices.SortFunc(want, func(a, b core.Chat) int {
		if a.CreatedAt != b.CreatedAt {
			return int(a.CreatedAt - b.CreatedAt)
		}
		return strings.Compare(string(a.ID), string(b.ID))
	})
	got, err := s.Chats.List(s.Context(), project.ID)
	s.want(got, err, want)
}

func chatRunning(s *storageCase) {
	chat := s.chat()
	run := s.run(chat.ID, core.RunQueued)
	for _, step := range []struct {
		status core.RunStatus
		want   bool
	}{{core.RunQueued, true}, {core.RunRunning, true}, {core.RunEnded, false}} {
		_, err := s.Runs.Update(s.Context(), run.ID, func(run *core.Run) error {
			run.Status = step.status
			return nil
		})
		s.must(err)
		got, err := s.Chats.ByID(s.Context(), chat.ID)
		s.want(got.Running, err, step.want)
		list, err := s.Chats.List(s.Context(), chat.ProjectID)
		s.want(list[0].Running, err, step.want)
		got, err = s.Chats.Update(s.Context(), chat.ID, func(stored *core.Chat) error {
			s.want(stored.Running, nil, step.want)
			stored.Running = !step.want
			return nil
		})
		s.want(got.Running, err, step.want)
	}
}

func chatUpdate(s *storageCase) {
	chat := s.chat()
	want := chat
	want.Title, want.Mode, want.UpdatedAt = "New", core.ModePlan, s.now()
	got, err := s.Chats.Update(s.Context(), chat.ID, func(stored *core.Chat) error {
		*stored = want
		stored.ID, stored.CreatedAt, stored.Running = core.NewID(), 1, true
		return nil
	})
	s.want(got, err, want)
	got, err = s.Chats.ByID(s.Context(), chat.ID)
	s.want(got, err, want)
	_, err = s.Chats.Update(s.Context(), chat.ID, func(stored *core.Chat) error {
		stored.Title = unstorable[0]
		return nil
	})
	s.wantCode(err, core.CodeValidationFailed)
}

func chatDelete(s *storageCase) {
	doomed, kept := s.filled(), s.filled()
	s.must(s.Chats.Delete(s.Context(), doomed.chat.ID))
	s.want(s.contents(doomed), nil, [8]int{1, 1, 1, 0, 0, 0, 1, 0})
	s.wantThere(kept)
	again := doomed.chat
	s.must(s.Chats.Create(s.Context(), again))
	events, err := s.Events.Append(s.Context(), again.ID, 1, []core.Payload{core.TaskComplete{Reason: core.ReasonDone}})
	s.want(events, err, []core.Event{{Seq: 1, CreatedAt: 1, Payload: core.TaskComplete{Reason: core.ReasonDone}}})
}

func storageEventClauses() []storageClause {
	return []storageClause{
		{"every kind of event comes back as it was appended", eventsComeBack},
		{"events have no gap under parallel writers", eventsInParallel},
		{"whoever reads an event finds all before it", eventsInOrder},
		{"a failed append leaves no gap", eventsAfterFailure},
		{"a range of events is bounded on both sides", eventRange},
		{"events of a chat that is not there are not found", eventsOfNothing},
	}
}

func eventsComeBack(s *storageCase) {
	chat, other := s.chat(), s.chat()
	payloads := []core.Payload{
		core.UserMessage{Text: "it's \x00 東京 \"%\\ \u2028", Attachments: []core.Attachment{{Type: core.AttachmentImage, ID: "a1", MediaType: "image/png", Size: 70}}, By: core.NewID()},
		core.MessageDelta{Delta: "a"}, core.ReasoningDelta{Delta: "b"},
		core.ToolCall{ID: "1", Tool: "write_file", Args: json.RawMessage(`{"path":"a"}`)},
		core.ToolResult{ID: "1", Result: "ok"}, core.ToolError{ID: "2", Error: "denied"}, core.AssistantMessage{Text: "done"},
		core.UsageInfo{InputTokens: 1 << 40, OutputTokens: 2, Cost: 0.000_125}, core.CompactionStart{},
		core.CompactionComplete{TokensBefore: 2, TokensAfter: 1}, core.FileChanged{Path: "a", Action: core.FileCreated},
		core.VersionCreated{VersionID: "c0ffee", FilesChanged: 3}, core.TaskComplete{Reason: core.ReasonStopped},
		core.SessionError{Error: core.CodeInterrupted, Message: "cut off"},
	}
	want := make([]core.Event, len(payloads))
	for i, payload := range payloads {
		want[i] = core.Event{Seq: int64(i + 1), CreatedAt: 1_700_000_000_007, Payload: payload}
	}
	got, err := s.Events.Append(s.Context(), chat.ID, 1_700_000_000_007, payloads)
	s.want(got, err, want)
	got, err = s.Events.Read(s.Context(), chat.ID, storage.EventRange{Limit: 100})
	s.want(got, err, want)
	got, err = s.Events.Append(s.Context(), chat.ID, 8, []core.Payload{core.MessageDelta{Delta: "c"}})
	s.want(got, err, []core.Event{{Seq: int64(len(want) + 1), CreatedAt: 8, Payload: core.MessageDelta{Delta: "c"}}})
	got, err = s.Events.Append(s.Context(), other.ID, 9, []core.Payload{core.CompactionStart{}})
	s.want(got, err, []core.Event{{Seq: 1, CreatedAt: 9, Payload: core.CompactionStart{}}})
	got, err = s.Events.Append(s.Context(), other.ID, 9, nil)
	s.want(len(got), err, 0)
}

func eventsInParallel(s *storageCase) {
	chat := s.chat()
	const writers, calls, each = 8, 10, 3
	var lock sync.Mutex
	seen := map[int64]core.Payload{}
	together(writers, func(w int) {
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
	s.want(len(events), err, writers*calls*each)
	for i, event := range events {
		if event.Seq != int64(i+1) || seen[event.Seq] != event.Payload {
			s.Fatalf("got %+v at place %d, want number %d with %+v", event, i, i+1, seen[int64(i+1)])
		}
	}
}

func eventsInOrder(s *storageCase) {
	chat := s.chat()
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
	together(4, func(int) {
		for range 25 {
			if _, err := s.Events.Append(s.Context(), chat.ID, 1, []core.Payload{core.MessageDelta{}}); err != nil {
				s.Errorf("got %v, want nil", err)
			}
		}
	})
	close(stop)
	reader.Wait()
}

func eventsAfterFailure(s *storageCase) {
	chat := s.chat()
	_, err := s.Events.Append(s.Context(), chat.ID, 1, []core.Payload{
		core.MessageDelta{}, core.ToolCall{Args: json.RawMessage("{broken")},
	})
	s.wantCode(err, core.CodeValidationFailed)
	err = s.store.InTx(s.Context(), inTx(func(in storageTx) error {
		if _, err := in.Events.Append(in.ctx, chat.ID, 1, []core.Payload{core.MessageDelta{}}); err != nil {
			return err
		}
		return errStop
	}))
	s.want(err, nil, errStop)
	events, err := s.Events.Append(s.Context(), chat.ID, 2, []core.Payload{core.CompactionStart{}})
	s.want(events, err, []core.Event{{Seq: 1, CreatedAt: 2, Payload: core.CompactionStart{}}})
}

func eventRange(s *storageCase) {
	chat := s.chat()
	for range 10 {
		_, err := s.Events.Append(s.Context(), chat.ID, 1, []core.Payload{core.MessageDelta{}})
		s.must(err)
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
		s.want(got, err, want)
	}
}

func eventsOfNothing(s *storageCase) {
	s.chat()
	for _, id := range []core.ID{core.NewID(), core.ID(unstorable[0])} {
		for _, payloads := range [][]core.Payload{{core.MessageDelta{}}, nil} {
			_, err := s.Events.Append(s.Context(), id, 1, payloads)
			s.wantCode(err, core.CodeNotFound)
		}
		events, err := s.Events.Read(s.Context(), id, storage.EventRange{Limit: 5})
		s.want(len(events), err, 0)
	}
}
