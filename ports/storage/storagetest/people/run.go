// Package people tests users, their ways to sign in, their memberships and their invitations
// against the port: Users, Identities, Tickets, Sessions, APITokens, Subscriptions, Members,
// Invites, InstanceSettings, InstanceInvites and Roster.
package people

import (
	"testing"

	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

// Run tests the repositories against the port. open returns an empty store for one subtest,
// and closes it when that ends.
func Run(t *testing.T, open func(t *testing.T) storage.Store) {
	fixture.Run(t, open,
		userClauses(),
		identityClauses(),
		ticketClauses(),
		sessionClauses(),
		tokenClauses(),
		subscriptionClauses(),
		memberClauses(),
		inviteClauses(),
		peopleClauses(),
		instanceClauses(),
	)
}

// testCase is a store to test, with the means to fill it that this package needs.
type testCase struct{ *fixture.Case }

type clause = fixture.Clause[testCase]
