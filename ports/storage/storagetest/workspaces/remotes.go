package workspaces

import (
	"context"
	"reflect"
	"strings"

	"github.com/atelierhq/atelier/core"
)

func remoteClauses() []clause {
	return []clause{
		{"a remote comes back as it was stored, and goes with its project", remoteComesBack},
		{"a project has one remote, and a webhook names one", remoteUnique},
		{"an update of a remote keeps what cannot change", remoteUpdate},
		{"the remote that is due longest is claimed once", remoteClaim},
	}
}

func newRemote(s testCase, project core.ID) core.ProjectRemote {
	task := core.NewID()
	return core.ProjectRemote{
		ID: core.NewID(), ProjectID: project, Address: "https://git.example.com/shop.git", Branch: "trunk", Username: "ann", Sealed: []byte{0, 1, 255},
		HookHash: string(core.NewID()), State: core.RemoteConflict, Problem: "Both \"sides\" 🎉", Conflicts: []core.MergeConflict{{Path: "a", Message: "b"}},
		Tip: strings.Repeat("a", 40), TaskID: &task, TaskTip: strings.Repeat("b", 40), Failures: 3, DueAt: 7, LeasedUntil: 8, SyncedAt: 9,
		CreatedBy: core.NewID(), CreatedAt: s.Now(), UpdatedAt: s.Now(),
	}
}

func remoteComesBack(s testCase) {
	project := s.Project(s.Workspace().ID)
	want := newRemote(s, project.ID)
	s.Must(s.ProjectRemotes.Create(s.Context(), want))
	for name, find := range map[string]func() (core.ProjectRemote, error){
		"by project": func() (core.ProjectRemote, error) { return s.ProjectRemotes.ByProject(s.Context(), project.ID) },
		"by hook":    func() (core.ProjectRemote, error) { return s.ProjectRemotes.ByHook(s.Context(), want.HookHash) },
	} {
		if got, err := find(); err != nil || !reflect.DeepEqual(got, want) {
			s.Errorf("%s: got %+v, %v, want %+v", name, got, err, want)
		}
	}
	s.Must(s.Projects.Delete(s.Context(), project.ID))
	_, err := s.ProjectRemotes.ByProject(s.Context(), project.ID)
	s.WantCode(err, core.CodeNotFound)
}

func remoteUnique(s testCase) {
	project := s.Project(s.Workspace().ID)
	made := newRemote(s, project.ID)
	s.Must(s.ProjectRemotes.Create(s.Context(), made))
	s.WantCode(s.ProjectRemotes.Create(s.Context(), newRemote(s, project.ID)), core.CodeConflict)
	other := newRemote(s, s.Project(s.Workspace().ID).ID)
	other.HookHash = made.HookHash
	s.WantCode(s.ProjectRemotes.Create(s.Context(), other), core.CodeConflict)
	s.WantCode(s.ProjectRemotes.Create(s.Context(), newRemote(s, core.NewID())), core.CodeNotFound)
	s.Must(s.ProjectRemotes.Delete(s.Context(), made.ID))
	s.WantCode(s.ProjectRemotes.Delete(s.Context(), made.ID), core.CodeNotFound)
	s.Must(s.ProjectRemotes.Create(s.Context(), newRemote(s, project.ID)))
}

func remoteUpdate(s testCase) {
	made := newRemote(s, s.Project(s.Workspace().ID).ID)
	s.Must(s.ProjectRemotes.Create(s.Context(), made))
	got, err := s.ProjectRemotes.Update(s.Context(), made.ID, func(r *core.ProjectRemote) error {
		*r = core.ProjectRemote{ID: core.NewID(), ProjectID: core.NewID(), Address: "x", State: core.RemoteSynced, CreatedBy: made.CreatedBy, UpdatedAt: 5}
		return nil
	})
	want := core.ProjectRemote{ID: made.ID, ProjectID: made.ProjectID, HookHash: made.HookHash, Address: "x", State: core.RemoteSynced, CreatedBy: made.CreatedBy, CreatedAt: made.CreatedAt, UpdatedAt: 5}
	if err != nil || !reflect.DeepEqual(got, want) {
		s.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func remoteClaim(s testCase) {
	late, early, leased, never := newRemote(s, s.Project(s.Workspace().ID).ID), newRemote(s, s.Project(s.Workspace().ID).ID), newRemote(s, s.Project(s.Workspace().ID).ID), newRemote(s, s.Project(s.Workspace().ID).ID)
	late.DueAt, late.LeasedUntil = 100, 0
	early.DueAt, early.LeasedUntil = 50, 90
	leased.DueAt, leased.LeasedUntil = 10, 101
	never.DueAt, never.LeasedUntil = 0, 0
	for _, remote := range []core.ProjectRemote{late, early, leased, never} {
		s.Must(s.ProjectRemotes.Create(s.Context(), remote))
	}
	for _, want := range []core.ID{early.ID, late.ID} {
		got, err := s.ProjectRemotes.Claim(s.Context(), 100, 200)
		if err != nil || got.ID != want || got.LeasedUntil != 200 {
			s.Errorf("got %+v, %v, want %s with a lease", got, err, want)
		}
	}
	_, err := s.ProjectRemotes.Claim(s.Context(), 100, 200)
	s.WantCode(err, core.CodeNotFound)
	ended, cancel := context.WithCancel(s.Context())
	cancel()
	if _, err := s.ProjectRemotes.Claim(ended, 200, 300); err == nil {
		s.Error("got no error, want that of the context")
	}
}
