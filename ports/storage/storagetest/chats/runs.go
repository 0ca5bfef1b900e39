package chats

import (
	"fmt"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func runClauses() []clause {
	return []clause{
		{"a run comes back as it was stored", runComesBack},
		{"a run that is not there is not found", runNotFound},
		{"a chat has one busy run at most", chatBusy},
		{"of parallel runs in one chat one begins", chatBusyInParallel},
		{"a claim takes the oldest queued run", claimOldest},
		{"a claim leaves out workspaces", claimExcept},
		{"no two claims get the same run", claimInParallel},
		{"running runs are counted by workspace", countRunning},
		{"a claim waits for no transaction and finds what a rollback gives back", claimRolledBack},
		{"runs whose lease has ended have lapsed", runsLapsed},
		{"runs are found by the versions that they made", runsByVersion},
		{"an update of a run works as a user's", runUpdate},
	}
}

func runComesBack(s testCase) {
	full := s.NewRun(s.Chat().ID)
	full.Status, full.Model, full.Thinking, full.Text = core.RunRunning, "p/llama", core.ThinkingHigh, "it's\n東京"
	full.OwnProvider, full.Detached, full.StopRequested, full.Owner, full.LeaseUntil = true, true, true, "process", s.Now()
	full.EndedAt, full.CreditHeld, full.VersionID = new(s.Now()), 0.125, "0a1b"
	full.Attachments = []core.Attachment{{Type: core.AttachmentImage, ID: "a'1", MediaType: "image/png", Size: 1 << 40}, {ID: "2"}}
	full.Mode, full.Resumes, full.ResumedAt, full.Spent = core.ModePlan, 2, 77, 0.25
	full.Said = core.MessageContext{Command: "fix", Prompt: "Mend it.", References: []core.Reference{{Type: core.ReferenceFile, Path: "a's.txt"}}}
	full.Intent = &core.Intent{CallID: "call_1", Op: core.OpRename, Path: "a's.txt", To: "東京.txt", Hash: "00ff"}
	full.Changed = []core.ProjectPath{core.MustPath("a's.txt"), core.MustPath("東京/x")}
	for _, run := range []core.Run{full, s.NewRun(s.Chat().ID)} {
		s.Must(s.Runs.Create(s.Context(), run))
		got, err := s.Runs.ByID(s.Context(), run.ID)
		s.Want(got, err, run)
		got, err = s.Runs.Busy(s.Context(), run.ChatID)
		s.Want(got, err, run)
	}
	full.Status = core.RunEnded
	s.WantCode(s.Runs.Create(s.Context(), full), core.CodeConflict)
	full.ID, full.Text = core.NewID(), fixture.Unstorable()[0]
	s.WantCode(s.Runs.Create(s.Context(), full), core.CodeValidationFailed)
	s.WantCode(s.Runs.Create(s.Context(), s.NewRun(core.NewID())), core.CodeNotFound)
}

func runNotFound(s testCase) {
	chat := s.Chat()
	s.RunOf(chat.ID, core.RunEnded)
	_, err := s.Runs.Busy(s.Context(), chat.ID)
	s.WantCode(err, core.CodeNotFound)
	_, err = s.Runs.Claim(s.Context(), "process", 1, nil)
	s.WantCode(err, core.CodeNotFound)
	for _, id := range []core.ID{core.NewID(), core.ID(fixture.Unstorable()[0])} {
		_, err = s.Runs.ByID(s.Context(), id)
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Runs.Busy(s.Context(), id)
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Runs.Update(s.Context(), id, func(*core.Run) error { return nil })
		s.WantCode(err, core.CodeNotFound)
	}
}

func chatBusy(s testCase) {
	chat := s.Chat()
	s.RunOf(chat.ID, core.RunEnded)
	busy := s.RunOf(chat.ID, core.RunQueued)
	s.WantCode(s.Runs.Create(s.Context(), s.NewRun(chat.ID)), core.CodeChatBusy)
	ended := s.RunOf(chat.ID, core.RunEnded)
	begin := func(run *core.Run) error {
		run.Status = core.RunRunning
		return nil
	}
	_, err := s.Runs.Update(s.Context(), ended.ID, begin)
	s.WantCode(err, core.CodeChatBusy)
	_, err = s.Runs.Update(s.Context(), busy.ID, begin)
	s.Must(err)
	s.WantCode(s.Runs.Create(s.Context(), s.NewRun(chat.ID)), core.CodeChatBusy)
	_, err = s.Runs.Update(s.Context(), busy.ID, func(run *core.Run) error {
		run.Status, run.EndedAt = core.RunEnded, new(s.Now())
		return nil
	})
	s.Must(err)
	got, err := s.Runs.Update(s.Context(), ended.ID, begin)
	s.Want(got.Busy(), err, true)
	s.WantCode(s.Runs.Create(s.Context(), s.NewRun(chat.ID)), core.CodeChatBusy)
}

func chatBusyInParallel(s testCase) {
	chat := s.Chat()
	var lock sync.Mutex
	begun := 0
	runs := make([]core.Run, 16)
	for i := range runs {
		runs[i] = s.NewRun(chat.ID)
	}
	fixture.Together(len(runs), func(i int) {
		err := s.Runs.Create(s.Context(), runs[i])
		lock.Lock()
		defer lock.Unlock()
		if err == nil {
			begun++
			return
		}
		s.WantCode(err, core.CodeChatBusy)
	})
	s.Want(begun, nil, 1)
}

func claimOldest(s testCase) {
	var queued []core.Run
	for _, at := range []core.Time{20, 10, 30} {
		run := s.NewRun(s.Chat().ID)
		run.CreatedAt, run.OwnProvider = at, at == 10
		s.Must(s.Runs.Create(s.Context(), run))
		queued = append(queued, run)
	}
	s.RunOf(s.Chat().ID, core.RunRunning)
	s.RunOf(s.Chat().ID, core.RunEnded)
	for _, i := range []int{1, 0, 2} {
		want := queued[i]
		want.Status, want.Owner, want.LeaseUntil = core.RunRunning, "o'process", 77
		got, err := s.Runs.Claim(s.Context(), "o'process", 77, nil)
		s.Want(got, err, want)
		got, err = s.Runs.ByID(s.Context(), want.ID)
		s.Want(got, err, want)
		got, err = s.Runs.Busy(s.Context(), want.ChatID)
		s.Want(got, err, want)
	}
	_, err := s.Runs.Claim(s.Context(), "process", 77, nil)
	s.WantCode(err, core.CodeNotFound)
	_, err = s.Runs.Claim(s.Context(), fixture.Unstorable()[0], 77, nil)
	s.WantCode(err, core.CodeValidationFailed)
}

func countRunning(s testCase) {
	run := s.RunOf(s.Chat().ID, core.RunRunning)
	queued, ended, elsewhere := s.NewRun(s.Chat().ID), s.NewRun(s.Chat().ID), s.NewRun(s.Chat().ID)
	queued.WorkspaceID, ended.WorkspaceID, elsewhere.WorkspaceID = run.WorkspaceID, run.WorkspaceID, core.NewID()
	ended.Status, ended.EndedAt, elsewhere.Status = core.RunEnded, new(s.Now()), core.RunRunning
	for _, other := range []core.Run{queued, ended, elsewhere} {
		s.Must(s.Runs.Create(s.Context(), other))
	}
	for workspace, want := range map[core.ID]int{run.WorkspaceID: 1, elsewhere.WorkspaceID: 1, core.NewID(): 0, core.ID(fixture.Unstorable()[0]): 0} {
		got, err := s.Runs.CountRunning(s.Context(), workspace)
		s.Want(got, err, want)
	}
	claimed, err := s.Runs.Claim(s.Context(), "process", 77, nil)
	s.Want(claimed.ID, err, queued.ID)
	got, err := s.Runs.CountRunning(s.Context(), run.WorkspaceID)
	s.Want(got, err, 2)
}

func claimExcept(s testCase) {
	var queued []core.Run
	for range 3 {
		queued = append(queued, s.RunOf(s.Chat().ID, core.RunQueued))
	}
	got, err := s.Runs.Claim(s.Context(), "process", 77, []core.ID{queued[0].WorkspaceID, core.ID(fixture.Unstorable()[0]), queued[1].WorkspaceID})
	s.Want(got.ID, err, queued[2].ID)
	_, err = s.Runs.Claim(s.Context(), "process", 77, []core.ID{queued[0].WorkspaceID, queued[1].WorkspaceID})
	s.WantCode(err, core.CodeNotFound)
	got, err = s.Runs.Claim(s.Context(), "process", 77, []core.ID{queued[0].WorkspaceID})
	s.Want(got.ID, err, queued[1].ID)
}

func claimInParallel(s testCase) {
	const claimers, runs = 8, 40
	for range runs {
		s.RunOf(s.Chat().ID, core.RunQueued)
	}
	var lock sync.Mutex
	claimed := map[core.ID]string{}
	fixture.Together(claimers, func(i int) {
		owner := fmt.Sprintf("process %d", i)
		for range 2 * runs {
			run, err := s.Runs.Claim(s.Context(), owner, 5, nil)
			if core.IsCode(err, core.CodeNotFound) {
				// Another claimer may hold the last one for a moment.
				continue
			}
			if err != nil {
				s.Errorf("got %v, want code %s", err, core.CodeNotFound)
				return
			}
			lock.Lock()
			if other, taken := claimed[run.ID]; taken {
				s.Errorf("got run %s for %s, want it for %s alone", run.ID, owner, other)
			}
			claimed[run.ID] = owner
			lock.Unlock()
		}
	})
	s.Want(len(claimed), nil, runs)
	for id, owner := range claimed {
		run, err := s.Runs.ByID(s.Context(), id)
		s.Want(run.Owner, err, owner)
	}
}

func claimRolledBack(s testCase) {
	run := s.RunOf(s.Chat().ID, core.RunQueued)
	err := s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
		if _, err := in.Runs.Claim(in.Ctx, "crashing", 5, nil); err != nil {
			return err
		}
		return fixture.ErrStop
	}))
	s.Want(err, nil, fixture.ErrStop)
	got, err := s.Runs.Claim(s.Context(), "next", 6, nil)
	s.Want(got.ID, err, run.ID)
}

