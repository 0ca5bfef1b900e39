package preview

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/builds"
)

// State is the state of a preview.
type State string

// The states of a preview. With StateError the last good build, if there is one,
// is still served.
const (
	StateStarting State = "starting"
	StateReady    State = "ready"
	StateError    State = "error"
)

// Runtime says which tools make a project's pages.
type Runtime = builds.Runtime

// Status is the status of a preview for people. Progress describes the progress until it
// answers, "" if unknown. Reason says why its runtime is not the usual one. Diagnostics
// is never nil. Warnings are about pages that work all the same.
type Status struct {
	URL         string            `json:"url"`
	Status      State             `json:"status"`
	Runtime     Runtime           `json:"runtime"`
	Reason      string            `json:"runtimeReason,omitzero"`
	Progress    string            `json:"progress,omitzero"`
	Diagnostics []core.Diagnostic `json:"diagnostics"`
	Warnings    []core.Diagnostic `json:"warnings,omitempty"`
}

// statuses puts the outcomes of builds into the form of the contract.
type statuses struct {
	addresses *addresses
	maker     Maker
}

// of returns the status of a project's preview, with the address for an audience.
func (s *statuses) of(ctx context.Context, project core.ID, audience Audience, at outcome) (Status, error) {
	url, err := s.addresses.url(ctx, project, audience)
	if err != nil {
		return Status{}, err
	}
	plan, err := s.maker.Plan(ctx, project)
	if err != nil {
		return Status{}, err
	}
	return Status{
		URL: url, Status: at.state(), Runtime: plan.Runtime, Reason: plan.Reason, Progress: at.note, Diagnostics: at.shown(), Warnings: at.warnings,
	}, nil
}
