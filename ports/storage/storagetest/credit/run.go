// Package credit tests the cost of model calls and the spending of runs against the port: Usage,
// CreditHolds and the money of Runs.
package credit

import (
	"testing"

	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

// Run tests the repositories against the port. open returns an empty store for one subtest,
// and closes it when that ends.
func Run(t *testing.T, open func(t *testing.T) storage.Store) {
	fixture.Run(t, open,
		usageClauses(),
		creditClauses(),
		spendingClauses(),
		holdClauses(),
	)
}

// testCase is a store to test, with the means to fill it that this package needs.
type testCase struct{ *fixture.Case }

type clause = fixture.Clause[testCase]
