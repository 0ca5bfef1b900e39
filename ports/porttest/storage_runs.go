package porttest

import (
	"fmt"
	"sync"

	"github.com/atelierhq/atelier/core"
)

func storageRunClauses() []storageClause {
	return []storageClause{
		{"a run comes back as it was stored", runComesBack},
		{"a run that is not there is not found", runNotFound},
		{"a chat has one busy run at most", chatBusy},
		{"of parallel runs in one chat one begins", chatBusyInParallel},
		{"a claim takes the oldest queued run", claimOldest},
		{"a claim leaves out workspaces", claimExcept},
		{"no two claims get the same run", claimInParallel},
		{"a claim waits for no transaction and finds what a rollback gives back", claimRolledBack},
		{"runs whose lease has ended have lapsed", runsLapsed},
		{"an update of a run works as a user's", runUpdate},
	}
}

func runComesBack(s *storageCase) {
	full := s.newRun(s.chat().ID)
	full.Status, full.Model, full.Text = core.RunRunning, "p/llama", "it's\n東京"
	full.OwnProvider, full.Detached, full.StopRequested, full.Owner, full.LeaseUntil = true, true, true, "process", s.now()
	full.EndedAt, full.CreditHeld = new(s.now()), 0.125
	full.Attachments = []core.Attachment{{Type: core.AttachmentImage, ID: "a'1", MediaType: "image/png", Size: 1 << 40}, {ID: "2"}}
	full.Mode, full.Resumes, full.ResumedAt, full.Spent = core.ModePlan, 2, 77, 0.25
	full.Intent = &core.Intent{CallID: "call_1", Op: core.OpRename, Path: "a's.txt", To: "東京.txt", Hash: "00ff"}
	full.Changed = []core.ProjectPath{core.MustPath("a's.txt"), core.MustPath("東京/x")}
	for _, run := range []core.Run{full, s.newRun(s.chat().ID)} {
		s.must(s.Runs.Create(s.Context(), run))
		got, err := s.Runs.ByID(s.Context(), run.ID)
		s.want(got, err, run)
		got, err = s.Runs.Busy(s.Context(), run.ChatID)
		s.want(got, err, run)
	}
	full.Status = core.RunEnded
	s.wantCode(s.Runs.Create(s.Context(), full), core.CodeConflict)
	full.ID, full.Text = core.NewID(), unstorable[0]
	s.wantCode(s.Runs.Create(s.Context(), full), core.CodeValidationFailed)
	s.wantCode(s.Runs.Create(s.Context(), s.newRun(core.NewID())), core.CodeNotFound)
}

func runNotFound(s *storageCase) {
	chat := s.chat()
	s.run(chat.ID, core.RunEnded)
	_, err := s.Runs.Busy(s.Context(), chat.ID)
	s.wantCode(err, core.CodeNotFound)
	_, err = s.Runs.Claim(s.Context(), "process", 1, nil)
	s.wantCode(err, core.CodeNotFound)
	for _, id := range []core.ID{core.NewID(), core.ID(unstorable[0])} {
		_, err = s.Runs.ByID(s.Context(), id)
		s.wantCode(err, core.CodeNotFound)
		_, err = s.Runs.Busy(s.Context(), id)
		s.wantCode(err, core.CodeNotFound)
		_, err = s.Runs.Update(s.Context(), id, func(*core.Run) error { return nil })
		s.wantCode(err, core.CodeNotFound)
	}
}

func chatBusy(s *storageCase) {
	chat := s.chat()
	s.run(chat.ID, core.RunEnded)
	busy := s.run(chat.ID, core.RunQueued)
	s.wantCode(s.Runs.Create(s.Context(), s.newRun(chat.ID)), core.CodeChatBusy)
	ended := s.run(chat.ID, core.RunEnded)
	begin := func(run *core.Run) error {
		run.Status = core.RunRunning
		return nil
	}
	_, err := s.Runs.Update(s.Context(), ended.ID, begin)
	s.wantCode(err, core.CodeChatBusy)
	_, err = s.Runs.Update(s.Context(), busy.ID, begin)
	s.must(err)
	s.wantCode(s.Runs.Create(s.Context(), s.newRun(chat.ID)), core.CodeChatBusy)
	_, err = s.Runs.Update(s.Context(), busy.ID, func(run *core.Run) error {
		run.Status, run.EndedAt = core.RunEnded, new(s.now())
		return nil
	})
	s.must(err)
	got, err := s.Runs.Update(s.Context(), ended.ID, begin)
	s.want(got.Busy(), err, true)
	s.wantCode(s.Runs.Create(s.Context(), s.newRun(chat.ID)), core.CodeChatBusy)
}

