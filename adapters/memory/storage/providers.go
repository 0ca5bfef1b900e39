package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type providers struct{ records records[core.Provider] }

func providersOf(session conn) records[core.Provider] {
	return records[core.Provider]{
		session: session,
		noun:    "provider",
		table:   func(s *database) *table[core.ID, core.Provider] { return &s.providers },
		id:      func(p core.Provider) core.ID { return p.ID },
		copy: func(p core.Provider) core.Provider {
			p.BaseURL, p.DefaultModel, p.KeyHint = copyOf(p.BaseURL), copyOf(p.DefaultModel), copyOf(p.KeyHint)
			p.Capabilities, p.SealedKey = copyOf(p.Capabilities), slices.Clone(p.SealedKey)
			return p
		},
		pin:   func(p *core.Provider, before core.Provider) { p.ID, p.CreatedAt = before.ID, before.CreatedAt },
		check: checkProvider,
	}
}

// checkProvider also removes the default flag from the workspace's other providers.
func checkProvider(s *database, provider core.Provider) error {
	if !s.workspaces.has(provider.WorkspaceID) {
		return core.NotFound("workspace")
	}
	if !provider.IsDefault {
		return nil
	}
	for id, other := range s.providers.rows {
		if other.WorkspaceID == provider.WorkspaceID && other.IsDefault && id != provider.ID {
			other.IsDefault = false
			s.providers.edit(s)[id] = other
		}
	}
	return nil
}

// Create implements storage.Providers.
func (p providers) Create(ctx context.Context, provider core.Provider) error {
	return p.records.create(ctx, provider)
}

// ByID implements storage.Providers.
func (p providers) ByID(ctx context.Context, id core.ID) (core.Provider, error) {
	return p.records.byID(ctx, id)
}

// List implements storage.Providers.
func (p providers) List(ctx context.Context, workspace core.ID) ([]core.Provider, error) {
	ofWorkspace := func(provider core.Provider) bool { return provider.WorkspaceID == workspace }
	return p.records.list(ctx, ofWorkspace, func(a, b core.Provider) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// Update implements storage.Providers.
func (p providers) Update(ctx context.Context, id core.ID, change func(*core.Provider) error) (core.Provider, error) {
	return p.records.update(ctx, id, change)
}

// Delete implements storage.Providers.
func (p providers) Delete(ctx context.Context, id core.ID) error {
	return p.records.delete(ctx, id, func(state *database, id core.ID) { delete(state.providers.edit(state), id) })
}

type usageKey struct {
	workspace  core.ID
	day, model string
}

type usage struct{ session conn }

// Add implements storage.Usage.
func (u usage) Add(ctx context.Context, workspace core.ID, row core.UsageRow) error {
	if err := storage.CheckText(row); err != nil {
		return err
	}
	return u.session.change(ctx, func(state *database) error {
		if !state.workspaces.has(workspace) {
			return core.NotFound("workspace")
		}
		key := usageKey{workspace, row.Day, row.Model}
		sum := state.usage.rows[key]
		row.InputTokens += sum.InputTokens
		row.CachedTokens += sum.CachedTokens
		row.OutputTokens += sum.OutputTokens
		row.Cost += sum.Cost
		state.usage.edit(state)[key] = row
		return nil
	})
}

// Charge implements storage.Usage.
func (u usage) Charge(ctx context.Context, users []core.ID, cost float64) error {
	return u.session.change(ctx, func(state *database) error {
		for _, user := range slices.Compact(slices.Sorted(slices.Values(users))) {
			if !storage.Storable(string(user)) {
				return core.NotFound("user")
			}
			state.charged.edit(state)[user] += cost
		}
		return nil
	})
}

// Charged implements storage.Usage.
func (u usage) Charged(ctx context.Context, user core.ID) (float64, error) {
	state, err := u.session.view(ctx)
	if err != nil {
		return 0, err
	}
	return state.charged.rows[user], nil
}

// List implements storage.Usage.
func (u usage) List(ctx context.Context, workspace core.ID) ([]core.UsageRow, error) {
	state, err := u.session.view(ctx)
	if err != nil {
		return nil, err
	}
	var rows []core.UsageRow
	for key, row := range state.usage.rows {
		if key.workspace == workspace {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b core.UsageRow) int {
		return cmp.Or(cmp.Compare(b.Day, a.Day), cmp.Compare(a.Model, b.Model))
	})
	return rows, nil
}
