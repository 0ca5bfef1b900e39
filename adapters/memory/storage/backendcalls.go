package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type backendCalls struct{ session conn }

// callList names one list of calls that is bounded by itself.
type callList struct {
	project core.ID
	env     core.DataEnv
	kind    core.CallKind
}

// Append implements storage.BackendCalls. Lists are replaced, never changed, because states share
// them.
func (c backendCalls) Append(ctx context.Context, calls []core.BackendCall) error {
	for _, call := range calls {
		if err := storage.CheckText(call); err != nil {
			return err
		}
	}
	return c.session.change(ctx, func(state *database) error {
		added := map[callList][]core.BackendCall{}
		for _, call := range calls {
			if state.projects.has(call.ProjectID) {
				in := callList{call.ProjectID, call.Env, call.Kind}
				call.Console = slices.Clone(call.Console)
				added[in] = append(added[in], call)
			}
		}
		for in, more := range added {
			state.calls.edit(state)[in] = joinCalls(state.calls.rows[in], more)
		}
		return nil
	})
}

// joinCalls returns the newest of two lists, each call once.
func joinCalls(old, more []core.BackendCall) []core.BackendCall {
	known := make(map[core.ID]bool, len(old))
	all := slices.Clone(old)
	for _, call := range old {
		known[call.ID] = true
	}
	for _, call := range more {
		if !known[call.ID] {
			known[call.ID] = true
			all = append(all, call)
		}
	}
	slices.SortFunc(all, newestCall)
	return all[:min(len(all), core.MaxBackendCalls)]
}

func newestCall(x, y core.BackendCall) int {
	return cmp.Or(cmp.Compare(y.CreatedAt, x.CreatedAt), cmp.Compare(y.ID, x.ID))
}

// List implements storage.BackendCalls.
func (c backendCalls) List(ctx context.Context, project core.ID, env core.DataEnv, filter storage.CallFilter, page core.Page) ([]core.BackendCall, error) {
	state, err := c.session.view(ctx)
	if err != nil {
		return nil, err
	}
	var found []core.BackendCall
	for _, kind := range []core.CallKind{core.CallRequest, core.CallFunction} {
		if filter.Kind != "" && filter.Kind != kind {
			continue
		}
		for _, call := range state.calls.rows[callList{project, env, kind}] {
			if (!filter.Failed || call.Failed()) && isBehind(call.CreatedAt, call.ID, page.Before) {
				call.Console = slices.Clone(call.Console)
				found = append(found, call)
			}
		}
	}
	slices.SortFunc(found, newestCall)
	return found[:min(len(found), max(0, page.Limit))], nil
}

// Prune implements storage.BackendCalls.
func (c backendCalls) Prune(ctx context.Context, before core.Time) error {
	return c.session.change(ctx, func(state *database) error {
		for in, calls := range state.calls.rows {
			kept := slices.DeleteFunc(slices.Clone(calls), func(call core.BackendCall) bool { return call.CreatedAt < before })
			switch {
			case len(kept) == 0:
				delete(state.calls.edit(state), in)
			case len(kept) < len(calls):
				state.calls.edit(state)[in] = kept
			}
		}
		return nil
	})
}
