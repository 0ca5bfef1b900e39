package storagetest

import (
	"context"
	"errors"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func callClauses() []clause {
	return []clause{
		{"a call whose context has ended is unavailable because of that", callEnded},
		{"a call that waits for a transaction honours its context", callWaiting},
		{"a store answers until it is closed", callClosed},
		{"the present goes on, also while nobody asks the database", presentGoesOn},
	}
}

func presentGoesOn(s testCase) {
	first := s.Store.Now()
	time.Sleep(2 * time.Millisecond)
	if passed := s.Store.Now().Sub(first); passed < 2*time.Millisecond || passed > time.Minute {
		s.Errorf("2 ms later: got %v later", passed)
	}
	if off := time.Since(first).Abs(); off > time.Minute { // both run on this machine
		s.Errorf("got a present %v off", off)
	}
}

func callEnded(s testCase) {
	chat := s.Chat()
	ended := s.Ended()
	calls := map[string]error{}
	_, calls["read"] = s.Chats.ByID(ended, chat.ID)
	_, calls["list"] = s.Chats.List(ended, chat.ProjectID)
	_, calls["files"] = s.Files.List(ended, chat.ProjectID)
	_, calls["append"] = s.Events.Append(ended, chat.ID, 1, []core.Payload{core.MessageDelta{}})
	_, calls["claim"] = s.Runs.Claim(ended, "process", 1, nil)
	_, calls["update"] = s.Chats.Update(ended, chat.ID, func(*core.Chat) error { return nil })
	calls["create"] = s.Users.Create(ended, s.NewUser())
	calls["delete"] = s.Chats.Delete(ended, chat.ID)
	calls["tx"] = s.Store.InTx(ended, fixture.InTx(func(fixture.Tx) error { return nil }))
	calls["ping"] = s.Store.Ping(ended)
	calls["check write"] = s.Store.CheckWrite(ended)
	for call, err := range calls {
		if !core.IsCode(err, core.CodeUnavailable) || !errors.Is(err, context.Canceled) {
			s.Errorf("%s: got %v, want code %s with the context's error as its cause", call, err, core.CodeUnavailable)
		}
	}
	got, err := s.Chats.ByID(s.Context(), chat.ID)
	s.Want(got, err, chat)
}

func callWaiting(s testCase) {
	workspace := s.Workspace()
	s.Must(s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
		_, err := in.Workspaces.Update(in.Ctx, workspace.ID, func(stored *core.Workspace) error {
			stored.Name = "inside"
			return nil
		})
		s.Must(err)
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
		s.WantCode(<-waited, core.CodeUnavailable)
		return nil
	})))
	got, err := s.Workspaces.ByID(s.Context(), workspace.ID)
	s.Want(got.Name, err, "inside")
}

func callClosed(s testCase) {
	s.Must(s.Store.Ping(s.Context()))
	for range 2 {
		s.Must(s.Store.CheckWrite(s.Context()))
	}
	user := s.User()
	s.Must(s.Store.Close())
	s.WantCode(s.Store.Ping(s.Context()), core.CodeUnavailable)
	s.WantCode(s.Store.CheckWrite(s.Context()), core.CodeUnavailable)
	_, err := s.Users.ByID(s.Context(), user.ID)
	s.WantCode(err, core.CodeUnavailable)
	s.WantCode(s.Users.Create(s.Context(), s.NewUser()), core.CodeUnavailable)
	s.WantCode(s.Store.InTx(s.Context(), fixture.InTx(func(fixture.Tx) error { return nil })), core.CodeUnavailable)
}
