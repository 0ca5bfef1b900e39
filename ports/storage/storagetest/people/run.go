// Package people tests users, their ways to sign in, their memberships and their invitations
// against the port: Users, Factors, Passkeys, Identities, Tickets, Sessions, APITokens, Subscriptions,
// Members, Invites, InstanceSettings, InstanceInvites, Roster, CompanyProviders, GroupGrants,
// ProgramClients and ProgramGrants.
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
		factorClauses(),
		passkeyClauses(),
		identityClauses(),
		ticketClauses(),
		sessionClauses(),
		tokenClauses(),
		subscriptionClauses(),
		memberClauses(),
		inviteClauses(),
		peopleClauses(),
		instanceClauses(),
		companyClauses(),
		programClauses(),
	)
}

// testCase is a store to test, with the means to fill it that this package needs.
type testCase struct{ *fixture.Case }

type clause = fixture.Clause[testCase]
