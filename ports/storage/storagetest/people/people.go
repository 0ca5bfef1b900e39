package people

import (
	"context"
	"errors"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func peopleClauses() []clause {
	return []clause{
		{"a rollback brings back what was taken, deleted and replaced", peopleRollBack},
		{"after a failed call on people's records a transaction goes on without a trace of it", peopleGoOn},
		{"no call on people's records outlives its context", peopleEnded},
	}
}

// person is a user with one of everything, in a workspace with an invite.
type person struct {
	user         core.User
	workspace    core.Workspace
	identity     core.Identity
	ticket       core.Ticket
	token        core.APIToken
	subscription core.Subscription
	invite       core.Invite
}

func (s testCase) person() person {
	s.Helper()
	p := person{workspace: s.Workspace()}
	p.user = s.Member(p.workspace.ID, core.RoleOwner)
	p.identity = s.identity(p.user.ID)
	p.ticket = s.ticket(p.user.ID)
	p.token = s.token(p.user.ID)
	p.subscription = s.subscription(p.user.ID)
	p.invite = s.invite(p.workspace.ID)
	return p
}

// wantPerson compares everything of a person with the stored records. It takes the
// ticket.
func (s testCase) wantPerson(p person) {
	s.Helper()
	ctx := s.Context()
	identities, err := s.Identities.OfUser(ctx, p.user.ID)
	s.Want(identities, err, []core.Identity{p.identity})
	tokens, err := s.APITokens.List(ctx, p.user.ID)
	s.Want(tokens, err, []core.APIToken{p.token})
	subscriptions, err := s.Subscriptions.List(ctx, p.user.ID)
	s.Want(subscriptions, err, []core.Subscription{p.subscription})
	invites, err := s.Invites.List(ctx, storage.InviteFilter{WorkspaceID: p.workspace.ID})
	s.Want(invites, err, []core.Invite{p.invite})
	owners, err := s.Members.Owners(ctx, p.workspace.ID)
	s.Want(owners, err, 1)
	ticket, err := s.Tickets.Take(ctx, p.ticket.Kind, p.ticket.Hash)
	s.Want(ticket, err, p.ticket)
}

func peopleRollBack(s testCase) {
	p := s.person()
	later := p.invite.ExpiresAt + p.ticket.ExpiresAt
	for _, change := range []func(in fixture.Tx) error{
		func(in fixture.Tx) error { return in.Identities.DeleteOf(in.Ctx, p.user.ID) },
		func(in fixture.Tx) error {
			_, err := in.Tickets.Take(in.Ctx, p.ticket.Kind, p.ticket.Hash)
			return err
		},
		func(in fixture.Tx) error { return in.Tickets.DeleteOf(in.Ctx, p.user.ID, p.ticket.Kind) },
		func(in fixture.Tx) error { return in.Tickets.Prune(in.Ctx, later) },
		func(in fixture.Tx) error { return in.APITokens.Touch(in.Ctx, p.token.ID, later) },
		func(in fixture.Tx) error {
			_, err := in.APITokens.Delete(in.Ctx, p.user.ID, p.token.ID)
			return err
		},
		func(in fixture.Tx) error { return in.APITokens.DeleteOf(in.Ctx, p.user.ID) },
		func(in fixture.Tx) error {
			_, err := in.Subscriptions.Put(in.Ctx, core.Subscription{ID: core.NewID(), UserID: p.user.ID, Kind: p.subscription.Kind})
			return err
		},
		func(in fixture.Tx) error { return in.Subscriptions.Delete(in.Ctx, p.user.ID, p.subscription.ID) },
		func(in fixture.Tx) error { return in.Members.Remove(in.Ctx, p.workspace.ID, p.user.ID) },
		func(in fixture.Tx) error {
			return in.Invites.Create(in.Ctx, core.Invite{ID: core.NewID(), WorkspaceID: p.workspace.ID, Email: p.invite.Email})
		},
		func(in fixture.Tx) error { return in.Invites.Delete(in.Ctx, p.invite.ID) },
		func(in fixture.Tx) error { return in.Invites.Prune(in.Ctx, later) },
	} {
		err := s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
			s.Must(change(in))
			return fixture.ErrStop
		}))
		s.Want(err, nil, fixture.ErrStop)
	}
	s.wantPerson(p)
}

func peopleGoOn(s testCase) {
	p, other := s.person(), s.person()
	next := s.newTicket(p.user.ID)
	s.Must(s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
		s.WantCode(in.Identities.Create(in.Ctx, p.identity), core.CodeConflict)
		s.WantCode(in.Tickets.Create(in.Ctx, p.ticket), core.CodeConflict)
		s.WantCode(in.APITokens.Create(in.Ctx, p.token), core.CodeConflict)
		replacing := p.invite
		replacing.ID, replacing.TokenHash = core.NewID(), other.invite.TokenHash
		s.WantCode(in.Invites.Create(in.Ctx, replacing), core.CodeConflict)
		_, err := in.Subscriptions.Update(in.Ctx, p.subscription.ID, func(stored *core.Subscription) error {
			stored.SealedKey[0] = 'x'
			return fixture.ErrStop
		})
		s.Want(err, nil, fixture.ErrStop)
		_, err = in.APITokens.Delete(in.Ctx, other.user.ID, p.token.ID)
		s.WantCode(err, core.CodeNotFound)
		return in.Tickets.Create(in.Ctx, next)
	})))
	s.wantPerson(p)
	s.wantPerson(other)
	got, err := s.Tickets.Take(s.Context(), next.Kind, next.Hash)
	s.Want(got, err, next)
}

