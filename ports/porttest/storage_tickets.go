package porttest

import "github.com/atelierhq/atelier/core"

func storageTicketClauses() []storageClause {
	return []storageClause{
		{"a ticket is taken as it was stored, once", ticketTaken},
		{"a ticket that is not there is not found", ticketNotFound},
		{"a ticket that has lapsed is taken too", ticketLapsed},
		{"a kind and hash in use are a conflict", ticketInUse},
		{"of parallel makers of one ticket one succeeds", ticketMadeInParallel},
		{"of parallel takers of a ticket one gets it", ticketTakenInParallel},
		{"of parallel transactions that take a ticket one gets it", ticketTakenInTransactions},
		{"a ticket belongs to a user if it names one", ticketOfNothing},
		{"deleting a user's tickets of a kind leaves the others", ticketsDelete},
		{"pruning removes the tickets that expired before the time", ticketsPrune},
		{"a ticket's text is storable", ticketText},
	}
}

func (s *storageCase) newTicket(user core.ID) core.Ticket {
	return core.Ticket{
		Kind: core.TicketPasswordReset, Hash: core.HashSecret(core.NewSecret()), UserID: user, ExpiresAt: s.now() + 1000,
	}
}

func (s *storageCase) ticket(user core.ID, alter ...func(*core.Ticket)) core.Ticket {
	s.Helper()
	ticket := s.newTicket(user)
	for _, alter := range alter {
		alter(&ticket)
	}
	s.must(s.Tickets.Create(s.Context(), ticket))
	return ticket
}

// taken reports whether each of the tickets is still there, by taking it.
func (s *storageCase) taken(tickets ...core.Ticket) []bool {
	s.Helper()
	there := make([]bool, len(tickets))
	for i, ticket := range tickets {
		got, err := s.Tickets.Take(s.Context(), ticket.Kind, ticket.Hash)
		if err == nil {
			s.want(got, nil, ticket)
			there[i] = true
			continue
		}
		s.wantCode(err, core.CodeNotFound)
	}
	return there
}

func ticketTaken(s *storageCase) {
	user := s.user()
	of, without, other := s.ticket(user.ID), s.ticket(""), s.ticket(user.ID)
	for _, ticket := range []core.Ticket{of, without} {
		got, err := s.Tickets.Take(s.Context(), ticket.Kind, ticket.Hash)
		s.want(got, err, ticket)
		got, err = s.Tickets.Take(s.Context(), ticket.Kind, ticket.Hash)
		s.wantCode(err, core.CodeNotFound)
		s.want(got, nil, core.Ticket{})
	}
	s.want(s.taken(other), nil, []bool{true})
}

func ticketNotFound(s *storageCase) {
	ticket := s.ticket(s.user().ID, func(t *core.Ticket) { t.Hash = "Hash" })
	for _, key := range []core.Ticket{
		{Kind: ticket.Kind, Hash: "hash"},
		{Kind: ticket.Kind, Hash: "Hash "},
		{Kind: ticket.Kind},
		{Kind: core.TicketOAuthState, Hash: "Hash"},
		{Kind: ticket.Kind, Hash: unstorable[0]},
		{Kind: core.TicketKind(unstorable[1]), Hash: "Hash"},
	} {
		_, err := s.Tickets.Take(s.Context(), key.Kind, key.Hash)
		s.wantCode(err, core.CodeNotFound)
	}
	s.want(s.taken(ticket), nil, []bool{true})
}

func ticketLapsed(s *storageCase) {
	lapsed := s.ticket(s.user().ID, func(t *core.Ticket) { t.ExpiresAt = 1 })
	got, err := s.Tickets.Take(s.Context(), lapsed.Kind, lapsed.Hash)
	s.want(got, err, lapsed)
}

