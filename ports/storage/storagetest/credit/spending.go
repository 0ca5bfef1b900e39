package credit

import (
	"sync/atomic"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func spendingClauses() []clause {
	return []clause{
		{"what people spend of the platform's provider adds up", spendingSums},
		{"a call to the platform's provider is charged to its sender and the first owner", spendingSpenders},
		{"what spenders hold counts in every workspace, and only on the platform's provider", spendingHeld},
		{"what a person spent outlives the workspace", spendingOutlives},
		{"parallel holds in many workspaces never go over what a person may spend", spendingInParallel},
		{"a refused hold charges nobody", spendingRefused},
	}
}

// wantCharged compares a user's spending with the expected amount.
func (s testCase) wantCharged(user core.ID, want float64) {
	s.Helper()
	got, err := s.Usage.Charged(s.Context(), user)
	s.Want(got, err, want)
}

func spendingSums(s testCase) {
	ada, bob := s.User().ID, s.User().ID
	s.wantCharged(ada, 0)
	s.Must(s.Usage.Charge(s.Context(), []core.ID{ada, bob, ada}, 0.25))
	s.Must(s.Usage.Charge(s.Context(), []core.ID{bob}, 1))
	s.Must(s.Usage.Charge(s.Context(), nil, 1))
	s.wantCharged(ada, 0.25)
	s.wantCharged(bob, 1.25)
	fixture.Together(16, func(int) {
		if err := s.Usage.Charge(s.Context(), []core.ID{bob, ada}, 0.5); err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	s.wantCharged(ada, 8.25)
	s.wantCharged(bob, 9.25)
	s.WantCode(s.Usage.Charge(s.Context(), []core.ID{ada, core.ID(fixture.Unstorable()[0])}, 1), core.CodeNotFound)
	s.wantCharged(ada, 8.25)
	s.wantCharged(core.ID(fixture.Unstorable()[0]), 0)
}

// spenders returns who a call of the run would be charged to.
func (s testCase) spenders(run core.Run) (found map[core.ID]core.Spender) {
	s.Helper()
	found = map[core.ID]core.Spender{}
	err := s.Runs.Hold(s.Context(), run.ID, core.Hold{Platform: true}, func(funds core.Funds) error {
		for _, spender := range funds.Spenders {
			found[spender.UserID] = spender
		}
		return fixture.ErrStop
	})
	s.Want(err, nil, fixture.ErrStop)
	return found
}

func spendingSpenders(s testCase) {
	workspace := s.Workspace()
	run := s.runIn(workspace.ID, core.RunRunning)
	sender := run.UserID
	s.Want(s.spenders(run), nil, map[core.ID]core.Spender{sender: {UserID: sender}})
	s.Member(workspace.ID, core.RoleMember)
	founder := s.Member(workspace.ID, core.RoleOwner).ID
	second := s.Member(workspace.ID, core.RoleOwner).ID
	s.Must(s.Usage.Charge(s.Context(), []core.ID{founder}, 2))
	want := map[core.ID]core.Spender{sender: {UserID: sender}, founder: {UserID: founder, Used: 2}}
	s.Want(s.spenders(run), nil, want)
	s.Must(s.Runs.Hold(s.Context(), run.ID, core.Hold{Amount: 1, Platform: true}, func(core.Funds) error { return nil }))
	got, err := s.Runs.ByID(s.Context(), run.ID)
	s.Want(got.Payer, err, founder)
	s.Want(s.spenders(run), nil, want)
	s.Must(s.Members.Remove(s.Context(), workspace.ID, founder))
	s.Want(s.spenders(run), nil, map[core.ID]core.Spender{sender: {UserID: sender}, second: {UserID: second}})
	s.hold(run, 1)
	got, err = s.Runs.ByID(s.Context(), run.ID)
	s.Want(got.Payer, err, core.ID(""))
}

// ownedRun makes a run of a fresh workspace of somebody's.
func (s testCase) ownedRun(owner core.ID) core.Run {
	s.Helper()
	workspace := s.Workspace()
	s.Join(workspace.ID, owner, core.RoleOwner)
	return s.runIn(workspace.ID, core.RunRunning)
}

func spendingHeld(s testCase) {
	owner := s.User().ID
	run, platform, other := s.ownedRun(owner), s.ownedRun(owner), s.ownedRun(owner)
	allow := func(core.Funds) error { return nil }
	s.Must(s.Runs.Hold(s.Context(), platform.ID, core.Hold{Amount: 2, Platform: true}, allow))
	s.Must(s.Runs.Hold(s.Context(), other.ID, core.Hold{Amount: 4}, allow))
	s.Want(s.spenders(run)[owner], nil, core.Spender{UserID: owner, Held: 2})
	_, err := s.Runs.Update(s.Context(), platform.ID, func(run *core.Run) error {
		run.UserID = run.Payer
		return nil
	})
	s.Must(err)
	s.Want(s.spenders(run)[owner], nil, core.Spender{UserID: owner, Held: 2})
	_, err = s.Runs.Update(s.Context(), platform.ID, func(run *core.Run) error {
		run.Status = core.RunEnded
		return nil
	})
	s.Must(err)
	s.Want(s.spenders(run)[owner], nil, core.Spender{UserID: owner})
}

func spendingOutlives(s testCase) {
	run := s.ownedRun(s.User().ID)
	s.Must(s.Usage.Charge(s.Context(), []core.ID{run.UserID}, 2))
	s.Must(s.Workspaces.Delete(s.Context(), run.WorkspaceID))
	s.wantCharged(run.UserID, 2)
}

func spendingInParallel(s testCase) {
	ada, bob := s.User().ID, s.User().ID
	runs := make([]core.Run, 16)
	for i := range runs {
		runs[i] = s.ownedRun([]core.ID{ada, bob}[i%2])
		_, err := s.Runs.Update(s.Context(), runs[i].ID, func(run *core.Run) error {
			run.UserID = []core.ID{bob, ada}[i%2]
			return nil
		})
		s.Must(err)
	}
	var allowed atomic.Int32
	fixture.Together(len(runs), func(i int) {
		err := s.Runs.Hold(s.Context(), runs[i].ID, core.Hold{Amount: 0.25, Platform: true}, func(funds core.Funds) error {
			for _, spender := range funds.Spenders {
				if spender.Used+spender.Held+0.25 > 1.25 {
					return fixture.ErrStop
				}
			}
			return nil
		})
		if err == nil {
			allowed.Add(1)
		} else {
			s.Want(err, nil, fixture.ErrStop)
		}
	})
	s.wantHeld(runs, allowed.Load(), 5)
}

func spendingRefused(s testCase) {
	run := s.ownedRun(s.User().ID)
	err := s.Runs.Hold(s.Context(), run.ID, core.Hold{Amount: 1, Platform: true}, func(core.Funds) error { return fixture.ErrStop })
	s.Want(err, nil, fixture.ErrStop)
	got, err := s.Runs.ByID(s.Context(), run.ID)
	s.Want(got, err, run)
}