func peopleEnded(s testCase) {
	p := s.person()
	for call, err := range s.peopleCalls(s.Ended(), p) {
		if !core.IsCode(err, core.CodeUnavailable) || !errors.Is(err, context.Canceled) {
			s.Errorf("%s: got %v, want code %s with the context's error as its cause", call, err, core.CodeUnavailable)
		}
	}
	s.wantPerson(p)
}

// peopleCalls does everything with the person's records and returns the errors.
func (s testCase) peopleCalls(ctx context.Context, p person) map[string]error {
	user, workspace, later := p.user.ID, p.workspace.ID, p.invite.ExpiresAt+p.ticket.ExpiresAt
	calls := map[string]error{}
	calls["Identities.Create"] = s.Identities.Create(ctx, s.newIdentity(user))
	_, calls["Identities.Find"] = s.Identities.Find(ctx, p.identity.Provider, p.identity.Subject)
	_, calls["Identities.OfUser"] = s.Identities.OfUser(ctx, user)
	calls["Identities.DeleteAt"] = s.Identities.DeleteAt(ctx, user, core.IdentityGitHub)
	calls["Identities.DeleteOf"] = s.Identities.DeleteOf(ctx, user)
	calls["Tickets.Create"] = s.Tickets.Create(ctx, s.newTicket(user))
	_, calls["Tickets.Take"] = s.Tickets.Take(ctx, p.ticket.Kind, p.ticket.Hash)
	calls["Tickets.DeleteOf"] = s.Tickets.DeleteOf(ctx, user, p.ticket.Kind)
	calls["Tickets.Prune"] = s.Tickets.Prune(ctx, later)
	calls["Sessions.Create"] = s.Sessions.Create(ctx, s.newSession(user))
	_, calls["Sessions.ByID"] = s.Sessions.ByID(ctx, core.NewID())
	_, calls["Sessions.Update"] = s.Sessions.Update(ctx, core.NewID(), func(*core.Session) error { return nil })
	_, calls["Sessions.Standing"] = s.Sessions.Standing(ctx, user, "")
	_, calls["Sessions.Known"] = s.Sessions.Known(ctx, user, "", "")
	calls["Sessions.DeleteOf"] = s.Sessions.DeleteOf(ctx, user)
	calls["Sessions.Prune"] = s.Sessions.Prune(ctx, later)
	calls["APITokens.Create"] = s.APITokens.Create(ctx, s.newToken(user))
	_, calls["APITokens.ByHash"] = s.APITokens.ByHash(ctx, p.token.TokenHash)
	_, calls["APITokens.List"] = s.APITokens.List(ctx, user)
	calls["APITokens.Touch"] = s.APITokens.Touch(ctx, p.token.ID, later)
	_, calls["APITokens.Delete"] = s.APITokens.Delete(ctx, user, p.token.ID)
	calls["APITokens.DeleteOf"] = s.APITokens.DeleteOf(ctx, user)
	_, calls["Subscriptions.Put"] = s.Subscriptions.Put(ctx, s.newSubscription(user))
	_, calls["Subscriptions.List"] = s.Subscriptions.List(ctx, user)
	_, calls["Subscriptions.Update"] = s.Subscriptions.Update(ctx, p.subscription.ID, func(*core.Subscription) error { return nil })
	calls["Subscriptions.Delete"] = s.Subscriptions.Delete(ctx, user, p.subscription.ID)
	_, calls["Members.List"] = s.Members.List(ctx, workspace)
	_, calls["Members.ByID"] = s.Members.ByID(ctx, workspace, user)
	calls["Members.Remove"] = s.Members.Remove(ctx, workspace, user)
	_, calls["Members.Owners"] = s.Members.Owners(ctx, workspace)
	calls["Invites.Create"] = s.Invites.Create(ctx, s.newInvite(workspace))
	_, calls["Invites.ByID"] = s.Invites.ByID(ctx, p.invite.ID)
	_, calls["Invites.ByHash"] = s.Invites.ByHash(ctx, p.invite.TokenHash)
	calls["Invites.SetLink"] = s.Invites.SetLink(ctx, p.invite.ID, core.HashSecret(core.NewSecret()))
	_, calls["Invites.List"] = s.Invites.List(ctx, storage.InviteFilter{WorkspaceID: workspace})
	calls["Invites.Delete"] = s.Invites.Delete(ctx, p.invite.ID)
	calls["Invites.Prune"] = s.Invites.Prune(ctx, later)
	return calls
}