func ticketInUse(s *storageCase) {
	user := s.user()
	ticket := s.ticket(user.ID)
	for _, by := range []core.ID{user.ID, s.user().ID, ""} {
		again := ticket
		again.UserID, again.ExpiresAt = by, s.now()
		s.wantCode(s.Tickets.Create(s.Context(), again), core.CodeConflict)
	}
	state := s.ticket("", func(t *core.Ticket) { t.Kind, t.Hash = core.TicketOAuthState, ticket.Hash })
	s.wantCode(s.Tickets.Create(s.Context(), state), core.CodeConflict)
	s.want(s.taken(ticket, state), nil, []bool{true, true})
	s.must(s.Tickets.Create(s.Context(), ticket))
}

func ticketMadeInParallel(s *storageCase) {
	ticket := s.newTicket("")
	s.oneOf(16, core.CodeConflict, func(int) error { return s.Tickets.Create(s.Context(), ticket) })
	s.want(s.taken(ticket), nil, []bool{true})
}

func ticketTakenInParallel(s *storageCase) {
	user := s.user()
	for range 4 {
		ticket := s.ticket(user.ID)
		got := make([]core.Ticket, 16)
		winner := s.oneOf(len(got), core.CodeNotFound, func(i int) (err error) {
			got[i], err = s.Tickets.Take(s.Context(), ticket.Kind, ticket.Hash)
			return err
		})
		s.want(got[winner], nil, ticket)
	}
}

func ticketTakenInTransactions(s *storageCase) {
	ticket := s.ticket(s.user().ID)
	s.oneOf(16, core.CodeNotFound, func(int) error {
		return s.store.InTx(s.Context(), inTx(func(in storageTx) error {
			_, err := in.Tickets.Take(in.ctx, ticket.Kind, ticket.Hash)
			return err
		}))
	})
}

func ticketOfNothing(s *storageCase) {
	orphan := s.newTicket(core.NewID())
	s.wantCode(s.Tickets.Create(s.Context(), orphan), core.CodeNotFound)
	s.want(s.taken(orphan), nil, []bool{false})
}

func ticketsDelete(s *storageCase) {
	user, other := s.user(), s.user()
	asState := func(t *core.Ticket) { t.Kind = core.TicketOAuthState }
	first, second, state := s.ticket(user.ID), s.ticket(user.ID), s.ticket(user.ID, asState)
	foreign, nobodys := s.ticket(other.ID), s.ticket("")
	for range 2 {
		s.must(s.Tickets.DeleteOf(s.Context(), user.ID, core.TicketPasswordReset))
	}
	for _, id := range []core.ID{core.NewID(), "", core.ID(unstorable[0])} {
		s.must(s.Tickets.DeleteOf(s.Context(), id, core.TicketPasswordReset))
	}
	s.must(s.Tickets.DeleteOf(s.Context(), other.ID, core.TicketKind(unstorable[1])))
	s.want(s.taken(first, second, state, foreign, nobodys), nil, []bool{false, false, true, true, true})
}

func ticketsPrune(s *storageCase) {
	user := s.user()
	expiring := func(at core.Time) func(*core.Ticket) {
		return func(t *core.Ticket) { t.ExpiresAt = at }
	}
	old, nobodys := s.ticket(user.ID, expiring(99)), s.ticket("", expiring(1))
	edge, late := s.ticket(user.ID, expiring(100)), s.ticket("", expiring(101))
	for range 2 {
		s.must(s.Tickets.Prune(s.Context(), 100))
	}
	s.want(s.taken(old, nobodys, edge, late), nil, []bool{false, false, true, true})
}

func ticketText(s *storageCase) {
	for _, text := range unstorable {
		for _, alter := range []func(*core.Ticket){
			func(t *core.Ticket) { t.Kind = core.TicketKind(text) },
			func(t *core.Ticket) { t.Hash = text },
			func(t *core.Ticket) { t.UserID = core.ID(text) },
		} {
			ticket := s.newTicket(s.user().ID)
			alter(&ticket)
			s.wantCode(s.Tickets.Create(s.Context(), ticket), core.CodeValidationFailed)
		}
	}
}