func runsLapsed(s testCase) {
	lease := func(status core.RunStatus, until, created core.Time) core.Run {
		run := s.NewRun(s.Chat().ID)
		run.Status, run.LeaseUntil, run.CreatedAt = status, until, created
		s.Must(s.Runs.Create(s.Context(), run))
		return run
	}
	younger, older := lease(core.RunRunning, 50, 9), lease(core.RunRunning, 99, 8)
	lease(core.RunRunning, 100, 1)
	lease(core.RunRunning, 101, 1)
	lease(core.RunQueued, 0, 1)
	lease(core.RunEnded, 50, 1)
	got, err := s.Runs.Lapsed(s.Context(), 100)
	s.Want(got, err, []core.Run{older, younger})
	got, err = s.Runs.Lapsed(s.Context(), 50)
	s.Want(len(got), err, 0)
}

func runUpdate(s testCase) {
	run := s.RunOf(s.Chat().ID, core.RunQueued)
	want := run
	want.Status, want.StopRequested, want.EndedAt = core.RunEnded, true, new(s.Now())
	got, err := s.Runs.Update(s.Context(), run.ID, func(stored *core.Run) error {
		*stored = want
		stored.ID, stored.CreatedAt = core.NewID(), 1
		return nil
	})
	s.Want(got, err, want)
	got, err = s.Runs.ByID(s.Context(), run.ID)
	s.Want(got, err, want)
	_, err = s.Runs.Update(s.Context(), run.ID, func(*core.Run) error { return fixture.ErrStop })
	s.Want(err, nil, fixture.ErrStop)
}

func runsByVersion(s testCase) {
	project := core.NewID()
	chat := s.Chat().ID
	made := map[string]core.Run{}
	for _, version := range []string{"a", "b", "", "elsewhere"} {
		run := s.NewRun(chat)
		run.Status, run.VersionID, run.ProjectID = core.RunEnded, version, project
		if version == "elsewhere" {
			run.ProjectID = core.NewID()
		}
		s.Must(s.Runs.Create(s.Context(), run))
		made[version] = run
	}
	got, err := s.Runs.Made(s.Context(), project, []string{"a", "c", "", "elsewhere"})
	s.Want(got, err, []core.Run{made["a"]})
	got, err = s.Runs.Made(s.Context(), project, nil)
	s.Want(len(got), err, 0)
}
