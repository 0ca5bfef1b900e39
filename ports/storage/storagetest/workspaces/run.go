// Package workspaces tests workspaces and their settings against the port: Workspaces, Folders,
// Providers, PlatformProviders, Modes, Commands, Webhooks, WebhookDeliveries, Connectors, SharedTemplates, ProjectRemotes and
// Audit.
package workspaces

import (
	"testing"

	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

// Run tests the repositories against the port. open returns an empty store for one subtest,
// and closes it when that ends.
func Run(t *testing.T, open func(t *testing.T) storage.Store) {
	fixture.Run(t, open,
		workspaceClauses(),
		folderClauses(),
		providerClauses(),
		platformProviderClauses(),
		modeClauses(),
		commandClauses(),
		webhookClauses(),
		connectorClauses(),
		sharedTemplateClauses(),
		remoteClauses(),
		deliveryClauses(),
		auditClauses(),
	)
}

// testCase is a store to test, with the means to fill it that this package needs.
type testCase struct{ *fixture.Case }

type clause = fixture.Clause[testCase]
