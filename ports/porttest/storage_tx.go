package porttest

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// errStop is an error of the caller's own.
var errStop = errors.New("the caller stops")

// storageTx is what a function of InTx is given.
type storageTx struct {
	ctx context.Context
	storage.Tables
}

func inTx(do func(in storageTx) error) func(context.Context, storage.Tables) error {
	return func(ctx context.Context, tables storage.Tables) error { return do(storageTx{ctx, tables}) }
}

func storageTxClauses() []storageClause {
	return []storageClause{
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

func txCommits(s *storageCase) {
	workspace, user := s.newWorkspace(), s.newUser()
	s.must(s.store.InTx(s.Context(), inTx(func(in storageTx) error {
		if err := in.Users.Create(in.ctx, user); err != nil {
			return err
		}
		if err := in.Workspaces.Create(in.ctx, workspace); err != nil {
			return err
		}
		return in.Workspaces.PutMember(in.ctx, core.Membership{WorkspaceID: workspace.ID, UserID: user.ID, Role: core.RoleOwner})
	})))
	got, err := s.Workspaces.OfUser(s.Context(), user.ID)
	s.want(got, err, []core.JoinedWorkspace{{Workspace: workspace, Role: core.RoleOwner}})
}

func txRollsBack(s *storageCase) {
	kept := s.filled()
	var made filledWorkspace
	err := s.store.InTx(s.Context(), inTx(func(in storageTx) error {
		inside := &storageCase{T: s.T, store: s.store, Tables: in.Tables, clock: s.clock}
		made = inside.filled()
		inside.wantThere(made)
		inside.must(in.Workspaces.Delete(in.ctx, kept.workspace.ID))
		inside.wantGone(kept)
		return errStop
	}))
	if err != errStop {
		s.Errorf("got %v, want the function's own error", err)
	}
	s.wantThere(kept)
	s.wantGone(made)
	_, err = s.Workspaces.ByID(s.Context(), made.workspace.ID)
	s.wantCode(err, core.CodeNotFound)
	_, err = s.Users.ByID(s.Context(), made.member.ID)
	s.wantCode(err, core.CodeNotFound)
}

func txPanics(s *storageCase) {
	user := s.newUser()
	func() {
		defer func() { s.want(recover(), nil, "oops") }()
		_ = s.store.InTx(s.Context(), inTx(func(in storageTx) error {
			s.must(in.Users.Create(in.ctx, user))
			panic("oops")
		}))
	}()
	_, err := s.Users.ByID(s.Context(), user.ID)
	s.wantCode(err, core.CodeNotFound)
	s.must(s.Users.Create(s.Context(), user))
}

func txIsolated(s *storageCase) {
	user := s.newUser()
	s.must(s.store.InTx(s.Context(), inTx(func(in storageTx) error {
		if err := in.Users.Create(in.ctx, user); err != nil {
			return err
		}
		got, err := in.Users.ByID(in.ctx, user.ID)
		s.want(got, err, user)
		_, err = s.Users.ByID(s.Context(), user.ID)
		s.wantCode(err, core.CodeNotFound)
		return nil
	})))
	got, err := s.Users.ByID(s.Context(), user.ID)
	s.want(got, err, user)
}

func txGoesOn(s *storageCase) {
	workspace := s.workspace()
	taken := s.project(workspace.ID)
	first, second := s.newProvider(workspace.ID), s.newProvider(workspace.ID)
	first.IsDefault = true
	s.must(s.Providers.Create(s.Context(), first))
	s.must(s.Providers.Create(s.Context(), second))
	next := s.newProject(workspace.ID)
	s.must(s.store.InTx(s.Context(), inTx(func(in storageTx) error {
		again := next
		again.Slug = taken.Slug
		s.wantCode(in.Projects.Create(in.ctx, again), core.CodeConflict)
		second.IsDefault = true
		s.wantCode(in.Providers.Create(in.ctx, second), core.CodeConflict)
		s.wantCode(in.Chats.Create(in.ctx, s.newChat(core.NewID())), core.CodeNotFound)
		_, err := in.Projects.ByID(in.ctx, core.NewID())
		s.wantCode(err, core.CodeNotFound)
		_, err = in.Workspaces.Update(in.ctx, workspace.ID, func(*core.Workspace) error { return errStop })
		s.want(err, nil, errStop)
		return in.Projects.Create(in.ctx, next)
	})))
	got, err := s.Projects.ByID(s.Context(), next.ID)
	s.want(got, err, next)
	s.want(s.defaults(workspace.ID), nil, []core.ID{first.ID})
}

func txUpdates(s *storageCase) {
	workspace := s.workspace()
	together(8, func(int) {
		for range 3 {
			err := s.store.InTx(s.Context(), inTx(func(in storageTx) error {
				before, err := in.Workspaces.ByID(in.ctx, workspace.ID)
				if err != nil {
					return err
				}
				_, err = in.Workspaces.Update(in.ctx, workspace.ID, func(stored *core.Workspace) error {
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
	s.want(got.MembersVersion, err, 24)
}

func txRepeated(s *storageCase) {
	workspace := s.workspace()
	together(8, func(int) {
		for range 3 {
			err := s.store.InTx(s.Context(), inTx(func(in storageTx) error {
				_, _ = in.Workspaces.Update(in.ctx, workspace.ID, func(stored *core.Workspace) error {
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
	s.want(got.MembersVersion, err, 24)
}

func txSerializable(s *storageCase) {
	workspace := s.workspace()
	folders := make([]core.Folder, 8)
	for i := range folders {
		folders[i] = s.newFolder(workspace.ID)
	}
	var created atomic.Int32
	together(len(folders), func(i int) {
		made := false
		err := s.store.InTx(s.Context(), inTx(func(in storageTx) error {
			made = false
			there, err := in.Folders.List(in.ctx, workspace.ID)
			if err != nil || len(there) > 0 {
				return err
			}
			made = true
			return in.Folders.Create(in.ctx, folders[i])
		}))
		if err != nil {
			s.Errorf("got %v, want nil", err)
		}
		if made {
			created.Add(1)
		}
	})
	there, err := s.Folders.List(s.Context(), workspace.ID)
	s.want(len(there), err, 1)
	s.want(created.Load(), nil, int32(1))
}

func txOpposite(s *storageCase) {
	pair := [2]core.Workspace{s.workspace(), s.workspace()}
	raise := func(stored *core.Workspace) error {
		stored.MembersVersion++
		return nil
	}
	together(2, func(i int) {
		err := s.store.InTx(s.Context(), inTx(func(in storageTx) error {
			for _, n := range []int{i, 1 - i} {
				if _, err := in.Workspaces.Update(in.ctx, pair[n].ID, raise); err != nil {
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
		s.want(got.MembersVersion, err, 2)
	}
}

func txEnded(s *storageCase) {
	user := s.newUser()
	for _, end := range []error{nil, errStop} {
		var kept storage.Tables
		err := s.store.InTx(s.Context(), inTx(func(in storageTx) error {
			kept = in.Tables
			return end
		}))
		s.want(err, nil, end)
		s.wantCode(kept.Users.Create(s.Context(), user), core.CodeUnavailable)
		_, err = kept.Users.ByID(s.Context(), user.ID)
		s.wantCode(err, core.CodeUnavailable)
	}
	_, err := s.Users.ByID(s.Context(), user.ID)
	s.wantCode(err, core.CodeNotFound)
}

func txCancelled(s *storageCase) {
	ctx, cancel := context.WithCancel(s.Context())
	user := s.newUser()
	err := s.store.InTx(ctx, inTx(func(in storageTx) error {
		s.must(in.Users.Create(in.ctx, user))
		cancel()
		return nil
	}))
	s.wantCode(err, core.CodeUnavailable)
	_, err = s.Users.ByID(s.Context(), user.ID)
	s.wantCode(err, core.CodeNotFound)
	s.must(s.Users.Create(s.Context(), user))
}

func storageCallClauses() []storageClause {
	return []storageClause{
		{"a call whose context has ended is unavailable because of that", callEnded},
		{"a call that waits for a transaction honours its context", callWaiting},
		{"a store answers until it is closed", callClosed},
		{"the present goes on, also while nobody asks the database", presentGoesOn},
	}
}

func presentGoesOn(s *storageCase) {
	first := s.store.Now()
	time.Sleep(2 * time.Millisecond)
	if passed := s.store.Now().Sub(first); passed < 2*time.Millisecond || passed > time.Minute {
		s.Errorf("2 ms later: got %v later", passed)
	}
	if off := time.Since(first).Abs(); off > time.Minute { // both run on this machine
		s.Errorf("got a present %v off", off)
	}
}

func callEnded(s *storageCase) {
	chat := s.chat()
	ended := s.ended()
	calls := map[string]error{}
	_, calls["read"] = s.Chats.ByID(ended, chat.ID)
	_, calls["list"] = s.Chats.List(ended, chat.ProjectID)
	_, calls["files"] = s.Files.List(ended, chat.ProjectID)
	_, calls["append"] = s.Events.Append(ended, chat.ID, 1, []core.Payload{core.MessageDelta{}})
	_, calls["claim"] = s.Runs.Claim(ended, "process", 1, nil)
	_, calls["update"] = s.Chats.Update(ended, chat.ID, func(*core.Chat) error { return nil })
	calls["create"] = s.Users.Create(ended, s.newUser())
	calls["delete"] = s.Chats.Delete(ended, chat.ID)
	calls["tx"] = s.store.InTx(ended, inTx(func(storageTx) error { return nil }))
	calls["ping"] = s.store.Ping(ended)
	calls["check write"] = s.store.CheckWrite(ended)
	for call, err := range calls {
		if !core.IsCode(err, core.CodeUnavailable) || !errors.Is(err, context.Canceled) {
			s.Errorf("%s: got %v, want code %s with the context's error as its cause", call, err, core.CodeUnavailable)
		}
	}
	got, err := s.Chats.ByID(s.Context(), chat.ID)
	s.want(got, err, chat)
}

func callWaiting(s *storageCase) {
	workspace := s.workspace()
	s.must(s.store.InTx(s.Context(), inTx(func(in storageTx) error {
		_, err := in.Workspaces.Update(in.ctx, workspace.ID, func(stored *core.Workspace) error {
			stored.Name = "inside"
			return nil
		})
		s.must(err)
		ctx, cancel := context.WithCancel(s.Context())
		waited := make(chan error)
		go func() {
			_, err := s.Workspaces.Update(ctx, workspace.ID, func(stored *core.Workspace) error {
				stored.Name = "outside"
				return nil
			})
			waited <- err
		}()
		cancel()
		s.wantCode(<-waited, core.CodeUnavailable)
		return nil
	})))
	got, err := s.Workspaces.ByID(s.Context(), workspace.ID)
	s.want(got.Name, err, "inside")
}

func callClosed(s *storageCase) {
	s.must(s.store.Ping(s.Context()))
	for range 2 {
		s.must(s.store.CheckWrite(s.Context()))
	}
	user := s.user()
	s.must(s.store.Close())
	s.wantCode(s.store.Ping(s.Context()), core.CodeUnavailable)
	s.wantCode(s.store.CheckWrite(s.Context()), core.CodeUnavailable)
	_, err := s.Users.ByID(s.Context(), user.ID)
	s.wantCode(err, core.CodeUnavailable)
	s.wantCode(s.Users.Create(s.Context(), s.newUser()), core.CodeUnavailable)
	s.wantCode(s.store.InTx(s.Context(), inTx(func(storageTx) error { return nil })), core.CodeUnavailable)
}
