package porttest

import (
	"context"
	"errors"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// storagePeopleClauses hold the repositories of people to their port.
func storagePeopleClauses() []storageClause {
	return slices.Concat(
		storageIdentityClauses(), storageTicketClauses(), storageSessionClauses(), storageTokenClauses(),
		storageSubscriptionClauses(), storageMemberClauses(), storageInviteClauses(),
		[]storageClause{
			{"a rollback brings back what was taken, deleted and replaced", peopleRollBack},
			{"after a failed call on people's records a transaction goes on without a trace of it", peopleGoOn},
			{"no call on people's records outlives its context", peopleEnded},
		},
	)
}

// storagePerson is a user with one of everything, in a workspace with an invite.
type storagePerson struct {
	user         core.User
	workspace    core.Workspace
	identity     core.Identity
	ticket       core.Ticket
	token        core.APIToken
	subscription core.Subscription
	invite       core.Invite
}

func (s *storageCase) person() storagePerson {
	s.Helper()
	p := storagePerson{workspace: s.workspace()}
	p.user = s.member(p.workspace.ID, core.RoleOwner)
	p.identity = s.identity(p.user.ID)
	p.ticket = s.ticket(p.user.ID)
	p.token = s.token(p.user.ID)
	p.subscription = s.subscription(p.user.ID)
	p.invite = s.invite(p.workspace.ID)
	return p
}

// wantPerson holds everything of a person to what is stored. It takes the ticket.
func (s *storageCase) wantPerson(p storagePerson) {
	s.Helper()
	ctx := s.Context()
	identities, err := s.Identities.OfUser(ctx, p.user.ID)
	s.want(identities, err, []core.Identity{p.identity})
	tokens, err := s.APITokens.List(ctx, p.user.ID)
	s.want(tokens, err, []core.APIToken{p.token})
	subscriptions, err := s.Subscriptions.List(ctx, p.user.ID)
	s.want(subscriptions, err, []core.Subscription{p.subscription})
	invites, err := s.Invites.List(ctx, storage.InviteFilter{WorkspaceID: p.workspace.ID})
	s.want(invites, err, []core.Invite{p.invite})
	owners, err := s.Members.Owners(ctx, p.workspace.ID)
	s.want(owners, err, 1)
	ticket, err := s.Tickets.Take(ctx, p.ticket.Kind, p.ticket.Hash)
	s.want(ticket, err, p.ticket)
}

func peopleRollBack(s *storageCase) {
	p := s.person()
	later := p.invite.ExpiresAt + p.ticket.ExpiresAt
	for _, change := range []func(in storageTx) error{
		func(in storageTx) error { return in.Identities.DeleteOf(in.ctx, p.user.ID) },
		func(in storageTx) error {
			_, err := in.Tickets.Take(in.ctx, p.ticket.Kind, p.ticket.Hash)
			return err
		},
		func(in storageTx) error { return in.Tickets.DeleteOf(in.ctx, p.user.ID, p.ticket.Kind) },
		func(in storageTx) error { return in.Tickets.Prune(in.ctx, later) },
		func(in storageTx) error { return in.APITokens.Touch(in.ctx, p.token.ID, later) },
		func(in storageTx) error {
			_, err := in.APITokens.Delete(in.ctx, p.user.ID, p.token.ID)
			return err
		},
		func(in storageTx) error { return in.APITokens.DeleteOf(in.ctx, p.user.ID) },
		func(in storageTx) error {
			_, err := in.Subscriptions.Put(in.ctx, core.Subscription{ID: core.NewID(), UserID: p.user.ID, Kind: p.subscription.Kind})
			return err
		},
		func(in storageTx) error { return in.Subscriptions.Delete(in.ctx, p.user.ID, p.subscription.ID) },
		func(in storageTx) error { return in.Members.Remove(in.ctx, p.workspace.ID, p.user.ID) },
		func(in storageTx) error {
			return in.Invites.Create(in.ctx, core.Invite{ID: core.NewID(), WorkspaceID: p.workspace.ID, Email: p.invite.Email})
		},
		func(in storageTx) error { return in.Invites.Delete(in.ctx, p.invite.ID) },
		func(in storageTx) error { return in.Invites.Prune(in.ctx, later) },
	} {
		err := s.store.InTx(s.Context(), inTx(func(in storageTx) error {
			s.must(change(in))
			return errStop
		}))
		s.want(err, nil, errStop)
	}
	s.wantPerson(p)
}

func peopleGoOn(s *storageCase) {
	p, other := s.person(), s.person()
	next := s.newTicket(p.user.ID)
	s.must(s.store.InTx(s.Context(), inTx(func(in storageTx) error {
		s.wantCode(in.Identities.Create(in.ctx, p.identity), core.CodeConflict)
		s.wantCode(in.Tickets.Create(in.ctx, p.ticket), core.CodeConflict)
		s.wantCode(in.APITokens.Create(in.ctx, p.token), core.CodeConflict)
		replacing := p.invite
		replacing.ID, replacing.TokenHash = core.NewID(), other.invite.TokenHash
		s.wantCode(in.Invites.Create(in.ctx, replacing), core.CodeConflict)
		_, err := in.Subscriptions.Update(in.ctx, p.subscription.ID, func(stored *core.Subscription) error {
			stored.SealedKey[0] = 'x'
			return errStop
		})
		s.want(err, nil, errStop)
		_, err = in.APITokens.Delete(in.ctx, other.user.ID, p.token.ID)
		s.wantCode(err, core.CodeNotFound)
		return in.Tickets.Create(in.ctx, next)
	})))
	s.wantPerson(p)
	s.wantPerson(other)
	got, err := s.Tickets.Take(s.Context(), next.Kind, next.Hash)
	s.want(got, err, next)
}

func peopleEnded(s *storageCase) {
	p := s.person()
	for call, err := range s.peopleCalls(s.ended(), p) {
		if !core.IsCode(err, core.CodeUnavailable) || !errors.Is(err, context.Canceled) {
			s.Errorf("%s: got %v, want code %s with the context's error as its cause", call, err, core.CodeUnavailable)
		}
	}
	s.wantPerson(p)
}

// peopleCalls does everything with the person's records and returns the errors.
func (s *storageCase) peopleCalls(ctx context.Context, p storagePerson) map[string]error {
	user, workspace, later := p.user.ID, p.workspace.ID, p.invite.ExpiresAt+p.ticket.ExpiresAt
	calls := map[string]error{}
	calls["Identities.Create"] = s.Identities.Create(ctx, s.newIdentity(user))
	_, calls["Identities.Find"] = s.Identities.Find(ctx, p.identity.Provider, p.identity.Subject)
	_, calls["Identities.OfUser"] = s.Identities.OfUser(ctx, user)
	calls["Identities.DeleteOf"] = s.Identities.DeleteOf(ctx, user)
	calls["Tickets.Create"] = s.Tickets.Create(ctx, s.newTicket(user))
	_, calls["Tickets.Take"] = s.Tickets.Take(ctx, p.ticket.Kind, p.ticket.Hash)
	calls["Tickets.DeleteOf"] = s.Tickets.DeleteOf(ctx, user, p.ticket.Kind)
	calls["Tickets.Prune"] = s.Tickets.Prune(ctx, later)
	calls["Sessions.Create"] = s.Sessions.Create(ctx, s.newSession(user))
	_, calls["Sessions.ByID"] = s.Sessions.ByID(ctx, core.NewID())
	_, calls["Sessions.Update"] = s.Sessions.Update(ctx, core.NewID(), func(*core.Session) error { return nil })
	_, calls["Sessions.Standing"] = s.Sessions.Standing(ctx, user, "")
	_, calls["Sessions.Known"] = s.Sessions.Known(ctx, user, "")
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

// storageAge is what a list is sorted by.
type storageAge struct {
	id core.ID
	at core.Time
}

// ages returns four ages, the oldest first: two of one time, which their ids tell
// apart, and one whose id alone would put it last.
func (s *storageCase) ages() []storageAge {
	ids := []core.ID{core.NewID(), core.NewID(), core.NewID(), core.NewID()}
	slices.Sort(ids)
	at := s.now()
	return []storageAge{{ids[3], 1}, {ids[0], at}, {ids[1], at}, {ids[2], at + 1}}
}

// oneOf runs do n times at once, holds all but one to the code of those who come
// too late, and returns which one succeeded.
func (s *storageCase) oneOf(n int, late core.Code, do func(i int) error) (winner int) {
	s.Helper()
	errs := make([]error, n)
	together(n, func(i int) { errs[i] = do(i) })
	won := 0
	for i, err := range errs {
		if err == nil {
			winner = i
			won++
			continue
		}
		s.wantCode(err, late)
	}
	if won != 1 {
		s.Fatalf("got %d of %d parallel calls that succeeded, want 1", won, n)
	}
	return winner
}
