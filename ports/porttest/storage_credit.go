package porttest

import (
	"sync/atomic"

	"github.com/atelierhq/atelier/core"
)

func storageCreditClauses() []storageClause {
	return []storageClause{
		{"a run holds what was allowed last", creditHeld},
		{"what a run may hold is decided on its workspace and the other running runs", creditHeldByOthers},
		{"a refused hold changes nothing", creditRefused},
		{"a run holds nothing for others once it has ended", creditOfEndedRun},
		{"only a running run of a workspace that is there holds credit", creditOfNothing},
		{"parallel holds never go over what is allowed", creditInParallel},
		{"holds in parallel with spending never go over what is allowed", creditBesideSpending},
		{"holds in parallel transactions never go over what is allowed", creditInTransactions},
		{"a hold that is rolled back holds nothing", creditRolledBack},
	}
}

// runIn makes a run of a workspace, in a chat of its own.
func (s *storageCase) runIn(workspace core.ID, status core.RunStatus) core.Run {
	s.Helper()
	chat := s.newChat(s.project(workspace).ID)
	s.must(s.Chats.Create(s.Context(), chat))
	run := s.newRun(chat.ID)
	run.WorkspaceID, run.ProjectID, run.Status = workspace, chat.ProjectID, status
	s.must(s.Runs.Create(s.Context(), run))
	return run
}

// hold lets a run hold an amount, whatever others do.
func (s *storageCase) hold(run core.Run, amount float64) {
	s.Helper()
	s.must(s.Runs.Hold(s.Context(), run.ID, core.Hold{Amount: amount}, func(core.Funds) error { return nil }))
}

// heldBeside returns what the other runs of a run's workspace hold.
func (s *storageCase) heldBeside(run core.Run) (held float64) {
	s.Helper()
	err := s.Runs.Hold(s.Context(), run.ID, core.Hold{}, func(funds core.Funds) error {
		held = funds.Held
		return errStop
	})
	s.want(err, nil, errStop)
	return held
}

// upTo allows an amount as long as all that is held and used stays within limit.
func upTo(limit, amount float64) func(core.Funds) error {
	return func(funds core.Funds) error {
		if funds.Workspace.CreditUsed+funds.Held+amount > limit {
			return errStop
		}
		return nil
	}
}

func creditHeld(s *storageCase) {
	workspace := s.workspace()
	run := s.runIn(workspace.ID, core.RunRunning)
	for _, amount := range []float64{0.125, 1e9 + 0.000_001, 0} {
		s.must(s.Runs.Hold(s.Context(), run.ID, core.Hold{Amount: amount}, func(funds core.Funds) error {
			s.want(funds, nil, core.Funds{Workspace: workspace})
			return nil
		}))
		run.CreditHeld = amount
		got, err := s.Runs.ByID(s.Context(), run.ID)
		s.want(got, err, run)
	}
}

func creditHeldByOthers(s *storageCase) {
	workspace, other := s.workspace(), s.workspace()
	run := s.runIn(workspace.ID, core.RunRunning)
	s.hold(run, 64)
	s.want(s.heldBeside(run), nil, 0.0)
	s.hold(s.runIn(workspace.ID, core.RunRunning), 1)
	second := s.runIn(workspace.ID, core.RunRunning)
	s.hold(second, 16)
	s.hold(second, 2)
	s.hold(s.runIn(other.ID, core.RunRunning), 4)
	s.want(s.heldBeside(run), nil, 3.0)
	_, err := s.Workspaces.Update(s.Context(), workspace.ID, func(stored *core.Workspace) error {
		stored.CreditLimit, stored.CreditUsed = new(5.0), 1.5
		return nil
	})
	s.must(err)
	s.must(s.Runs.Hold(s.Context(), run.ID, core.Hold{Amount: 1}, func(funds core.Funds) error {
		s.want(*funds.Workspace.CreditLimit, nil, 5.0)
		s.want(funds.Workspace.CreditUsed, nil, 1.5)
		return nil
	}))
}

func creditRefused(s *storageCase) {
	run := s.runIn(s.workspace().ID, core.RunRunning)
	s.hold(run, 2)
	refused := core.Errorf(core.CodeCreditExhausted, "no")
	err := s.Runs.Hold(s.Context(), run.ID, core.Hold{Amount: 9}, func(core.Funds) error { return refused })
	if err != error(refused) {
		s.Errorf("got %v, want the caller's own error", err)
	}
	run.CreditHeld = 2
	got, err := s.Runs.ByID(s.Context(), run.ID)
	s.want(got, err, run)
}

