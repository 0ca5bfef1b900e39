package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type runs struct{ records records[core.Run] }

func runsOf(session conn) records[core.Run] {
	return records[core.Run]{
		session: session,
		noun:    "run",
		table:   func(s *database) *table[core.ID, core.Run] { return &s.runs },
		id:      func(r core.Run) core.ID { return r.ID },
		copy: func(r core.Run) core.Run {
			r.EndedAt, r.Intent, r.Attachments = copyOf(r.EndedAt), copyOf(r.Intent), slices.Clone(r.Attachments)
			r.Changed = slices.Clone(r.Changed)
			return r
		},
		pin:   func(r *core.Run, before core.Run) { r.ID, r.CreatedAt = before.ID, before.CreatedAt },
		check: checkRun,
	}
}

// checkRun also maintains the index of busy chats.
func checkRun(s *database, run core.Run) error {
	busy, found := s.busy.rows[run.ChatID]
	if run.Busy() && found && busy != run.ID {
		return core.Errorf(core.CodeChatBusy, "a run is active in this chat")
	}
	if !s.chats.has(run.ChatID) {
		return core.NotFound("chat")
	}
	if before, known := s.runs.rows[run.ID]; known && s.busy.rows[before.ChatID] == run.ID {
		delete(s.busy.edit(s), before.ChatID)
	}
	if run.Busy() {
		s.busy.edit(s)[run.ChatID] = run.ID
	}
	return nil
}

// Create implements storage.Runs.
func (r runs) Create(ctx context.Context, run core.Run) error { return r.records.create(ctx, run) }

// ByID implements storage.Runs.
func (r runs) ByID(ctx context.Context, id core.ID) (core.Run, error) {
	return r.records.byID(ctx, id)
}

// Busy implements storage.Runs.
func (r runs) Busy(ctx context.Context, chat core.ID) (core.Run, error) {
	state, err := r.records.session.view(ctx)
	if err != nil {
		return core.Run{}, err
	}
	return r.records.in(state, state.busy.rows[chat])
}

// Claim implements storage.Runs.
func (r runs) Claim(ctx context.Context, owner string, leaseUntil core.Time, except []core.ID) (run core.Run, err error) {
	claimed := core.Run{Status: core.RunRunning, Owner: owner, LeaseUntil: leaseUntil}
	if err := storage.CheckText(claimed); err != nil {
		return core.Run{}, err
	}
	err = r.records.session.change(ctx, func(state *database) error {
		id := oldestQueued(state, except)
		run, err = r.records.in(state, id)
		if err != nil {
			return err
		}
		run.Status, run.Owner, run.LeaseUntil = claimed.Status, claimed.Owner, claimed.LeaseUntil
		return r.records.put(state, run)
	})
	if err != nil {
		return core.Run{}, err
	}
	return r.records.copy(run), nil
}

// oldestQueued returns "" if no run is queued except in the workspaces in except.
func oldestQueued(state *database, except []core.ID) core.ID {
	var oldest core.Run
	for _, id := range state.busy.rows {
		run := state.runs.rows[id]
		if run.Status == core.RunQueued && !slices.Contains(except, run.WorkspaceID) && (oldest.ID == "" || byAge(run, oldest) < 0) {
			oldest = run
		}
	}
	return oldest.ID
}

func byAge(a, b core.Run) int {
	return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
}

// CountRunning implements storage.Runs.
func (r runs) CountRunning(ctx context.Context, workspace core.ID) (int, error) {
	running, err := r.records.list(ctx, func(run core.Run) bool {
		return run.Status == core.RunRunning && run.WorkspaceID == workspace
	}, byAge)
	return len(running), err
}

// Made implements storage.Runs.
func (r runs) Made(ctx context.Context, project core.ID, versions []string) ([]core.Run, error) {
	return r.records.list(ctx, func(run core.Run) bool {
		return run.ProjectID == project && run.VersionID != "" && slices.Contains(versions, run.VersionID)
	}, byAge)
}

// Lapsed implements storage.Runs.
func (r runs) Lapsed(ctx context.Context, now core.Time) ([]core.Run, error) {
	return r.records.list(ctx, func(run core.Run) bool {
		return run.Status == core.RunRunning && run.LeaseUntil < now
	}, byAge)
}

// Hold implements storage.Runs.
func (r runs) Hold(ctx context.Context, id core.ID, hold core.Hold, allow func(core.Funds) error) error {
	return r.records.session.change(ctx, func(state *database) error {
		run, err := r.records.in(state, id)
		if err != nil {
			return err
		}
		if run.Status != core.RunRunning {
			return core.Errorf(core.CodeConflict, "the run is %s", run.Status)
		}
		funds, payer, err := state.fundsOf(r.records.session, run, hold)
		if err != nil {
			return err
		}
		if err := allow(funds); err != nil {
			return err
		}
		run.CreditHeld, run.Payer = hold.Amount, payer
		return r.records.put(state, run)
	})
}

// Update implements storage.Runs.
func (r runs) Update(ctx context.Context, id core.ID, change func(*core.Run) error) (core.Run, error) {
	return r.records.update(ctx, id, change)
}