func chatBusyInParallel(s *storageCase) {
	chat := s.chat()
	var lock sync.Mutex
	begun := 0
	runs := make([]core.Run, 16)
	for i := range runs {
		runs[i] = s.newRun(chat.ID)
	}
	together(len(runs), func(i int) {
		err := s.Runs.Create(s.Context(), runs[i])
		lock.Lock()
		defer lock.Unlock()
		if err == nil {
			begun++
			return
		}
		s.wantCode(err, core.CodeChatBusy)
	})
	s.want(begun, nil, 1)
}

func claimOldest(s *storageCase) {
	var queued []core.Run
	for _, at := range []core.Time{20, 10, 30} {
		run := s.newRun(s.chat().ID)
		run.CreatedAt, run.OwnProvider = at, at == 10
		s.must(s.Runs.Create(s.Context(), run))
		queued = append(queued, run)
	}
	s.run(s.chat().ID, core.RunRunning)
	s.run(s.chat().ID, core.RunEnded)
	for _, i := range []int{1, 0, 2} {
		want := queued[i]
		want.Status, want.Owner, want.LeaseUntil = core.RunRunning, "o'process", 77
		got, err := s.Runs.Claim(s.Context(), "o'process", 77, nil)
		s.want(got, err, want)
		got, err = s.Runs.ByID(s.Context(), want.ID)
		s.want(got, err, want)
		got, err = s.Runs.Busy(s.Context(), want.ChatID)
		s.want(got, err, want)
	}
	_, err := s.Runs.Claim(s.Context(), "process", 77, nil)
	s.wantCode(err, core.CodeNotFound)
	_, err = s.Runs.Claim(s.Context(), unstorable[0], 77, nil)
	s.wantCode(err, core.CodeValidationFailed)
}

func claimExcept(s *storageCase) {
	var queued []core.Run
	for range 3 {
		queued = append(queued, s.run(s.chat().ID, core.RunQueued))
	}
	got, err := s.Runs.Claim(s.Context(), "process", 77, []core.ID{queued[0].WorkspaceID, core.NewID(), queued[1].WorkspaceID})
	s.want(got.ID, err, queued[2].ID)
	_, err = s.Runs.Claim(s.Context(), "process", 77, []core.ID{queued[0].WorkspaceID, queued[1].WorkspaceID})
	s.wantCode(err, core.CodeNotFound)
	got, err = s.Runs.Claim(s.Context(), "process", 77, []core.ID{queued[0].WorkspaceID})
	s.want(got.ID, err, queued[1].ID)
}

func claimInParallel(s *storageCase) {
	const claimers, runs = 8, 40
	for range runs {
		s.run(s.chat().ID, core.RunQueued)
	}
	var lock sync.Mutex
	claimed := map[core.ID]string{}
	together(claimers, func(i int) {
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
	s.want(len(claimed), nil, runs)
	for id, owner := range claimed {
		run, err := s.Runs.ByID(s.Context(), id)
		s.want(run.Owner, err, owner)
	}
}

func claimRolledBack(s *storageCase) {
	run := s.run(s.chat().ID, core.RunQueued)
	err := s.store.InTx(s.Context(), inTx(func(in storageTx) error {
		if _, err := in.Runs.Claim(in.ctx, "crashing", 5, nil); err != nil {
			return err
		}
		return errStop
	}))
	s.want(err, nil, errStop)
	got, err := s.Runs.Claim(s.Context(), "next", 6, nil)
	s.want(got.ID, err, run.ID)
}

func runsLapsed(s *storageCase) {
	lease := func(status core.RunStatus, until, created core.Time) core.Run {
		run := s.newRun(s.chat().ID)
		run.Status, run.LeaseUntil, run.CreatedAt = status, until, created
		s.must(s.Runs.Create(s.Context(), run))
		return run
	}
	younger, older := lease(core.RunRunning, 50, 9), lease(core.RunRunning, 99, 8)
	lease(core.RunRunning, 100, 1)
	lease(core.RunRunning, 101, 1)
	lease(core.RunQueued, 0, 1)
	lease(core.RunEnded, 50, 1)
	got, err := s.Runs.Lapsed(s.Context(), 100)
	s.want(got, err, []core.Run{older, younger})
	got, err = s.Runs.Lapsed(s.Context(), 50)
	s.want(len(got), err, 0)
}

func runUpdate(s *storageCase) {
	run := s.run(s.chat().ID, core.RunQueued)
	want := run
	want.Status, want.StopRequested, want.EndedAt = core.RunEnded, true, new(s.now())
	got, err := s.Runs.Update(s.Context(), run.ID, func(stored *core.Run) error {
		*stored = want
		stored.ID, stored.CreatedAt = core.NewID(), 1
		return nil
	})
	s.want(got, err, want)
	got, err = s.Runs.ByID(s.Context(), run.ID)
	s.want(got, err, want)
	_, err = s.Runs.Update(s.Context(), run.ID, func(*core.Run) error { return errStop })
	s.want(err, nil, errStop)
}
