package storagetest

import (
	"context"
	"sync/atomic"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func txClauses() []clause {
	return []clause{
		{"a transaction commits when its function returns nil", txCommits},
		{"a rollback leaves nothing", txRollsBack},
		{"a panic rolls back and leaves the store usable", txPanics},
		{"a transaction sees its own changes and nobody else does", txIsolated},
		{"after a failed call a transaction goes on without a trace of it", txGoesOn},
		{"updates in parallel transactions lose nothing", txUpdates},
		{"a transaction that must run again does, whatever its function made of the error", txRepeated},
		{"transactions that check and then write are serializable", txSerializable},
		{"transactions that lock in opposite order all end", txOpposite},
		{"tables work only until their transaction ends", txEnded},
		{"a transaction whose context ends is rolled back", txCancelled},
	}
}

func txCommits(s testCase) {
	workspace, user := s.NewWorkspace(), s.NewUser()
	s.Must(s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
		if err := in.Users.Create(in.Ctx, user); err != nil {
			return err
		}
		if err := in.Workspaces.Create(in.Ctx, workspace); err != nil {
			return err
		}
		return in.Workspaces.PutMember(in.Ctx, core.Membership{WorkspaceID: workspace.ID, UserID: user.ID, Role: core.RoleOwner})
	})))
	got, err := s.Workspaces.OfUser(s.Context(), user.ID)
	s.Want(got, err, []core.JoinedWorkspace{{Workspace: workspace, Role: core.RoleOwner}})
}

func txRollsBack(s testCase) {
	kept := s.Filled()
	var made fixture.Workspace
	err := s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
		inside := in.Case(s.Case)
		made = inside.Filled()
		made.WantThere(inside)
		inside.Must(in.Workspaces.Delete(in.Ctx, kept.Workspace.ID))
		kept.WantGone(inside)
		return fixture.ErrStop
	}))
	if err != fixture.ErrStop {
		s.Errorf("got %v, want the function's own error", err)
	}
	kept.WantThere(s.Case)
	made.WantGone(s.Case)
	_, err = s.Workspaces.ByID(s.Context(), made.Workspace.ID)
	s.WantCode(err, core.CodeNotFound)
	_, err = s.Users.ByID(s.Context(), made.Member.ID)
	s.WantCode(err, core.CodeNotFound)
}

func txPanics(s testCase) {
	user := s.NewUser()
	func() {
		defer func() { s.Want(recover(), nil, "oops") }()
		_ = s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
			s.Must(in.Users.Create(in.Ctx, user))
			panic("oops")
		}))
	}()
	_, err := s.Users.ByID(s.Context(), user.ID)
	s.WantCode(err, core.CodeNotFound)
	s.Must(s.Users.Create(s.Context(), user))
}

func txIsolated(s testCase) {
	user := s.NewUser()
	s.Must(s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
		if err := in.Users.Create(in.Ctx, user); err != nil {
			return err
		}
		got, err := in.Users.ByID(in.Ctx, user.ID)
		s.Want(got, err, user)
		_, err = s.Users.ByID(s.Context(), user.ID)
		s.WantCode(err, core.CodeNotFound)
		return nil
	})))
	got, err := s.Users.ByID(s.Context(), user.ID)
	s.Want(got, err, user)
}

func txGoesOn(s testCase) {
	workspace := s.Workspace()
	taken := s.Project(workspace.ID)
	first, second := s.NewProvider(workspace.ID), s.NewProvider(workspace.ID)
	first.IsDefault = true
	s.Must(s.Providers.Create(s.Context(), first))
	s.Must(s.Providers.Create(s.Context(), second))
	next := s.NewProject(workspace.ID)
	s.Must(s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
		again := next
		again.Slug = taken.Slug
		s.WantCode(in.Projects.Create(in.Ctx, again), core.CodeConflict)
		second.IsDefault = true
		s.WantCode(in.Providers.Create(in.Ctx, second), core.CodeConflict)
		s.WantCode(in.Chats.Create(in.Ctx, s.NewChat(core.NewID())), core.CodeNotFound)
		_, err := in.Projects.ByID(in.Ctx, core.NewID())
		s.WantCode(err, core.CodeNotFound)
		_, err = in.Workspaces.Update(in.Ctx, workspace.ID, func(*core.Workspace) error { return fixture.ErrStop })
		s.Want(err, nil, fixture.ErrStop)
		return in.Projects.Create(in.Ctx, next)
	})))
	got, err := s.Projects.ByID(s.Context(), next.ID)
	s.Want(got, err, next)
	s.Want(s.Defaults(workspace.ID), nil, []core.ID{first.ID})
}

