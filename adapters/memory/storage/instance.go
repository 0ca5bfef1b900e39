package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type instanceSettings struct{ session conn }

// Get implements storage.InstanceSettings.
func (s instanceSettings) Get(ctx context.Context) (core.InstanceSettings, error) {
	state, err := s.session.view(ctx)
	if err != nil {
		return core.InstanceSettings{}, err
	}
	return copyOfInstance(state.instance), nil
}

func copyOfInstance(settings core.InstanceSettings) core.InstanceSettings {
	settings.SignupDomains, settings.CreditLimit = slices.Clone(settings.SignupDomains), copyOf(settings.CreditLimit)
	return settings
}

// Update implements storage.InstanceSettings.
func (s instanceSettings) Update(ctx context.Context, change func(*core.InstanceSettings) error) (changed core.InstanceSettings, err error) {
	err = s.session.change(ctx, func(state *database) error {
		settings := copyOfInstance(state.instance)
		if err := change(&settings); err != nil {
			return err
		}
		if err := storage.CheckText(settings); err != nil {
			return err
		}
		state.instance, changed = copyOfInstance(settings), settings
		return nil
	})
	return changed, err
}

type lastBackup struct{ session conn }

// Get implements storage.LastBackup.
func (l lastBackup) Get(ctx context.Context) (core.BackupRun, error) {
	state, err := l.session.view(ctx)
	if err != nil {
		return core.BackupRun{}, err
	}
	return state.lastBackup, nil
}

// Update implements storage.LastBackup.
func (l lastBackup) Update(ctx context.Context, change func(*core.BackupRun) error) (changed core.BackupRun, err error) {
	err = l.session.change(ctx, func(state *database) error {
		run := state.lastBackup
		if err := change(&run); err != nil {
			return err
		}
		if err := storage.CheckText(run); err != nil {
			return err
		}
		state.lastBackup, changed = run, run
		return nil
	})
	return changed, err
}

type instanceInvites struct {
	records records[core.InstanceInvite]
}

func instanceInvitesOf(session conn) records[core.InstanceInvite] {
	return records[core.InstanceInvite]{
		session: session,
		noun:    "invite",
		table:   func(s *database) *table[core.ID, core.InstanceInvite] { return &s.instanceInvites },
		id:      func(i core.InstanceInvite) core.ID { return i.ID },
		copy:    func(i core.InstanceInvite) core.InstanceInvite { return i },
	}
}

// Create implements storage.InstanceInvites.
func (i instanceInvites) Create(ctx context.Context, invite core.InstanceInvite) error {
	if err := storage.CheckText(invite); err != nil {
		return err
	}
	return i.records.session.change(ctx, func(state *database) error {
		for _, other := range state.instanceInvites.rows {
			if other.Email != invite.Email && (other.ID == invite.ID || other.TokenHash == invite.TokenHash || other.LinkHash == invite.LinkHash) {
				return core.Errorf(core.CodeConflict, "this invite already exists")
			}
		}
		state.instanceInvites.drop(state, func(other core.InstanceInvite) bool { return other.Email == invite.Email })
		state.instanceInvites.edit(state)[invite.ID] = invite
		return nil
	})
}

// ByID implements storage.InstanceInvites.
func (i instanceInvites) ByID(ctx context.Context, id core.ID) (core.InstanceInvite, error) {
	return i.records.byID(ctx, id)
}

// ByHash implements storage.InstanceInvites.
func (i instanceInvites) ByHash(ctx context.Context, hash string) (core.InstanceInvite, error) {
	return i.records.first(ctx, func(invite core.InstanceInvite) bool { return invite.TokenHash == hash || invite.LinkHash == hash })
}

// ByEmail implements storage.InstanceInvites.
func (i instanceInvites) ByEmail(ctx context.Context, email string) (core.InstanceInvite, error) {
	return i.records.first(ctx, func(invite core.InstanceInvite) bool { return invite.Email == email })
}

// List implements storage.InstanceInvites.
func (i instanceInvites) List(ctx context.Context) ([]core.InstanceInvite, error) {
	return i.records.list(ctx, func(core.InstanceInvite) bool { return true }, func(a, b core.InstanceInvite) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// Delete implements storage.InstanceInvites.
func (i instanceInvites) Delete(ctx context.Context, id core.ID) error {
	return i.records.delete(ctx, id, func(state *database, id core.ID) { delete(state.instanceInvites.edit(state), id) })
}

// Prune implements storage.InstanceInvites.
func (i instanceInvites) Prune(ctx context.Context, before core.Time) error {
	return i.records.session.change(ctx, func(state *database) error {
		state.instanceInvites.drop(state, func(invite core.InstanceInvite) bool { return invite.ExpiresAt < before })
		return nil
	})
}
