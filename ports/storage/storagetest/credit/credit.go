package credit

import (
	"sync/atomic"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func creditClauses() []clause {
	return []clause{
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
func (s testCase) runIn(workspace core.ID, status core.RunStatus) core.Run {
	s.Helper()
	chat := s.NewChat(s.Project(workspace).ID)
	s.Must(s.Chats.Create(s.Context(), chat))
	run := s.NewRun(chat.ID)
	run.WorkspaceID, run.ProjectID, run.Status = workspace, chat.ProjectID, status
	s.Must(s.Runs.Create(s.Context(), run))
	return run
}

// hold lets a run hold an amount, whatever others do.
func (s testCase) hold(run core.Run, amount float64) {
	s.Helper()
	s.Must(s.Runs.Hold(s.Context(), run.ID, core.Hold{Amount: amount}, func(core.Funds) error { return nil }))
}

// heldBeside returns what the other runs of a run's workspace hold.
func (s testCase) heldBeside(run core.Run) (held float64) {
	s.Helper()
	err := s.Runs.Hold(s.Context(), run.ID, core.Hold{}, func(funds core.Funds) error {
		held = funds.Held
		return fixture.ErrStop
	})
	s.Want(err, nil, fixture.ErrStop)
	return held
}

// upTo allows an amount as long as all that is held and used stays within limit.
func upTo(limit, amount float64) func(core.Funds) error {
	return func(funds core.Funds) error {
		if funds.Workspace.CreditUsed+funds.Held+amount > limit {
			return fixture.ErrStop
		}
		return nil
	}
}

func creditHeld(s testCase) {
	workspace := s.Workspace()
	run := s.runIn(workspace.ID, core.RunRunning)
	for _, amount := range []float64{0.125, 1e9 + 0.000_001, 0} {
		s.Must(s.Runs.Hold(s.Context(), run.ID, core.Hold{Amount: amount}, func(funds core.Funds) error {
			s.Want(funds, nil, core.Funds{Workspace: workspace})
			return nil
		}))
		run.CreditHeld = amount
		got, err := s.Runs.ByID(s.Context(), run.ID)
		s.Want(got, err, run)
	}
}

func creditHeldByOthers(s testCase) {
	workspace, other := s.Workspace(), s.Workspace()
	run := s.runIn(workspace.ID, core.RunRunning)
	s.hold(run, 64)
	s.Want(s.heldBeside(run), nil, 0.0)
	s.hold(s.runIn(workspace.ID, core.RunRunning), 1)
	second := s.runIn(workspace.ID, core.RunRunning)
	s.hold(second, 16)
	s.hold(second, 2)
	s.hold(s.runIn(other.ID, core.RunRunning), 4)
	s.Want(s.heldBeside(run), nil, 3.0)
	_, err := s.Workspaces.Update(s.Context(), workspace.ID, func(stored *core.Workspace) error {
		stored.CreditLimit, stored.CreditUsed = new(5.0), 1.5
		return nil
	})
	s.Must(err)
	s.Must(s.Runs.Hold(s.Context(), run.ID, core.Hold{Amount: 1}, func(funds core.Funds) error {
		s.Want(*funds.Workspace.CreditLimit, nil, 5.0)
		s.Want(funds.Workspace.CreditUsed, nil, 1.5)
		return nil
	}))
}

func creditRefused(s testCase) {
	run := s.runIn(s.Workspace().ID, core.RunRunning)
	s.hold(run, 2)
	refused := core.Errorf(core.CodeCreditExhausted, "no")
	err := s.Runs.Hold(s.Context(), run.ID, core.Hold{Amount: 9}, func(core.Funds) error { return refused })
	if err != error(refused) {
		s.Errorf("got %v, want the caller's own error", err)
	}
	run.CreditHeld = 2
	got, err := s.Runs.ByID(s.Context(), run.ID)
	s.Want(got, err, run)
}

func creditOfEndedRun(s testCase) {
	workspace := s.Workspace()
	run, cutOff, deleted := s.runIn(workspace.ID, core.RunRunning), s.runIn(workspace.ID, core.RunRunning), s.runIn(workspace.ID, core.RunRunning)
	s.hold(cutOff, 4)
	s.hold(deleted, 8)
	s.Want(s.heldBeside(run), nil, 12.0)
	_, err := s.Runs.Update(s.Context(), cutOff.ID, func(stored *core.Run) error {
		stored.Status = core.RunEnded
		return nil
	})
	s.Must(err)
	s.Want(s.heldBeside(run), nil, 8.0)
	s.Must(s.Chats.Delete(s.Context(), deleted.ChatID))
	s.Want(s.heldBeside(run), nil, 0.0)
}

func creditOfNothing(s testCase) {
	workspace := s.Workspace()
	hold := func(id core.ID) error {
		return s.Runs.Hold(s.Context(), id, core.Hold{Amount: 1}, func(core.Funds) error {
			s.Errorf("run %q: somebody was asked, want nobody", id)
			return nil
		})
	}
	for _, status := range []core.RunStatus{core.RunQueued, core.RunEnded} {
		run := s.runIn(workspace.ID, status)
		s.WantCode(hold(run.ID), core.CodeConflict)
		got, err := s.Runs.ByID(s.Context(), run.ID)
		s.Want(got, err, run)
	}
	for _, id := range []core.ID{core.NewID(), core.ID(fixture.Unstorable()[0]), ""} {
		s.WantCode(hold(id), core.CodeNotFound)
	}
	orphan := s.RunOf(s.Chat().ID, core.RunRunning)
	s.WantCode(hold(orphan.ID), core.CodeNotFound)
}

// creditRuns are runs of one workspace that all want a quarter of a dollar.
func (s testCase) creditRuns(count int) []core.Run {
	s.Helper()
	workspace := s.Workspace()
	runs := make([]core.Run, count)
	for i := range runs {
		runs[i] = s.runIn(workspace.ID, core.RunRunning)
	}
	return runs
}

// wantHeld compares the number of allowed runs with the expected one and with the
// stored reservations.
func (s testCase) wantHeld(runs []core.Run, allowed int32, want int32) {
	s.Helper()
	s.Want(allowed, nil, want)
	var sum float64
	for _, run := range runs {
		got, err := s.Runs.ByID(s.Context(), run.ID)
		s.Must(err)
		sum += got.CreditHeld
	}
	s.Want(sum, nil, 0.25*float64(want))
}

func creditInParallel(s testCase) {
	runs := s.creditRuns(16)
	var allowed atomic.Int32
	fixture.Together(len(runs), func(i int) {
		err := s.Runs.Hold(s.Context(), runs[i].ID, core.Hold{Amount: 0.25}, upTo(1.25, 0.25))
		if err == nil {
			allowed.Add(1)
		} else {
			s.Want(err, nil, fixture.ErrStop)
		}
	})
	s.wantHeld(runs, allowed.Load(), 5)
}

func creditBesideSpending(s testCase) {
	runs := s.creditRuns(8)
	fixture.Together(len(runs), func(i int) {
		for range 4 {
			if err := s.Runs.Hold(s.Context(), runs[i].ID, core.Hold{Amount: 0.25}, upTo(3, 0.25)); err != nil {
				s.Want(err, nil, fixture.ErrStop)
				return
			}
			// The reservation becomes use, atomically.
			err := s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
				_, err := in.Workspaces.Update(in.Ctx, runs[i].WorkspaceID, func(w *core.Workspace) error {
					w.CreditUsed += 0.25
					return nil
				})
				if err != nil {
					return err
				}
				_, err = in.Runs.Update(in.Ctx, runs[i].ID, func(run *core.Run) error {
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
	s.Want(workspace.CreditUsed, err, 3.0)
	s.wantHeld(runs, 0, 0)
}

func creditInTransactions(s testCase) {
	runs := s.creditRuns(8)
	var allowed atomic.Int32
	fixture.Together(len(runs), func(i int) {
		err := s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
			return in.Runs.Hold(in.Ctx, runs[i].ID, core.Hold{Amount: 0.25}, upTo(0.75, 0.25))
		}))
		if err == nil {
			allowed.Add(1)
		} else {
			s.Want(err, nil, fixture.ErrStop)
		}
	})
	s.wantHeld(runs, allowed.Load(), 3)
}

func creditRolledBack(s testCase) {
	runs := s.creditRuns(2)
	err := s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
		err := in.Runs.Hold(in.Ctx, runs[0].ID, core.Hold{Amount: 0.25}, upTo(1, 0.25))
		if err != nil {
			return err
		}
		return fixture.ErrStop
	}))
	s.Want(err, nil, fixture.ErrStop)
	s.Want(s.heldBeside(runs[1]), nil, 0.0)
}
