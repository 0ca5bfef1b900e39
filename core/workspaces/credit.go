package workspaces

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/ports/storage"
)

// Meter guards the credit of a workspace for calls of a model.
func (p *Providers) Meter(workspace core.ID, choice chat.Choice) agent.Meter {
	return &meter{providers: p, workspace: workspace, model: choice.Model, price: priceOf(choice.Kind, choice.Model)}
}

// meter reserves what a call may cost before it is made, so that parallel calls
// together cannot overdraw the limit, and books what it did cost afterwards.
type meter struct {
	providers *Providers
	workspace core.ID
	model     string
	price     price
	// reserved is what the call under way holds, in USD.
	reserved float64
}

// Reserve implements agent.Meter. A call that costs nothing holds nothing, but a
// workspace without credit does not make it either.
func (m *meter) Reserve(ctx context.Context, atMost core.Usage) error {
	cost := m.price.of(atMost)
	workspaces := m.providers.Store.Tables().Workspaces
	if cost == 0 {
		workspace, err := workspaces.ByID(ctx, m.workspace)
		if err != nil {
			return err
		}
		return hold(&workspace, 0)
	}
	_, err := workspaces.Update(ctx, m.workspace, func(w *core.Workspace) error { return hold(w, cost) })
	if err == nil {
		m.reserved = cost
	}
	return err
}

// hold reserves cost of a workspace's credit, or returns
// core.CodeCreditExhausted. A call that may cost more than is left is allowed
// while nothing else is under way: the limit is then passed by one call's output
// at most.
func hold(w *core.Workspace, cost float64) error {
	if w.CreditLimit != nil {
		free := *w.CreditLimit - w.CreditUsed - w.CreditReserved
		if free <= 0 || free < cost && w.CreditReserved > 0 {
			return core.Errorf(core.CodeCreditExhausted, "the workspace has used up its credit of %.2f USD", *w.CreditLimit)
		}
	}
	w.CreditReserved += cost
	return nil
}

// Settle implements agent.Meter.
func (m *meter) Settle(ctx context.Context, used core.Usage) (float64, error) {
	cost, held := m.price.of(used), m.reserved
	m.reserved = 0
	day := m.providers.Now().UTC().Format("2006-01-02")
	err := m.providers.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		_, err := tables.Workspaces.Update(ctx, m.workspace, func(w *core.Workspace) error {
			w.CreditUsed += cost
			w.CreditReserved = max(0, w.CreditReserved-held)
			return nil
		})
		if err != nil || used == (core.Usage{}) {
			return err
		}
		return tables.Usage.Add(ctx, m.workspace, core.UsageRow{
			Day: day, Model: m.model, InputTokens: used.InputTokens, OutputTokens: used.OutputTokens, Cost: cost,
		})
	})
	return cost, err
}

// Usage returns the workspace, with its credit, and what it used by day and model.
func (p *Providers) Usage(ctx context.Context, by core.Actor, id core.ID) (core.Workspace, []core.UsageRow, error) {
	workspace, _, err := p.Gate.Workspace(ctx, by, core.ActionUsageRead, id)
	if err != nil {
		return core.Workspace{}, nil, err
	}
	rows, err := p.Store.Tables().Usage.List(ctx, id)
	return workspace, rows, err
}
