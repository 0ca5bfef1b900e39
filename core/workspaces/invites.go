package workspaces

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/ports/storage"
)

const (
	// inviteTTL is how long an invite can be accepted.
	inviteTTL = 7 * 24 * time.Hour
	// MaxOpenInvites bounds the open invites of a workspace.
	MaxOpenInvites = 500
)

// InviteDeps has the dependencies of the use cases around invites.
type InviteDeps struct {
	Store   storage.Store
	Members *Members
	Mail    *mailer.Queue
	Audit   *audit.Log
	// Quotas bound how many members a workspace has.
	Quotas core.Quotas
	Now    func() time.Time
}

// Invites has the use cases around inviting people into a workspace. Many goroutines may use it.
type Invites struct{ InviteDeps }

// NewInvites returns the use cases.
func NewInvites(deps InviteDeps) *Invites { return &Invites{deps} }

// List returns a workspace's invites, the oldest first: open ones, and recently expired ones, so
// that they can be sent again.
func (i *Invites) List(ctx context.Context, by core.Actor, workspace core.ID) ([]core.Invite, error) {
	tables := i.Store.Tables()
	if _, _, err := access.WorkspaceIn(ctx, tables, by, core.ActionInvite, workspace); err != nil {
		return nil, err
	}
	return tables.Invites.List(ctx, storage.InviteFilter{WorkspaceID: workspace})
}

// Create invites the owner of an address into a workspace. It mails a link that works once, for
// seven days, and returns the secret of another link, which the caller may pass on. An earlier
// invite to the address becomes invalid, with its links.
//
// It returns core.CodeValidationFailed for an invalid address, core.CodeForbidden for a role above
// the caller's own, and core.CodeConflict if the person is already a member or beyond
// MaxOpenInvites. Beyond the invitations of a day, which package mailer bounds, it returns
// core.CodeRateLimited.
func (i *Invites) Create(ctx context.Context, by core.Actor, workspace core.ID, address string, role core.Role) (core.Invite, string, error) {
	email, err := core.NormalEmail(address)
	if err != nil {
		return core.Invite{}, "", err
	}
	secret, link, now := core.NewSecret(), core.NewSecret(), core.At(i.Now())
	invite := core.Invite{
		ID: core.NewID(), Email: email, Role: role, InvitedBy: by.UserID, CreatedAt: now, ExpiresAt: now.Add(inviteTTL),
		WorkspaceID: workspace, TokenHash: core.HashSecret(secret), LinkHash: new(core.HashSecret(link)),
	}
	err = i.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		space, own, err := access.WorkspaceIn(ctx, tables, by, core.ActionInvite, workspace)
		if err != nil {
			return err
		}
		if err := checkRank(own, role); err != nil {
			return err
		}
		if err := i.checkRoom(ctx, tables, invite); err != nil {
			return err
		}
		if err := tables.Invites.Create(ctx, invite); err != nil {
			return err
		}
		if err := i.mail(ctx, tables, space, invite, secret); err != nil {
			return err
		}
		return i.Audit.Record(ctx, tables, by, workspace, core.AuditInviteCreated, fmt.Sprintf("%s: %s", email, role))
	})
	if err != nil {
		return core.Invite{}, "", err
	}
	i.Mail.Wake()
	return invite, link, nil
}

// Link returns the secret of a new link to pass on, for an open invite. The link before it becomes
// invalid; the mailed one stays valid. An invite that has expired, or that the caller may not
// make, has the codes of Create.
func (i *Invites) Link(ctx context.Context, by core.Actor, workspace, id core.ID) (string, error) {
	link := core.NewSecret()
	err := i.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		_, own, err := access.WorkspaceIn(ctx, tables, by, core.ActionInvite, workspace)
		if err != nil {
			return err
		}
		invite, err := tables.Invites.ByID(ctx, id)
		if err == nil && invite.WorkspaceID != workspace {
			err = core.NotFound("invite")
		}
		if err != nil {
			return err
		}
		if err := checkRank(own, invite.Role); err != nil {
			return err
		}
		if i.lapsed(invite) {
			return core.Errorf(core.CodeConflict, "this invite has expired: send it again")
		}
		if err := tables.Invites.SetLink(ctx, id, core.HashSecret(link)); err != nil {
			return err
		}
		return i.Audit.Record(ctx, tables, by, workspace, core.AuditInviteLinked, invite.Email)
	})
	return link, err
}

// Invitation is an invite as people with one of its links see it.
type Invitation struct {
	Email     string    `json:"email"`
	Role      core.Role `json:"role"`
	Workspace string    `json:"workspace"`
	InvitedBy string    `json:"invitedBy"`
	ExpiresAt core.Time `json:"expiresAt"`
}

