// Package storagetest tests a storage.Store against its port: calls, transactions and the
// queue of mails here, the other repositories in the packages below.
package storagetest

import (
	"testing"

	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/storage/storagetest/chats"
	"github.com/atelierhq/atelier/ports/storage/storagetest/credit"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
	"github.com/atelierhq/atelier/ports/storage/storagetest/people"
	"github.com/atelierhq/atelier/ports/storage/storagetest/projects"
	"github.com/atelierhq/atelier/ports/storage/storagetest/rooms"
	"github.com/atelierhq/atelier/ports/storage/storagetest/workspaces"
)

// Run tests a storage.Store against its port. open returns an empty store for one subtest,
// and closes it when that ends.
func Run(t *testing.T, open func(t *testing.T) storage.Store) {
	fixture.Run(t, open, callClauses(), txClauses(), mailClauses())
	people.Run(t, open)
	workspaces.Run(t, open)
	projects.Run(t, open)
	chats.Run(t, open)
	credit.Run(t, open)
	rooms.Run(t, open)
}

// testCase is a store to test, with the means to fill it that this package needs.
type testCase struct{ *fixture.Case }

type clause = fixture.Clause[testCase]
