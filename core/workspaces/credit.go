package workspaces

import (
	"context"
	"math"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/ports/storage"
)

// Meter guards the credit of a run's workspace for calls of a model. What a person
// pays for is neither reserved, booked, nor kept from anybody by the workspace's
// limit.
func (p *Providers) Meter(run core.Run, choice chat.Choice) agent.Meter {
	if choice.Own {
		return ownMeter{}
	}
	return &meter{providers: p, run: run, model: choice.Model, price: p.Prices.of(choice.Kind, choice.Model)}
}

// RunLimit is what one run may cost at most, in USD; 0 is no limit.
type RunLimit float64

// meter reserves what a call may cost before it is made, so that parallel calls
// together cannot overdraw the limit, and books what it did cost afterwards. The
// run holds the reservation: when the process dies in between, whoever ends the run
// as interrupted gives it back.
type meter struct {
	providers *Providers
	run       core.Run
	model     string
	price     Price
	// holds says that the call under way has a reservation, and budget what it may
	// spend, in USD.
	holds  bool
	budget float64
}

// Reserve implements agent.Meter. A call that costs nothing holds nothing, but a
// workspace without credit does not make it either.
func (m *meter) Reserve(ctx context.Context, atMost core.Usage) error {
	cost := m.price.of(atMost)
	tables := m.providers.Store.Tables()
	if cost == 0 {
		m.budget = math.Inf(1)
		workspace, err := tables.Workspaces.ByID(ctx, m.run.WorkspaceID)
		if err != nil {
			return err
		}
		return allow(workspace, 0, 0)
	}
	left, err := m.leftOfRun(ctx)
	if err != nil {
		return err
	}
	err = tables.Runs.Hold(ctx, m.run.ID, cost, func(workspace core.Workspace, held float64) error {
		m.budget = min(left, free(workspace, held))
		return allow(workspace, held, cost)
	})
	m.holds = err == nil
	return err
}

// leftOfRun is what the run may still spend, in USD. It returns
// core.CodeCreditExhausted when that is nothing.
func (m *meter) leftOfRun(ctx context.Context) (float64, error) {
	limit := float64(m.providers.RunLimit)
	if limit <= 0 {
		return math.Inf(1), nil
	}
	run, err := m.providers.Store.Tables().Runs.ByID(ctx, m.run.ID)
	if err == nil && run.Spent >= limit {
		err = core.Errorf(core.CodeCreditExhausted, "this run has used up the %.2f USD that one message may cost: write again to let it go on", limit)
	}
	return limit - run.Spent, err
}

// Within implements agent.Meter.
func (m *meter) Within(soFar core.Usage) error {
	if m.price.of(soFar) <= m.budget {
		return nil
	}
	return core.Errorf(core.CodeCreditExhausted, "the credit was used up while the model answered, so its answer was cut off")
}

// free is what a workspace has left beside what other calls hold, in USD.
func free(workspace core.Workspace, held float64) float64 {
	if workspace.CreditLimit == nil {
		return math.Inf(1)
	}
	return *workspace.CreditLimit - workspace.CreditUsed - held
}

// allow returns core.CodeCreditExhausted when a call of at most this cost, in USD,
// cannot be paid for beside what other calls hold. A call that may cost more than
// is left is allowed while nothing else is under way: the limit is then passed by
// one call's output at most.
func allow(workspace core.Workspace, held, cost float64) error {
	left := free(workspace, held)
	if left <= 0 || left < cost && held > 0 {
		return core.Errorf(core.CodeCreditExhausted, "the workspace has used up its credit of %.2f USD", *workspace.CreditLimit)
	}
	return nil
}

// Settle implements agent.Meter. What the call held becomes what it cost in one
// step. The run may be gone by then, with its chat; what it cost is booked all the
// same.
func (m *meter) Settle(ctx context.Context, used core.Usage) (float64, error) {
	cost := m.price.of(used)
	row := core.UsageRow{
		Day: m.providers.Now().UTC().Format("2006-01-02"), Model: m.model,
		InputTokens: used.InputTokens, OutputTokens: used.OutputTokens, Cost: cost,
	}
	err := m.providers.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if used != (core.Usage{}) {
			if err := book(ctx, tables, m.run.WorkspaceID, row); err != nil {
				return err
			}
		}
		if !m.holds {
			return nil
		}
		_, err := tables.Runs.Update(ctx, m.run.ID, func(run *core.Run) error {
			run.CreditHeld, run.Spent = 0, run.Spent+cost
			return nil
		})
		if core.IsCode(err, core.CodeNotFound) {
			return nil
		}
		return err
	})
	m.holds = false
	return cost, err
}

// book adds what a call cost to what its workspace has used.
func book(ctx context.Context, tables storage.Tables, workspace core.ID, row core.UsageRow) error {
	_, err := tables.Workspaces.Update(ctx, workspace, func(w *core.Workspace) error {
		w.CreditUsed += row.Cost
		return nil
	})
	if err != nil {
		return err
	}
	return tables.Usage.Add(ctx, workspace, row)
}

// ownMeter is for what the workspace does not pay.
type ownMeter struct{}

// Reserve implements agent.Meter.
func (ownMeter) Reserve(context.Context, core.Usage) error { return nil }

// Within implements agent.Meter.
func (ownMeter) Within(core.Usage) error { return nil }

// Settle implements agent.Meter.
func (ownMeter) Settle(context.Context, core.Usage) (float64, error) { return 0, nil }

// Usage returns the workspace, with its credit, and what it used by day and model.
func (p *Providers) Usage(ctx context.Context, by core.Actor, id core.ID) (core.Workspace, []core.UsageRow, error) {
	workspace, _, err := p.Gate.Workspace(ctx, by, core.ActionUsageRead, id)
	if err != nil {
		return core.Workspace{}, nil, err
	}
	rows, err := p.Store.Tables().Usage.List(ctx, id)
	return workspace, rows, err
}
