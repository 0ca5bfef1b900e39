package people

import (
	"github.com/atelierhq/atelier/core"

	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func ticketClauses() []clause {
	return []clause{
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

func (s testCase) newTicket(user core.ID) core.Ticket {
	return core.Ticket{
		Kind: core.TicketPasswordReset, Hash: core.HashSecret(core.NewSecret()), UserID: user, Address: "ada@example.com", ExpiresAt: s.Now() + 1000,
	}
}

func (s testCase) ticket(user core.ID, alter ...func(*core.Ticket)) core.Ticket {
	s.Helper()
	ticket := s.newTicket(user)
	for _, alter := range alter {
		alter(&ticket)
	}
	s.Must(s.Tickets.Create(s.Context(), ticket))
	return ticket
}

// taken reports whether each of the tickets is still there, by taking it.
func (s testCase) taken(tickets ...core.Ticket) []bool {
	s.Helper()
	there := make([]bool, len(tickets))
	for i, ticket := range tickets {
		got, err := s.Tickets.Take(s.Context(), ticket.Kind, ticket.Hash)
		if err == nil {
			s.Want(got, nil, ticket)
			there[i] = true
			continue
		}
		s.WantCode(err, core.CodeNotFound)
	}
	return there
}

func ticketTaken(s testCase) {
	user := s.User()
	of, without, other := s.ticket(user.ID), s.ticket(""), s.ticket(user.ID)
	step := s.ticket(user.ID, func(t *core.Ticket) {
		t.Kind, t.Address, t.Proof, t.Version, t.Wrong = core.TicketSecondFactor, "", "password", 7, 4
	})
	for _, ticket := range []core.Ticket{of, without, step} {
		got, err := s.Tickets.Take(s.Context(), ticket.Kind, ticket.Hash)
		s.Want(got, err, ticket)
		got, err = s.Tickets.Take(s.Context(), ticket.Kind, ticket.Hash)
		s.WantCode(err, core.CodeNotFound)
		s.Want(got, nil, core.Ticket{})
	}
	s.Want(s.taken(other), nil, []bool{true})
}

func ticketNotFound(s testCase) {
	ticket := s.ticket(s.User().ID, func(t *core.Ticket) { t.Hash = "Hash" })
	for _, key := range []core.Ticket{
		{Kind: ticket.Kind, Hash: "hash"},
		{Kind: ticket.Kind, Hash: "Hash "},
		{Kind: ticket.Kind},
		{Kind: core.TicketOAuthState, Hash: "Hash"},
		{Kind: ticket.Kind, Hash: fixture.Unstorable()[0]},
		{Kind: core.TicketKind(fixture.Unstorable()[1]), Hash: "Hash"},
	} {
		_, err := s.Tickets.Take(s.Context(), key.Kind, key.Hash)
		s.WantCode(err, core.CodeNotFound)
	}
	s.Want(s.taken(ticket), nil, []bool{true})
}

func ticketLapsed(s testCase) {
	lapsed := s.ticket(s.User().ID, func(t *core.Ticket) { t.ExpiresAt = 1 })
	got, err := s.Tickets.Take(s.Context(), lapsed.Kind, lapsed.Hash)
	s.Want(got, err, lapsed)
}

func ticketInUse(s testCase) {
	user := s.User()
	ticket := s.ticket(user.ID)
	for _, by := range []core.ID{user.ID, s.User().ID, ""} {
		again := ticket
		again.UserID, again.ExpiresAt = by, s.Now()
		s.WantCode(s.Tickets.Create(s.Context(), again), core.CodeConflict)
	}
	state := s.ticket("", func(t *core.Ticket) { t.Kind, t.Hash = core.TicketOAuthState, ticket.Hash })
	s.WantCode(s.Tickets.Create(s.Context(), state), core.CodeConflict)
	s.Want(s.taken(ticket, state), nil, []bool{true, true})
	s.Must(s.Tickets.Create(s.Context(), ticket))
}

func ticketMadeInParallel(s testCase) {
	ticket := s.newTicket("")
	s.OneOf(16, core.CodeConflict, func(int) error { return s.Tickets.Create(s.Context(), ticket) })
	s.Want(s.taken(ticket), nil, []bool{true})
}

func ticketTakenInParallel(s testCase) {
	user := s.User()
	for range 4 {
		ticket := s.ticket(user.ID)
		got := make([]core.Ticket, 16)
		winner := s.OneOf(len(got), core.CodeNotFound, func(i int) (err error) {
			got[i], err = s.Tickets.Take(s.Context(), ticket.Kind, ticket.Hash)
			return err
		})
		s.Want(got[winner], nil, ticket)
	}
}

func ticketTakenInTransactions(s testCase) {
	ticket := s.ticket(s.User().ID)
	s.OneOf(16, core.CodeNotFound, func(int) error {
		return s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
			_, err := in.Tickets.Take(in.Ctx, ticket.Kind, ticket.Hash)
			return err
		}))
	})
}

func ticketOfNothing(s testCase) {
	orphan := s.newTicket(core.NewID())
	s.WantCode(s.Tickets.Create(s.Context(), orphan), core.CodeNotFound)
	s.Want(s.taken(orphan), nil, []bool{false})
}

func ticketsDelete(s testCase) {
	user, other := s.User(), s.User()
	asState := func(t *core.Ticket) { t.Kind = core.TicketOAuthState }
	first, second, state := s.ticket(user.ID), s.ticket(user.ID), s.ticket(user.ID, asState)
	foreign, nobodys := s.ticket(other.ID), s.ticket("")
	for range 2 {
		s.Must(s.Tickets.DeleteOf(s.Context(), user.ID, core.TicketPasswordReset))
	}
	for _, id := range []core.ID{core.NewID(), "", core.ID(fixture.Unstorable()[0])} {
		s.Must(s.Tickets.DeleteOf(s.Context(), id, core.TicketPasswordReset))
	}
	s.Must(s.Tickets.DeleteOf(s.Context(), other.ID, core.TicketKind(fixture.Unstorable()[1])))
	s.Want(s.taken(first, second, state, foreign, nobodys), nil, []bool{false, false, true, true, true})
}

func ticketsPrune(s testCase) {
	user := s.User()
	expiring := func(at core.Time) func(*core.Ticket) {
		return func(t *core.Ticket) { t.ExpiresAt = at }
	}
	old, nobodys := s.ticket(user.ID, expiring(99)), s.ticket("", expiring(1))
	edge, late := s.ticket(user.ID, expiring(100)), s.ticket("", expiring(101))
	for range 2 {
		s.Must(s.Tickets.Prune(s.Context(), 100))
	}
	s.Want(s.taken(old, nobodys, edge, late), nil, []bool{false, false, true, true})
}

func ticketText(s testCase) {
	for _, text := range fixture.Unstorable() {
		for _, alter := range []func(*core.Ticket){
			func(t *core.Ticket) { t.Kind = core.TicketKind(text) },
			func(t *core.Ticket) { t.Hash = text },
			func(t *core.Ticket) { t.UserID = core.ID(text) },
			func(t *core.Ticket) { t.Proof = text },
		} {
			ticket := s.newTicket(s.User().ID)
			alter(&ticket)
			s.WantCode(s.Tickets.Create(s.Context(), ticket), core.CodeValidationFailed)
		}
	}
}
