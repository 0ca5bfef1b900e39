package chats

import (
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func chatClauses() []clause {
	return []clause{
		{"a chat comes back as it was stored", chatComesBack},
		{"a chat that is not there is not found", chatNotFound},
		{"chats are listed the oldest first", chatsByAge},
		{"a chat is running while a run of it is queued or under way", chatRunning},
		{"the runs of a project's chats are those that are queued or under way", chatRuns},
		{"an update of a chat works as a user's and stores no running", chatUpdate},
		{"deleting a chat removes its events, runs and attachments", chatDelete},
	}
}

func chatComesBack(s testCase) {
	chat := s.NewChat(s.Project(s.Workspace().ID).ID)
	chat.Title, chat.Mode, chat.IsDefault = "It's 東京", "custom", true
	chat.Plan = &core.Plan{Steps: []core.PlanStep{{Title: "It's", Files: []string{"a.css"}, Risk: core.RiskLow}}, RawText: "東京"}
	chat.Summary = &core.Summary{Through: 12, Text: "It's 東京"}
	chat.TokensPerByte = map[string]float64{"It's\n東京": 0.40625, "other": 0.25}
	chat.Briefing = &core.Briefing{
		Sections: []core.BriefingSection{{Name: "rules", Text: "It's 東京", Digest: "abc"}}, Base: "It's", Said: []core.BriefingSaid{{Seq: 3, Text: "It's\n東京"}},
		Hints: []core.BriefingHint{{Seq: 3, Answers: 2, Text: "Mend it."}},
	}
	s.Must(s.Chats.Create(s.Context(), chat))
	got, err := s.Chats.ByID(s.Context(), chat.ID)
	s.Want(got, err, chat)
	s.WantCode(s.Chats.Create(s.Context(), chat), core.CodeConflict)
	chat.ID, chat.Title = core.NewID(), fixture.Unstorable()[0]
	s.WantCode(s.Chats.Create(s.Context(), chat), core.CodeValidationFailed)
	s.WantCode(s.Chats.Create(s.Context(), s.NewChat(core.NewID())), core.CodeNotFound)
}

func chatNotFound(s testCase) {
	s.Chat()
	for _, id := range []core.ID{core.NewID(), core.ID(fixture.Unstorable()[0])} {
		_, err := s.Chats.ByID(s.Context(), id)
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Chats.Update(s.Context(), id, func(*core.Chat) error { return nil })
		s.WantCode(err, core.CodeNotFound)
		s.WantCode(s.Chats.Delete(s.Context(), id), core.CodeNotFound)
		list, err := s.Chats.List(s.Context(), id)
		s.Want(len(list), err, 0)
	}
}

func chatsByAge(s testCase) {
	project := s.Project(s.Workspace().ID)
	s.Chat()
	var want []core.Chat
	for _, at := range []core.Time{30, 10, 20, 20} {
		chat := s.NewChat(project.ID)
		chat.CreatedAt = at
		s.Must(s.Chats.Create(s.Context(), chat))
		want = append(want, chat)
	}
	slices.SortFunc(want, func(a, b core.Chat) int {
		if a.CreatedAt != b.CreatedAt {
			return int(a.CreatedAt - b.CreatedAt)
		}
		return strings.Compare(string(a.ID), string(b.ID))
	})
	got, err := s.Chats.List(s.Context(), project.ID)
	s.Want(got, err, want)
}

func chatRunning(s testCase) {
	chat := s.Chat()
	run := s.RunOf(chat.ID, core.RunQueued)
	for _, step := range []struct {
		status core.RunStatus
		want   bool
	}{{core.RunQueued, true}, {core.RunRunning, true}, {core.RunEnded, false}} {
		_, err := s.Runs.Update(s.Context(), run.ID, func(run *core.Run) error {
			run.Status = step.status
			return nil
		})
		s.Must(err)
		got, err := s.Chats.ByID(s.Context(), chat.ID)
		s.Want(got.Running, err, step.want)
		list, err := s.Chats.List(s.Context(), chat.ProjectID)
		s.Want(list[0].Running, err, step.want)
		got, err = s.Chats.Update(s.Context(), chat.ID, func(stored *core.Chat) error {
			s.Want(stored.Running, nil, step.want)
			stored.Running = !step.want
			return nil
		})
		s.Want(got.Running, err, step.want)
	}
}

func chatRuns(s testCase) {
	project := s.Project(s.Workspace().ID)
	var want []core.Run
	for i, status := range []core.RunStatus{core.RunRunning, core.RunQueued, core.RunEnded} {
		chat := s.NewChat(project.ID)
		s.Must(s.Chats.Create(s.Context(), chat))
		run := s.NewRun(chat.ID)
		run.Status, run.CreatedAt, run.Changed = status, core.Time(30-i), []core.ProjectPath{core.MustPath("a")}
		s.Must(s.Runs.Create(s.Context(), run))
		if run.Busy() {
			want = append([]core.Run{run}, want...)
		}
	}
	s.RunOf(s.Chat().ID, core.RunRunning)
	got, err := s.Chats.Runs(s.Context(), project.ID)
	s.Want(got, err, want)
	for _, id := range []core.ID{core.NewID(), core.ID(fixture.Unstorable()[0]), s.Project(s.Workspace().ID).ID} {
		got, err = s.Chats.Runs(s.Context(), id)
		s.Want(len(got), err, 0)
	}
	_, err = s.Chats.Runs(s.Ended(), project.ID)
	s.WantCode(err, core.CodeUnavailable)
}

func chatUpdate(s testCase) {
	chat := s.Chat()
	want := chat
	want.Title, want.Mode, want.UpdatedAt = "New", core.ModePlan, s.Now()
	got, err := s.Chats.Update(s.Context(), chat.ID, func(stored *core.Chat) error {
		*stored = want
		stored.ID, stored.CreatedAt, stored.Running = core.NewID(), 1, true
		return nil
	})
	s.Want(got, err, want)
	got, err = s.Chats.ByID(s.Context(), chat.ID)
	s.Want(got, err, want)
	_, err = s.Chats.Update(s.Context(), chat.ID, func(stored *core.Chat) error {
		stored.Title = fixture.Unstorable()[0]
		return nil
	})
	s.WantCode(err, core.CodeValidationFailed)
}

func chatDelete(s testCase) {
	doomed, kept := s.Filled(), s.Filled()
	s.Must(s.Chats.Delete(s.Context(), doomed.Chat.ID))
	s.Want(doomed.Contents(s.Case), nil, [8]int{1, 1, 1, 0, 0, 0, 1, 0})
	kept.WantThere(s.Case)
	again := doomed.Chat
	s.Must(s.Chats.Create(s.Context(), again))
	events, err := s.Events.Append(s.Context(), again.ID, 1, []core.Payload{core.TaskComplete{Reason: core.ReasonDone}})
	s.Want(events, err, []core.Event{{Seq: 1, CreatedAt: 1, Payload: core.TaskComplete{Reason: core.ReasonDone}}})
}
