package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// BackendCalls are the logs of projects' backends. They are deleted with their project.
type BackendCalls interface {
	// Append stores calls, at once or not at all, and removes the oldest ones of their
	// environments and kinds beyond core.MaxBackendCalls. Calls of projects that do not exist are
	// left out, and so are those whose id is stored already.
	Append(ctx context.Context, calls []core.BackendCall) error
	// List returns a page of an environment's calls, the newest first.
	List(ctx context.Context, project core.ID, env core.DataEnv, filter CallFilter, page core.Page) ([]core.BackendCall, error)
	// Prune removes the calls from before a time.
	Prune(ctx context.Context, before core.Time) error
}

// CallFilter narrows a list of calls. The zero value is every call.
type CallFilter struct {
	// Kind is the only kind, empty for all.
	Kind core.CallKind
	// Failed is whether to list only those that failed.
	Failed bool
}
