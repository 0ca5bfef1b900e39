package porttest

import (
	"sync/atomic"

	"github.com/atelierhq/atelier/core"
)

func storageSpendingClauses() []storageClause {
	return []storageClause{
		{"what people spend of the platform's provider adds up", spendingSums},
		{"a call to the platform's provider is charged to its sender and the first owner", spendingSpenders},
		{"what spenders hold counts in every workspace, and only on the platform's provider", spendingHeld},
		{"what a person spent outlives the workspace", spendingOutlives},
		{"parallel holds in many workspaces never go over what a person may spend", spendingInParallel},
		{"a refused hold charges nobody", spendingRefused},
	}
}

// charged reads what somebody has spent.
func (s *storageCase) wantCharged(user core.ID, want float64) {
	s.Helper()
	got, err := s.Usage.Charged(s.Context(), user)
	s.want(got, err, want)
}

func spendingSums(s *storageCase) {
	ada, bob := s.user().ID, s.user().ID
	s.wantCharged(ada, 0)
	s.must(s.Usage.Charge(s.Context(), []core.ID{ada, bob, ada}, 0.25))
	s.must(s.Usage.Charge(s.Context(), []core.ID{bob}, 1))
	s.must(s.Usage.Charge(s.Context(), nil, 1))
	s.wantCharged(ada, 0.25)
	s.wantCharged(bob, 1.25)
	together(16, func(int) {
		if err := s.Usage.Charge(s.Context(), []core.ID{bob, ada}, 0.5); err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	s.wantCharged(ada, 8.25)
	s.wantCharged(bob, 9.25)
	s.wantCode(s.Usage.Charge(s.Context(), []core.ID{ada, core.ID(unstorable[0])}, 1), core.CodeNotFound)
	s.wantCharged(ada, 8.25)
	s.wantCharged(core.ID(unstorable[0]), 0)
}

// spenders returns who a call of the run would be charged to.
func (s *storageCase) spenders(run core.Run) (found map[core.ID]core.Spender) {
	s.Helper()
	found = map[core.ID]core.Spender{}
	err := s.Runs.Hold(s.Context(), run.ID, core.Hold{Platform: true}, func(funds core.Funds) error {
		for _, spender := range funds.Spenders {
			found[spender.UserID] = spender
		}
		return errStop
	})
	s.want(err, nil, errStop)
	return found
}

func spendingSpenders(s *storageCase) {
	workspace := s.workspace()
	run := s.runIn(workspace.ID, core.RunRunning)
	sender := run.UserID
	s.want(s.spenders(run), nil, map[core.ID]core.Spender{sender: {UserID: sender}})
	s.member(workspace.ID, core.RoleMember)
	founder := s.member(workspace.ID, core.RoleOwner).ID
	second := s.member(workspace.ID, core.RoleOwner).ID
	s.must(s.Usage.Charge(s.Context(), []core.ID{founder}, 2))
	want := map[core.ID]core.Spender{sender: {UserID: sender}, founder: {UserID: founder, Used: 2}}
	s.want(s.spenders(run), nil, want)
	s.must(s.Runs.Hold(s.Context(), run.ID, core.Hold{Amount: 1, Platform: true}, func(core.Funds) error { return nil }))
	got, err := s.Runs.ByID(s.Context(), run.ID)
	s.want(got.Payer, err, founder)
	s.want(s.spenders(run), nil, want)
	s.must(s.Members.Remove(s.Context(), workspace.ID, founder))
	s.want(s.spenders(run), nil, map[core.ID]core.Spender{sender: {UserID: sender}, second: {UserID: second}})
	s.hold(run, 1)
	got, err = s.Runs.ByID(s.Context(), run.ID)
	s.want(got.Payer, err, core.ID(""))
}

// ownedRun makes a run of a fresh workspace of somebody's.
func (s *storageCase) ownedRun(owner core.ID) core.Run {
	s.Helper()
	workspace := s.workspace()
	s.join(workspace.ID, owner, core.RoleOwner)
	return s.runIn(workspace.ID, core.RunRunning)
}

func spendingHeld(s *storageCase) {
	owner := s.user().ID
	run, platform, other := s.ownedRun(owner), s.ownedRun(owner), s.ownedRun(owner)
	allow := func(core.Funds) error { return nil }
	s.must(s.Runs.Hold(s.Context(), platform.ID, core.Hold{Amount: 2, Platform: true}, allow))
	s.must(s.Runs.Hold(s.Context(), other.ID, core.Hold{Amount: 4}, allow))
	s.want(s.spenders(run)[owner], nil, core.Spender{UserID: owner, Held: 2})
	_, err := s.Runs.Update(s.Context(), platform.ID, func(run *core.Run) error {
		run.UserID = run.Payer
		return nil
	})
	s.must(err)
	s.want(s.spenders(run)[owner], nil, core.Spender{UserID: owner, Held: 2})
	_, err = s.Runs.Update(s.Context(), platform.ID, func(run *core.Run) error {
		run.Status = core.RunEnded
		return nil
	})
	s.must(err)
	s.want(s.spenders(run)[owner], nil, core.Spender{UserID: owner})
}

func spendingOutlives(s *storageCase) {
	run := s.ownedRun(s.user().ID)
	s.must(s.Usage.Charge(s.Context(), []core.ID{run.UserID}, 2))
	s.must(s.Workspaces.Delete(s.Context(), run.WorkspaceID))
	s.wantCharged(run.UserID, 2)
}

func spendingInParallel(s *storageCase) {
	ada, bob := s.user().ID, s.user().ID
	runs := make([]core.Run, 16)
	for i := range runs {
		runs[i] = s.ownedRun([]core.ID{ada, bob}[i%2])
		_, err := s.Runs.Update(s.Context(), runs[i].ID, func(run *core.Run) error {
			run.UserID = []core.ID{bob, ada}[i%2]
			return nil
		})
		s.must(err)
	}
	var allowed atomic.Int32
	together(len(runs), func(i int) {
		err := s.Runs.Hold(s.Context(), runs[i].ID, core.Hold{Amount: 0.25, Platform: true}, func(funds core.Funds) error {
			for _, spender := range funds.Spenders {
				if spender.Used+spender.Held+0.25 > 1.25 {
					return errStop
				}
			}
			return nil
		})
		if err == nil {
			allowed.Add(1)
		} else {
			s.want(err, nil, errStop)
		}
	})
	s.wantHeld(runs, allowed.Load(), 5)
}

func spendingRefused(s *storageCase) {
	run := s.ownedRun(s.user().ID)
	err := s.Runs.Hold(s.Context(), run.ID, core.Hold{Amount: 1, Platform: true}, func(core.Funds) error { return errStop })
	s.want(err, nil, errStop)
	got, err := s.Runs.ByID(s.Context(), run.ID)
	s.want(got, err, run)
}