func txUpdates(s testCase) {
	workspace := s.Workspace()
	fixture.Together(8, func(int) {
		for range 3 {
			err := s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
				before, err := in.Workspaces.ByID(in.Ctx, workspace.ID)
				if err != nil {
					return err
				}
				_, err = in.Workspaces.Update(in.Ctx, workspace.ID, func(stored *core.Workspace) error {
					stored.MembersVersion = before.MembersVersion + 1
					return nil
				})
				return err
			}))
			if err != nil {
				s.Errorf("got %v, want nil", err)
			}
		}
	})
	got, err := s.Workspaces.ByID(s.Context(), workspace.ID)
	s.Want(got.MembersVersion, err, 24)
}

func txRepeated(s testCase) {
	workspace := s.Workspace()
	fixture.Together(8, func(int) {
		for range 3 {
			err := s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
				_, _ = in.Workspaces.Update(in.Ctx, workspace.ID, func(stored *core.Workspace) error {
					stored.MembersVersion++
					return nil
				})
				return nil
			}))
			if err != nil {
				s.Errorf("got %v, want nil", err)
			}
		}
	})
	got, err := s.Workspaces.ByID(s.Context(), workspace.ID)
	s.Want(got.MembersVersion, err, 24)
}

func txSerializable(s testCase) {
	workspace := s.Workspace()
	folders := make([]core.Folder, 8)
	for i := range folders {
		folders[i] = s.NewFolder(workspace.ID)
	}
	var created atomic.Int32
	fixture.Together(len(folders), func(i int) {
		made := false
		err := s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
			made = false
			there, err := in.Folders.List(in.Ctx, workspace.ID)
			if err != nil || len(there) > 0 {
				return err
			}
			made = true
			return in.Folders.Create(in.Ctx, folders[i])
		}))
		if err != nil {
			s.Errorf("got %v, want nil", err)
		}
		if made {
			created.Add(1)
		}
	})
	there, err := s.Folders.List(s.Context(), workspace.ID)
	s.Want(len(there), err, 1)
	s.Want(created.Load(), nil, int32(1))
}

func txOpposite(s testCase) {
	pair := [2]core.Workspace{s.Workspace(), s.Workspace()}
	raise := func(stored *core.Workspace) error {
		stored.MembersVersion++
		return nil
	}
	fixture.Together(2, func(i int) {
		err := s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
			for _, n := range []int{i, 1 - i} {
				if _, err := in.Workspaces.Update(in.Ctx, pair[n].ID, raise); err != nil {
					return err
				}
			}
			return nil
		}))
		if err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	for _, workspace := range pair {
		got, err := s.Workspaces.ByID(s.Context(), workspace.ID)
		s.Want(got.MembersVersion, err, 2)
	}
}

func txEnded(s testCase) {
	user := s.NewUser()
	for _, end := range []error{nil, fixture.ErrStop} {
		var kept storage.Tables
		err := s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
			kept = in.Tables
			return end
		}))
		s.Want(err, nil, end)
		s.WantCode(kept.Users.Create(s.Context(), user), core.CodeUnavailable)
		_, err = kept.Users.ByID(s.Context(), user.ID)
		s.WantCode(err, core.CodeUnavailable)
	}
	_, err := s.Users.ByID(s.Context(), user.ID)
	s.WantCode(err, core.CodeNotFound)
}

func txCancelled(s testCase) {
	ctx, cancel := context.WithCancel(s.Context())
	user := s.NewUser()
	err := s.Store.InTx(ctx, fixture.InTx(func(in fixture.Tx) error {
		s.Must(in.Users.Create(in.Ctx, user))
		cancel()
		return nil
	}))
	s.WantCode(err, core.CodeUnavailable)
	_, err = s.Users.ByID(s.Context(), user.ID)
	s.WantCode(err, core.CodeNotFound)
	s.Must(s.Users.Create(s.Context(), user))
}
