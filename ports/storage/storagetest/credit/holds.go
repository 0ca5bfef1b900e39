package credit

import (
	"sync/atomic"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func holdClauses() []clause {
	return []clause{
		{"calls without a run hold credit beside the runs until they are released", holdsCount},
		{"a reservation that has expired holds nothing", holdsExpire},
		{"a call without a run is charged to the first owner, in every workspace", holdsSpenders},
		{"a refused reservation holds nothing", holdsRefused},
		{"reservations go with their workspace, which they need", holdsOfWorkspace},
		{"runs and other calls in parallel never go over what is allowed", holdsInParallel},
		{"no reservation outlives its context", holdsEnded},
	}
}

// reserve lets a call without a run hold an amount for a minute, whatever others do.
func (s testCase) reserve(workspace core.ID, amount float64) core.CreditHold {
	s.Helper()
	held, err := s.CreditHolds.Hold(s.Context(), s.newHold(workspace), core.Hold{Amount: amount, At: s.Now()}, func(core.Funds) error { return nil })
	s.Must(err)
	return held
}

func (s testCase) newHold(workspace core.ID) core.CreditHold {
	return core.CreditHold{ID: core.NewID(), WorkspaceID: workspace, Until: s.Now().Add(time.Minute)}
}

// reserved returns what calls hold in a workspace at a time.
func (s testCase) reserved(workspace core.ID, at core.Time) (held float64) {
	s.Helper()
	_, err := s.CreditHolds.Hold(s.Context(), s.newHold(workspace), core.Hold{At: at}, func(funds core.Funds) error {
		held = funds.Held
		return fixture.ErrStop
	})
	s.Want(err, nil, fixture.ErrStop)
	return held
}

func holdsCount(s testCase) {
	workspace, other := s.Workspace(), s.Workspace()
	run := s.runIn(workspace.ID, core.RunRunning)
	s.hold(run, 4)
	first := s.reserve(workspace.ID, 1)
	s.Want(first.Amount, nil, 1.0)
	s.Want(first.Payer, nil, core.ID(""))
	second := s.reserve(workspace.ID, 2)
	s.reserve(other.ID, 16)
	s.Want(s.heldBeside(run), nil, 3.0)
	s.Want(s.reserved(workspace.ID, s.Now()), nil, 7.0)
	s.Must(s.CreditHolds.Release(s.Context(), first.ID))
	s.Must(s.CreditHolds.Release(s.Context(), first.ID))
	s.Want(s.heldBeside(run), nil, 2.0)
	s.Must(s.CreditHolds.Release(s.Context(), second.ID))
	s.Want(s.reserved(workspace.ID, s.Now()), nil, 4.0)
}

func holdsExpire(s testCase) {
	workspace := s.Workspace()
	held := s.reserve(workspace.ID, 1)
	s.Want(s.reserved(workspace.ID, held.Until-1), nil, 1.0)
	s.Want(s.reserved(workspace.ID, held.Until), nil, 0.0)
	run := s.runIn(workspace.ID, core.RunRunning)
	err := s.Runs.Hold(s.Context(), run.ID, core.Hold{At: held.Until}, func(funds core.Funds) error {
		s.Want(funds.Held, nil, 0.0)
		return fixture.ErrStop
	})
	s.Want(err, nil, fixture.ErrStop)
}

func holdsSpenders(s testCase) {
	workspace, second := s.Workspace(), s.Workspace()
	owner := s.Member(workspace.ID, core.RoleOwner).ID
	s.Member(workspace.ID, core.RoleOwner)
	s.Join(second.ID, owner, core.RoleOwner)
	s.Must(s.Usage.Charge(s.Context(), []core.ID{owner}, 3))
	ask := func(in core.ID, want core.Spender) core.CreditHold {
		held, err := s.CreditHolds.Hold(s.Context(), s.newHold(in), core.Hold{Amount: 2, Platform: true, At: s.Now()}, func(funds core.Funds) error {
			s.Want(funds.Spenders, nil, []core.Spender{want})
			return nil
		})
		s.Want(held.Payer, err, owner)
		return held
	}
	ask(workspace.ID, core.Spender{UserID: owner, Used: 3})
	ask(second.ID, core.Spender{UserID: owner, Used: 3, Held: 2})
	run := s.runIn(second.ID, core.RunRunning)
	s.Want(s.spenders(run)[owner], nil, core.Spender{UserID: owner, Used: 3, Held: 4})
}

func holdsRefused(s testCase) {
	workspace := s.Workspace()
	_, err := s.CreditHolds.Hold(s.Context(), s.newHold(workspace.ID), core.Hold{Amount: 9, At: s.Now()}, func(core.Funds) error { return fixture.ErrStop })
	s.Want(err, nil, fixture.ErrStop)
	s.Want(s.reserved(workspace.ID, s.Now()), nil, 0.0)
}

func holdsOfWorkspace(s testCase) {
	allow := func(core.Funds) error { return nil }
	_, err := s.CreditHolds.Hold(s.Context(), s.newHold(core.NewID()), core.Hold{Amount: 1, At: s.Now()}, allow)
	s.WantCode(err, core.CodeNotFound)
	workspace := s.Workspace()
	held := s.reserve(workspace.ID, 1)
	_, err = s.CreditHolds.Hold(s.Context(), held, core.Hold{Amount: 1, At: s.Now()}, allow)
	s.WantCode(err, core.CodeConflict)
	s.Must(s.Workspaces.Delete(s.Context(), workspace.ID))
	s.Must(s.CreditHolds.Release(s.Context(), held.ID))
}

func holdsInParallel(s testCase) {
	workspace := s.Workspace()
	runs := make([]core.Run, 6)
	for i := range runs {
		runs[i] = s.runIn(workspace.ID, core.RunRunning)
	}
	holds := make([]core.CreditHold, len(runs))
	for i := range holds {
		holds[i] = s.newHold(workspace.ID)
	}
	hold, allow := core.Hold{Amount: 0.25, At: s.Now()}, upTo(1.25, 0.25)
	var allowed atomic.Int32
	fixture.Together(2*len(runs), func(i int) {
		var err error
		if i%2 == 0 {
			err = s.Runs.Hold(s.Context(), runs[i/2].ID, hold, allow)
		} else {
			_, err = s.CreditHolds.Hold(s.Context(), holds[i/2], hold, allow)
		}
		if err == nil {
			allowed.Add(1)
		} else {
			s.Want(err, nil, fixture.ErrStop)
		}
	})
	s.Want(allowed.Load(), nil, int32(5))
	s.Want(s.reserved(workspace.ID, s.Now()), nil, 1.25)
}

func holdsEnded(s testCase) {
	workspace := s.Workspace()
	_, err := s.CreditHolds.Hold(s.Ended(), s.newHold(workspace.ID), core.Hold{Amount: 1}, func(core.Funds) error { return nil })
	s.WantCode(err, core.CodeUnavailable)
	s.WantCode(s.CreditHolds.Release(s.Ended(), core.NewID()), core.CodeUnavailable)
}
