package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// fundsOf returns what a call is paid from, and who pays beside the sender. A function's has a run
// with a workspace and nothing else.
func (s *database) fundsOf(session conn, run core.Run, hold core.Hold) (funds core.Funds, payer core.ID, err error) {
	if funds.Workspace, err = workspacesOf(session).in(s, run.WorkspaceID); err != nil {
		return funds, "", err
	}
	funds.Held = s.heldBeside(run, hold.At,
		func(other core.Run) bool { return other.WorkspaceID == run.WorkspaceID },
		func(other core.CreditHold) bool { return other.WorkspaceID == run.WorkspaceID })
	if !hold.Platform {
		return funds, "", nil
	}
	payer = s.payerOf(run)
	for _, user := range slices.Compact(slices.Sorted(slices.Values([]core.ID{run.UserID, payer}))) {
		if user == "" {
			continue
		}
		held := s.heldBeside(run, hold.At,
			func(other core.Run) bool { return other.Payer != "" && (other.Payer == user || other.UserID == user) },
			func(other core.CreditHold) bool { return other.Payer == user })
		funds.Spenders = append(funds.Spenders, core.Spender{UserID: user, Used: s.charged.rows[user], Held: held})
	}
	return funds, payer, nil
}

// payerOf returns the owner of the run's workspace who joined first, else the user who
// sent the message.
func (s *database) payerOf(run core.Run) core.ID {
	first := core.Membership{UserID: run.UserID}
	for key, member := range s.members.rows {
		if key.workspace != run.WorkspaceID || member.Role != core.RoleOwner {
			continue
		}
		if first.Role == "" || cmp.Or(cmp.Compare(member.JoinedAt, first.JoinedAt), cmp.Compare(member.UserID, first.UserID)) < 0 {
			first = member
		}
	}
	return first.UserID
}

// heldBeside adds up what the other matching running runs, and calls without a run, hold.
func (s *database) heldBeside(run core.Run, at core.Time, runs func(core.Run) bool, holds func(core.CreditHold) bool) float64 {
	var held float64
	for _, id := range s.busy.rows {
		other := s.runs.rows[id]
		if other.Status == core.RunRunning && id != run.ID && runs(other) {
			held += other.CreditHeld
		}
	}
	for _, other := range s.creditHolds.rows {
		if other.Until > at && holds(other) {
			held += other.Amount
		}
	}
	return held
}

type creditHolds struct{ session conn }

// Hold implements storage.CreditHolds.
func (c creditHolds) Hold(ctx context.Context, reservation core.CreditHold, hold core.Hold, allow func(core.Funds) error) (core.CreditHold, error) {
	if err := storage.CheckText(reservation); err != nil {
		return core.CreditHold{}, err
	}
	reservation.Amount = hold.Amount
	err := c.session.change(ctx, func(state *database) error {
		funds, payer, err := state.fundsOf(c.session, core.Run{WorkspaceID: reservation.WorkspaceID}, hold)
		if err != nil {
			return err
		}
		if err := allow(funds); err != nil {
			return err
		}
		if state.creditHolds.has(reservation.ID) {
			return core.Errorf(core.CodeConflict, "the reservation exists already")
		}
		reservation.Payer = payer
		for id, old := range state.creditHolds.rows {
			if old.WorkspaceID == reservation.WorkspaceID && old.Until <= hold.At {
				delete(state.creditHolds.edit(state), id)
			}
		}
		state.creditHolds.edit(state)[reservation.ID] = reservation
		return nil
	})
	return reservation, err
}

// Release implements storage.CreditHolds.
func (c creditHolds) Release(ctx context.Context, id core.ID) error {
	return c.session.change(ctx, func(state *database) error {
		if state.creditHolds.has(id) {
			delete(state.creditHolds.edit(state), id)
		}
		return nil
	})
}
