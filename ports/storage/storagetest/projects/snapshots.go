package projects

import (
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func snapshotClauses() []clause {
	return []clause{
		{"a snapshot comes back as it was stored", snapshotComesBack},
		{"kept snapshots are listed from the newest, each environment's own", snapshotsListed},
		{"an update of a snapshot keeps what cannot change", snapshotUpdated},
		{"an environment has one planned snapshot", snapshotPlannedOnce},
		{"the snapshot that is due for longest is claimed first", snapshotDue},
		{"no two callers claim the same snapshot", snapshotsClaimed},
		{"snapshots go with their project", snapshotsOfProject},
		{"a snapshot needs a project and an id of its own, and a missing one is not found", snapshotRefused},
		{"no call on snapshots outlives its context", snapshotsEnded},
	}
}

func (s testCase) newSnapshot(project core.ID, state core.SnapshotState) core.DataSnapshot {
	return core.DataSnapshot{
		ID: core.NewID(), ProjectID: project, Env: core.DataLive, State: state, Reason: core.SnapshotManual,
		Bytes: 1 << 40, CreatedAt: s.Now(),
	}
}

func (s testCase) snapshot(project core.ID, state core.SnapshotState, due core.Time) core.DataSnapshot {
	s.Helper()
	made := s.newSnapshot(project, state)
	made.DueAt = due
	s.Must(s.Snapshots.Create(s.Context(), made))
	return made
}

func snapshotComesBack(s testCase) {
	project := s.Project(s.Workspace().ID)
	plain, full := s.newSnapshot(project.ID, core.SnapshotKept), s.newSnapshot(project.ID, core.SnapshotMaking)
	full.By, full.DueAt, full.Env, full.SchemaPrint = new(core.NewID()), 42, core.DataTest, "0123abcd"
	for _, want := range []core.DataSnapshot{plain, full} {
		s.Must(s.Snapshots.Create(s.Context(), want))
		got, err := s.Snapshots.ByID(s.Context(), want.ID)
		s.Want(got, err, want)
	}
}

func snapshotsListed(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	first := s.snapshot(project.ID, core.SnapshotKept, 0)
	second := s.snapshot(project.ID, core.SnapshotKept, 7)
	for _, state := range []core.SnapshotState{core.SnapshotPlanned, core.SnapshotMaking, core.SnapshotDeleting} {
		s.snapshot(project.ID, state, 1)
	}
	s.snapshot(other.ID, core.SnapshotKept, 0)
	test := s.newSnapshot(project.ID, core.SnapshotKept)
	test.Env = core.DataTest
	s.Must(s.Snapshots.Create(s.Context(), test))
	got, err := s.Snapshots.List(s.Context(), project.ID, core.DataLive)
	s.Want(got, err, []core.DataSnapshot{second, first})
	got, err = s.Snapshots.List(s.Context(), project.ID, core.DataTest)
	s.Want(got, err, []core.DataSnapshot{test})
	got, err = s.Snapshots.List(s.Context(), core.NewID(), core.DataLive)
	s.Want(len(got), err, 0)
}

func snapshotUpdated(s testCase) {
	want := s.snapshot(s.Project(s.Workspace().ID).ID, core.SnapshotMaking, 1)
	got, err := s.Snapshots.Update(s.Context(), want.ID, func(d *core.DataSnapshot) error {
		*d = core.DataSnapshot{ID: core.NewID(), State: core.SnapshotKept, Bytes: 5, SchemaPrint: "0123abcd", DueAt: 9, By: new(core.NewID()), Reason: "other"}
		return nil
	})
	want.State, want.Bytes, want.SchemaPrint, want.DueAt = core.SnapshotKept, 5, "0123abcd", 9
	s.Want(got, err, want)
	got, err = s.Snapshots.ByID(s.Context(), want.ID)
	s.Want(got, err, want)
	s.Must(s.Snapshots.Delete(s.Context(), want.ID))
	_, err = s.Snapshots.ByID(s.Context(), want.ID)
	s.WantCode(err, core.CodeNotFound)
}

func snapshotPlannedOnce(s testCase) {
	project, other := s.Project(s.Workspace().ID), s.Project(s.Workspace().ID)
	s.snapshot(project.ID, core.SnapshotPlanned, 1)
	s.snapshot(other.ID, core.SnapshotPlanned, 1)
	s.WantCode(s.Snapshots.Create(s.Context(), s.newSnapshot(project.ID, core.SnapshotPlanned)), core.CodeConflict)
	test := s.newSnapshot(project.ID, core.SnapshotPlanned)
	test.Env = core.DataTest
	s.Must(s.Snapshots.Create(s.Context(), test))
}

func snapshotDue(s testCase) {
	project := s.Project(s.Workspace().ID)
	var made []core.DataSnapshot
	for _, due := range []core.Time{300, 100, 200, 1000, 0} {
		made = append(made, s.snapshot(project.ID, core.SnapshotKept, due))
	}
	for _, i := range []int{1, 2, 0} {
		want := made[i]
		want.DueAt = 5000
		got, err := s.Snapshots.Claim(s.Context(), 999, 5000)
		s.Want(got, err, want)
	}
	_, err := s.Snapshots.Claim(s.Context(), 999, 5000)
	s.WantCode(err, core.CodeNotFound)
}

func snapshotsClaimed(s testCase) {
	project := s.Project(s.Workspace().ID)
	for range 8 {
		s.snapshot(project.ID, core.SnapshotKept, 1)
	}
	claimed := make([]core.ID, 8)
	now := s.Now()
	fixture.Together(len(claimed), func(i int) {
		snapshot, err := s.Snapshots.Claim(s.Context(), now, now.Add(1e9))
		if err != nil && !core.IsCode(err, core.CodeNotFound) {
			s.Errorf("got %v, want nil or %s", err, core.CodeNotFound)
		}
		claimed[i] = snapshot.ID
	})
	claimed = slices.DeleteFunc(claimed, func(id core.ID) bool { return id == "" })
	slices.Sort(claimed)
	if got := len(slices.Compact(slices.Clone(claimed))); got != len(claimed) || got == 0 {
		s.Errorf("got %d of %d claimed twice, want none", len(claimed)-got, len(claimed))
	}
}

func snapshotsOfProject(s testCase) {
	project := s.Project(s.Workspace().ID)
	made := s.snapshot(project.ID, core.SnapshotKept, 1)
	s.Must(s.Projects.Delete(s.Context(), project.ID))
	_, err := s.Snapshots.ByID(s.Context(), made.ID)
	s.WantCode(err, core.CodeNotFound)
	_, err = s.Snapshots.Claim(s.Context(), 2, 3)
	s.WantCode(err, core.CodeNotFound)
}

func snapshotRefused(s testCase) {
	s.WantCode(s.Snapshots.Create(s.Context(), s.newSnapshot(core.NewID(), core.SnapshotKept)), core.CodeNotFound)
	made := s.snapshot(s.Project(s.Workspace().ID).ID, core.SnapshotKept, 0)
	s.WantCode(s.Snapshots.Create(s.Context(), made), core.CodeConflict)
	_, err := s.Snapshots.ByID(s.Context(), core.NewID())
	s.WantCode(err, core.CodeNotFound)
	_, err = s.Snapshots.Update(s.Context(), core.NewID(), func(*core.DataSnapshot) error { return nil })
	s.WantCode(err, core.CodeNotFound)
	s.WantCode(s.Snapshots.Delete(s.Context(), core.NewID()), core.CodeNotFound)
}

func snapshotsEnded(s testCase) {
	made := s.snapshot(s.Project(s.Workspace().ID).ID, core.SnapshotKept, 1)
	s.WantCode(s.Snapshots.Create(s.Ended(), made), core.CodeUnavailable)
	_, err := s.Snapshots.ByID(s.Ended(), made.ID)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Snapshots.List(s.Ended(), made.ProjectID, core.DataLive)
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Snapshots.Update(s.Ended(), made.ID, func(*core.DataSnapshot) error { return nil })
	s.WantCode(err, core.CodeUnavailable)
	s.WantCode(s.Snapshots.Delete(s.Ended(), made.ID), core.CodeUnavailable)
	_, err = s.Snapshots.Claim(s.Ended(), 2, 3)
	s.WantCode(err, core.CodeUnavailable)
}