// Look returns an invite to anybody with its secret. A secret that Accept would refuse has code
// core.CodeNotFound.
func (i *Invites) Look(ctx context.Context, secret string) (Invitation, error) {
	tables := i.Store.Tables()
	invite, err := i.valid(ctx, tables, secret)
	if err != nil {
		return Invitation{}, err
	}
	space, err := tables.Workspaces.ByID(ctx, invite.WorkspaceID)
	if err != nil {
		return Invitation{}, err
	}
	inviter, err := tables.Users.ByID(ctx, invite.InvitedBy)
	if err != nil {
		return Invitation{}, err
	}
	return Invitation{invite.Email, invite.Role, space.Name, nameOf(inviter), invite.ExpiresAt}, nil
}

func nameOf(user core.User) string {
	if user.DisplayName != nil {
		return *user.DisplayName
	}
	return user.Email
}

// checkRoom returns an error for an invite to a member, and for one too many.
func (i *Invites) checkRoom(ctx context.Context, tables storage.Tables, invite core.Invite) error {
	user, err := tables.Users.ByEmail(ctx, invite.Email)
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		return err
	}
	if err == nil {
		role, err := tables.Workspaces.Role(ctx, invite.WorkspaceID, user.ID)
		if err != nil {
			return err
		}
		if role != core.RoleNone {
			return core.Errorf(core.CodeConflict, "%s is already a member", invite.Email)
		}
	}
	open, err := tables.Invites.List(ctx, storage.InviteFilter{WorkspaceID: invite.WorkspaceID})
	if err != nil {
		return err
	}
	open = slices.DeleteFunc(open, func(other core.Invite) bool { return i.lapsed(other) || other.Email == invite.Email })
	if len(open) >= MaxOpenInvites {
		return core.Errorf(core.CodeConflict, "%d people are already invited: wait for their answers, or delete invites", MaxOpenInvites)
	}
	return nil
}

func (i *Invites) lapsed(invite core.Invite) bool { return invite.ExpiresAt <= core.At(i.Now()) }

// mail stores the mail with the invite's secret, which is its only copy.
func (i *Invites) mail(ctx context.Context, tables storage.Tables, space core.Workspace, invite core.Invite, secret string) error {
	inviter, err := tables.Users.ByID(ctx, invite.InvitedBy)
	if err != nil {
		return err
	}
	if err := i.Mail.CheckInvite(ctx, tables, inviter, space.ID); err != nil {
		return err
	}
	language, err := languageOf(ctx, tables, invite.Email, inviter)
	if err != nil {
		return err
	}
	invitation := mailer.Invitation{To: invite.Email, Role: invite.Role, Token: secret, ExpiresAt: invite.ExpiresAt, Language: language}
	// People without a verified address of their own may not send texts of their own to strangers.
	if inviter.EmailVerified {
		invitation.Workspace, invitation.Sender = space.Name, inviter.Email
		if inviter.DisplayName != nil {
			invitation.InvitedBy = *inviter.DisplayName
		}
	}
	return i.Mail.Invite(ctx, tables, invitation)
}

// languageOf returns the language of the account with an address, and that of the inviter
// for somebody without one.
func languageOf(ctx context.Context, tables storage.Tables, email string, inviter core.User) (core.Language, error) {
	invited, err := tables.Users.ByEmail(ctx, email)
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		return "", err
	}
	return cmp.Or(invited.Language, inviter.Language), nil
}

// Delete deletes an invite. Its links become invalid.
func (i *Invites) Delete(ctx context.Context, by core.Actor, workspace, id core.ID) error {
	return i.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, _, err := access.WorkspaceIn(ctx, tables, by, core.ActionInvite, workspace); err != nil {
			return err
		}
		invite, err := tables.Invites.ByID(ctx, id)
		if err == nil && invite.WorkspaceID != workspace {
			err = core.NotFound("invite")
		}
		if err != nil {
			return err
		}
		if err := tables.Invites.Delete(ctx, id); err != nil {
			return err
		}
		return i.Audit.Record(ctx, tables, by, workspace, core.AuditInviteDeleted, invite.Email)
	})
}

// Accept makes the caller a member of the workspace of an invite, by its secret, and returns the
// workspace. A higher role that the caller already has stays. The mailed secret proves that its
// holder reads the address's mail, so it verifies the address of somebody who signed up for the
// invite; the secret that an inviter passed on proves nothing.
//
// It returns core.CodeNotFound for a secret that is unknown, used or expired, and for one whose
// sender may no longer invite into that role. It returns core.CodeForbidden for an invite to an
// address other than the caller's, and core.CodeConflict if the workspace is full or the caller
// owns too many; the invite then stays open. Of parallel calls exactly one succeeds.
func (i *Invites) Accept(ctx context.Context, by core.Actor, secret string) (View, error) {
	if err := core.RuleOf(core.ActionInviteAccept).Authorize(by, core.Standing{}); err != nil {
		return View{}, err
	}
	return i.accept(ctx, by, func(ctx context.Context, tables storage.Tables) (core.Invite, error) {
		invite, err := i.valid(ctx, tables, secret)
		if err != nil {
			return core.Invite{}, err
		}
		return invite, verify(ctx, tables, by, invite, invite.TokenHash == core.HashSecret(secret))
	})
}

