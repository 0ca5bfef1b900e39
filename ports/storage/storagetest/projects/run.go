// Package projects tests projects, their files and their addresses against the port: Projects,
// Files, Edits, Deployments, Environment, Thumbnails, Domains, SlugHolds, TestMails, Snapshots,
// AcceptedFindings, CheckOutcomes, VersionMarks, PreviewLinks, SiteSettings, SiteCounts, BackendCalls, SignInProviders,
// FunctionSchedules, Tasks, Comments and DataClaims.
package projects

import (
	"testing"

	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

// Run tests the repositories against the port. open returns an empty store for one subtest,
// and closes it when that ends.
func Run(t *testing.T, open func(t *testing.T) storage.Store) {
	fixture.Run(t, open,
		projectClauses(),
		listClauses(),
		searchClauses(),
		fileClauses(),
		editClauses(),
		deploymentClauses(),
		environmentClauses(),
		thumbnailClauses(),
		domainClauses(),
		slugHoldClauses(),
		testMailClauses(),
		snapshotClauses(),
		acceptedFindingClauses(),
		checkOutcomeClauses(),
		siteClauses(),
		versionMarkClauses(),
		previewLinkClauses(),
		functionScheduleClauses(),
		backendCallClauses(),
		signInProviderClauses(),
		dataClaimClauses(),
		taskClauses(),
		commentClauses(),
	)
}

// testCase is a store to test, with the means to fill it that this package needs.
type testCase struct{ *fixture.Case }

type clause = fixture.Clause[testCase]
