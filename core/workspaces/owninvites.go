package workspaces

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// MaxOwnInvites bounds the list of invites to one address, so that senders cannot
// flood it. The rest follows when these are answered.
const MaxOwnInvites = 100

// OwnInvite is an invite as the invited person sees it. It has none of the secrets,
// which stay in the mail and with the inviter.
type OwnInvite struct {
	ID        core.ID         `json:"id"`
	Workspace InviteWorkspace `json:"workspace"`
	Role      core.Role       `json:"role"`
	InvitedBy Inviter         `json:"invitedBy"`
	ExpiresAt core.Time       `json:"expiresAt"`
	CreatedAt core.Time       `json:"createdAt"`
}

// InviteWorkspace is the workspace of an invite.
type InviteWorkspace struct {
	ID   core.ID `json:"id"`
	Name string  `json:"name"`
}

// Inviter is the member who sent an invite.
type Inviter struct {
	// DisplayName is their display name, or their address.
	DisplayName string `json:"displayName"`
}

// ListOwn returns at most MaxOwnInvites invites to the caller's address that AcceptOwn
// would accept, the newest first. For an unverified address it returns none, because
// the account may not belong to the address's owner.
func (i *Invites) ListOwn(ctx context.Context, by core.Actor) ([]OwnInvite, error) {
	if err := core.RuleOf(core.ActionAccount).Authorize(by, core.Standing{}); err != nil {
		return nil, err
	}
	tables := i.Store.Tables()
	user, err := tables.Users.ByID(ctx, by.UserID)
	if err != nil || !user.EmailVerified {
		return nil, err
	}
	invites, err := tables.Invites.List(ctx, storage.InviteFilter{Email: user.Email})
	if err != nil {
		return nil, err
	}
	var own []OwnInvite
	for _, invite := range slices.Backward(slices.DeleteFunc(invites, i.lapsed)) {
		if len(own) == MaxOwnInvites {
			break
		}
		told, err := i.tell(ctx, tables, invite)
		// It is invalid, or was answered meanwhile.
		if core.IsCode(err, core.CodeNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		own = append(own, told)
	}
	return own, nil
}

// tell returns an invite in the form for its recipient, if it is still valid.
func (i *Invites) tell(ctx context.Context, tables storage.Tables, invite core.Invite) (OwnInvite, error) {
	if err := i.check(ctx, tables, invite); err != nil {
		return OwnInvite{}, err
	}
	space, err := tables.Workspaces.ByID(ctx, invite.WorkspaceID)
	if err != nil {
		return OwnInvite{}, err
	}
	inviter, err := tables.Users.ByID(ctx, invite.InvitedBy)
	if err != nil {
		return OwnInvite{}, err
	}
	return OwnInvite{
		ID: invite.ID, Workspace: InviteWorkspace{space.ID, space.Name}, Role: invite.Role, InvitedBy: Inviter{nameOf(inviter)},
		ExpiresAt: invite.ExpiresAt, CreatedAt: invite.CreatedAt,
	}, nil
}

// AcceptOwn is Accept for an invite that ListOwn returns. Any other has code
// core.CodeNotFound.
func (i *Invites) AcceptOwn(ctx context.Context, by core.Actor, id core.ID) (View, error) {
	if err := core.RuleOf(core.ActionAccount).Authorize(by, core.Standing{}); err != nil {
		return View{}, err
	}
	return i.accept(ctx, by, func(ctx context.Context, tables storage.Tables) (core.Invite, error) {
		return i.own(ctx, tables, by, id)
	})
}

// DeclineOwn deletes an invite that ListOwn returns, with its links. Any other has
// code core.CodeNotFound.
func (i *Invites) DeclineOwn(ctx context.Context, by core.Actor, id core.ID) error {
	if err := core.RuleOf(core.ActionAccount).Authorize(by, core.Standing{}); err != nil {
		return err
	}
	return i.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		invite, err := i.own(ctx, tables, by, id)
		if err != nil {
			return err
		}
		if err := tables.Invites.Delete(ctx, invite.ID); err != nil {
			return err
		}
		return i.Audit.Record(ctx, tables, by, invite.WorkspaceID, core.AuditInviteDeclined, invite.Email)
	})
}

// own returns an invite to the caller's address, which must be verified. Callers learn
// nothing about invites to other addresses.
func (i *Invites) own(ctx context.Context, tables storage.Tables, by core.Actor, id core.ID) (core.Invite, error) {
	user, err := tables.Users.ByID(ctx, by.UserID)
	if err != nil {
		return core.Invite{}, err
	}
	invite, err := tables.Invites.ByID(ctx, id)
	if err != nil {
		return core.Invite{}, err
	}
	if !user.EmailVerified || user.Email != invite.Email {
		return core.Invite{}, core.NotFound("invite")
	}
	return invite, i.check(ctx, tables, invite)
}