// accept makes the caller a member with the invite that find returns, in the same transaction.
func (i *Invites) accept(ctx context.Context, by core.Actor, find func(context.Context, storage.Tables) (core.Invite, error)) (View, error) {
	var view View
	changed := false
	err := i.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		invite, err := find(ctx, tables)
		if err != nil {
			return err
		}
		before, err := tables.Workspaces.Role(ctx, invite.WorkspaceID, by.UserID)
		if err != nil {
			return err
		}
		if changed = !before.AtLeast(invite.Role); changed {
			if err := i.checkQuotas(ctx, tables, by, invite, before); err != nil {
				return err
			}
			if err := i.join(ctx, tables, by, invite, before); err != nil {
				return err
			}
		}
		if err := tables.Invites.Delete(ctx, invite.ID); err != nil {
			return err
		}
		space, err := tables.Workspaces.ByID(ctx, invite.WorkspaceID)
		view = View{space, before}
		if changed {
			view.Role = invite.Role
		}
		return err
	})
	if err == nil && changed {
		i.Members.announce(ctx, view.ID, "")
	}
	return view, err
}

// checkQuotas returns core.CodeConflict if the workspace has as many members as it may, or the
// caller owns as many workspaces as a person may. The invite stays.
func (i *Invites) checkQuotas(ctx context.Context, tables storage.Tables, by core.Actor, invite core.Invite, before core.Role) error {
	if before == core.RoleNone {
		if err := checkMembers(ctx, tables, i.Quotas, invite.WorkspaceID); err != nil {
			return err
		}
	}
	if invite.Role == core.RoleOwner {
		return checkOwned(ctx, tables, i.Quotas, by.UserID)
	}
	return nil
}

// valid returns the invite of a secret if it is still valid.
func (i *Invites) valid(ctx context.Context, tables storage.Tables, secret string) (core.Invite, error) {
	invite, err := tables.Invites.ByHash(ctx, core.HashSecret(secret))
	if err != nil {
		return core.Invite{}, err
	}
	return invite, i.check(ctx, tables, invite)
}

// check returns an error for an invite that expired, and for one that its sender may no longer
// send.
func (i *Invites) check(ctx context.Context, tables storage.Tables, invite core.Invite) error {
	sender, err := tables.Workspaces.Role(ctx, invite.WorkspaceID, invite.InvitedBy)
	if err != nil {
		return err
	}
	if i.lapsed(invite) || !sender.AtLeast(core.RuleOf(core.ActionInvite).Role) || !sender.AtLeast(invite.Role) {
		return core.NotFound("invite")
	}
	return nil
}

// verify checks that the invite went to the caller's address. A mailed secret in the session that
// created the account verifies the address: the caller created the account and reads the address's
// mail. In any other session somebody else may have created the account, so nothing is verified,
// and nothing done before has to be undone.
func verify(ctx context.Context, tables storage.Tables, by core.Actor, invite core.Invite, mailed bool) error {
	made := false
	if mailed && by.SessionID != "" && !by.Token {
		session, err := tables.Sessions.ByID(ctx, by.SessionID)
		if err != nil && !core.IsCode(err, core.CodeNotFound) {
			return err
		}
		made = err == nil && session.SignedUp && session.UserID == by.UserID
	}
	_, err := tables.Users.Update(ctx, by.UserID, func(user *core.User) error {
		if user.Email != invite.Email {
			return core.Errorf(core.CodeForbidden, "this invite is for another account: sign in with the e-mail address that it was sent to")
		}
		user.EmailVerified = user.EmailVerified || made
		return nil
	})
	return err
}

// join gives the caller the invite's role.
func (i *Invites) join(ctx context.Context, tables storage.Tables, by core.Actor, invite core.Invite, before core.Role) error {
	membership := core.Membership{WorkspaceID: invite.WorkspaceID, UserID: by.UserID, Role: invite.Role, JoinedAt: core.At(i.Now())}
	if err := tables.Workspaces.PutMember(ctx, membership); err != nil {
		return err
	}
	if err := raise(ctx, tables, invite.WorkspaceID); err != nil {
		return err
	}
	change := webhooks.MemberJoined
	action, target := core.AuditMemberJoined, fmt.Sprintf("%s: %s", invite.Email, invite.Role)
	if before != core.RoleNone {
		change = webhooks.MemberRoleChanged
		action, target = core.AuditMemberRoleChanged, fmt.Sprintf("%s: %s → %s", invite.Email, before, invite.Role)
	}
	if err := i.Members.Hooks.Add(ctx, tables, webhooks.MemberChanged(invite.WorkspaceID, by.UserID, change, invite.Role)); err != nil {
		return err
	}
	return i.Audit.Record(ctx, tables, by, invite.WorkspaceID, action, target)
}