func creditOfEndedRun(s *storageCase) {
	workspace := s.workspace()
	run, cutOff, deleted := s.runIn(workspace.ID, core.RunRunning), s.runIn(workspace.ID, core.RunRunning), s.runIn(workspace.ID, core.RunRunning)
	s.hold(cutOff, 4)
	s.hold(deleted, 8)
	s.want(s.heldBeside(run), nil, 12.0)
	_, err := s.Runs.Update(s.Context(), cutOff.ID, func(stored *core.Run) error {
		stored.Status = core.RunEnded
		return nil
	})
	s.must(err)
	s.want(s.heldBeside(run), nil, 8.0)
	s.must(s.Chats.Delete(s.Context(), deleted.ChatID))
	s.want(s.heldBeside(run), nil, 0.0)
}

func creditOfNothing(s *storageCase) {
	workspace := s.workspace()
	hold := func(id core.ID) error {
		return s.Runs.Hold(s.Context(), id, core.Hold{Amount: 1}, func(core.Funds) error {
			s.Errorf("run %q: somebody was asked, want nobody", id)
			return nil
		})
	}
	for _, status := range []core.RunStatus{core.RunQueued, core.RunEnded} {
		run := s.runIn(workspace.ID, status)
		s.wantCode(hold(run.ID), core.CodeConflict)
		got, err := s.Runs.ByID(s.Context(), run.ID)
		s.want(got, err, run)
	}
	for _, id := range []core.ID{core.NewID(), core.ID(unstorable[0]), ""} {
		s.wantCode(hold(id), core.CodeNotFound)
	}
	orphan := s.run(s.chat().ID, core.RunRunning)
	s.wantCode(hold(orphan.ID), core.CodeNotFound)
}

// creditRuns are runs of one workspace that all want a quarter of a dollar.
func (s *storageCase) creditRuns(count int) []core.Run {
	s.Helper()
	workspace := s.workspace()
	runs := make([]core.Run, count)
	for i := range runs {
		runs[i] = s.runIn(workspace.ID, core.RunRunning)
	}
	return runs
}

// wantHeld holds how many were allowed to the number, and to what is stored.
func (s *storageCase) wantHeld(runs []core.Run, allowed int32, want int32) {
	s.Helper()
	s.want(allowed, nil, want)
	var sum float64
	for _, run := range runs {
		got, err := s.Runs.ByID(s.Context(), run.ID)
		s.must(err)
		sum += got.CreditHeld
	}
	s.want(sum, nil, 0.25*float64(want))
}

func creditInParallel(s *storageCase) {
	runs := s.creditRuns(16)
	var allowed atomic.Int32
	together(len(runs), func(i int) {
		err := s.Runs.Hold(s.Context(), runs[i].ID, core.Hold{Amount: 0.25}, upTo(1.25, 0.25))
		if err == nil {
			allowed.Add(1)
		} else {
			s.want(err, nil, errStop)
		}
	})
	s.wantHeld(runs, allowed.Load(), 5)
}

func creditBesideSpending(s *storageCase) {
	runs := s.creditRuns(8)
	together(len(runs), func(i int) {
		for range 4 {
			if err := s.Runs.Hold(s.Context(), runs[i].ID, core.Hold{Amount: 0.25}, upTo(3, 0.25)); err != nil {
				s.want(err, nil, errStop)
				return
			}
			// What was held becomes what is used, in one step.
			err := s.store.InTx(s.Context(), inTx(func(in storageTx) error {
				_, err := in.Workspaces.Update(in.ctx, runs[i].WorkspaceID, func(w *core.Workspace) error {
					w.CreditUsed += 0.25
					return nil
				})
				if err != nil {
					return err
				}
				_, err = in.Runs.Update(in.ctx, runs[i].ID, func(run *core.Run) error {
					run.CreditHeld = 0
					return nil
				})
				return err
			}))
			if err != nil {
				s.Errorf("got %v, want nil", err)
				return
			}
		}
	})
	workspace, err := s.Workspaces.ByID(s.Context(), runs[0].WorkspaceID)
	s.want(workspace.CreditUsed, err, 3.0)
	s.wantHeld(runs, 0, 0)
}

func creditInTransactions(s *storageCase) {
	runs := s.creditRuns(8)
	var allowed atomic.Int32
	together(len(runs), func(i int) {
		err := s.store.InTx(s.Context(), inTx(func(in storageTx) error {
			return in.Runs.Hold(in.ctx, runs[i].ID, core.Hold{Amount: 0.25}, upTo(0.75, 0.25))
		}))
		if err == nil {
			allowed.Add(1)
		} else {
			s.want(err, nil, errStop)
		}
	})
	s.wantHeld(runs, allowed.Load(), 3)
}

func creditRolledBack(s *storageCase) {
	runs := s.creditRuns(2)
	err := s.store.InTx(s.Context(), inTx(func(in storageTx) error {
		err := in.Runs.Hold(in.ctx, runs[0].ID, core.Hold{Amount: 0.25}, upTo(1, 0.25))
		if err != nil {
			return err
		}
		return errStop
	}))
	s.want(err, nil, errStop)
	s.want(s.heldBeside(runs[1]), nil, 0.0)
}
