package workspaces

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// MaxOwnInvites bounds the list of the invites to one address, so that those who send
// many cannot make it long to read. The rest follows when these are answered.
const MaxOwnInvites = 100

// OwnInvite is an invite as it is told to the person whose address it went to. It
// opens nothing: its secrets stay in the mail and with the inviter.
type OwnInvite struct {
	ID        core.ID         `json:"id"`
	Workspace InviteWorkspace `json:"workspace"`
	Role      core.Role       `json:"role"`
	InvitedBy Inviter         `json:"invitedBy"`
	ExpiresAt core.Time       `json:"expiresAt"`
	CreatedAt core.Time       `json:"createdAt"`
}

// InviteWorkspace is the workspace that an invite asks into.
type InviteWorkspace struct {
	ID   core.ID `json:"id"`
	Name string  `json:"name"`
}

// Inviter is the member who sent an invite.
type Inviter struct {
	// DisplayName is what they are called, or their address.
	DisplayName string `json:"displayName"`
}

// ListOwn returns the invites to the caller's address that AcceptOwn would take, the
// newest first, at most MaxOwnInvites. An address that nobody has proven has none: the
// account may be somebody else's than the address.
func (i *Invites) ListOwn(ctx context.Context, by core.Actor) ([]OwnInvite, error) {
	if err := core.RuleOf(core.ActionAccount).Authorize(by, core.RoleNone); err != nil {
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
		// It is void, or was answered meanwhile.
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

// tell returns what an invite says, while it is worth anything.
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

// AcceptOwn is Accept for an invite that ListOwn returns. One that it would not return
// has code core.CodeNotFound.
func (i *Invites) AcceptOwn(ctx context.Context, by core.Actor, id core.ID) (View, error) {
	if err := core.RuleOf(core.ActionAccount).Authorize(by, core.RoleNone); err != nil {
		return View{}, err
	}
	return i.accept(ctx, by, func(ctx context.Context, tables storage.Tables) (core.Invite, error) {
		return i.own(ctx, tables, by, id)
	})
}

// DeclineOwn deletes an invite that ListOwn returns, with its links. One that it would
// not return has code core.CodeNotFound.
func (i *Invites) DeclineOwn(ctx context.Context, by core.Actor, id core.ID) error {
	if err := core.RuleOf(core.ActionAccount).Authorize(by, core.RoleNone); err != nil {
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

// own returns an invite to the caller's address, which has to be proven. Callers learn
// nothing of invites to other addresses.
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
