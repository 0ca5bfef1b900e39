package models

import (
	"context"
	"math"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/ports/storage"
)

// Meter guards the credit of a run's workspace for calls of a model. Calls that a
// person pays for are neither reserved nor booked, and the workspace's limit does
// not apply.
func (c *Chooser) Meter(run core.Run, choice chat.Choice) agent.Meter {
	if choice.Own {
		return ownMeter{}
	}
	return &meter{
		deps: c.deps, booking: c.booking, run: run, model: choice.Model,
		price: c.deps.priceOf(choice.Kind, choice.Model), platform: choice.Platform,
	}
}

// RunLimit is the most that one run may cost, in USD; 0 is no limit.
type RunLimit float64

// meter reserves the possible cost of a call before it is made, so that parallel
// calls cannot overdraw the limit, and books the actual cost afterwards. The run's
// row holds the reservation: if the process dies in between, the process that ends
// the run releases it.
type meter struct {
	deps    *Deps
	booking *bookings
	run     core.Run
	model   string
	price   Price
	// image is the price of a picture, in USD.
	image float64
	// platform says that the operator pays for the model.
	platform bool
	// holds says that the current call has a reservation; budget is what it may
	// spend, in USD.
	holds  bool
	budget float64
	// spenders are the people to whom the current call is charged.
	spenders []core.ID
}

// Reserve implements agent.Meter. A free call reserves nothing, but needs some
// credit nevertheless.
func (m *meter) Reserve(ctx context.Context, atMost core.Usage) error {
	cost := m.price.most(atMost) + float64(atMost.Images)*m.image
	if cost == 0 {
		m.budget = math.Inf(1)
		return m.reserveNothing(ctx)
	}
	left, err := m.leftOfRun(ctx)
	if err != nil {
		return err
	}
	limit, err := access.CreditLimitIn(ctx, m.deps.Store.Tables(), m.deps.CreditLimit)
	if err != nil {
		return err
	}
	hold := core.Hold{Amount: cost, Platform: m.platform, At: core.At(m.deps.Now())}
	err = m.deps.Store.Tables().Runs.Hold(ctx, m.run.ID, hold, func(funds core.Funds) error {
		funds = funds.Given()
		m.budget, m.spenders = min(left, free(funds, limit)), nil
		for _, spender := range funds.Spenders {
			m.spenders = append(m.spenders, spender.UserID)
		}
		return allow(funds, limit, cost)
	})
	m.holds = err == nil
	return err
}

// reserveNothing checks whether there is credit at all. Of the platform's spenders
// only the sender counts, because a free call takes nothing from the others.
func (m *meter) reserveNothing(ctx context.Context) error {
	tables := m.deps.Store.Tables()
	workspace, err := tables.Workspaces.ByID(ctx, m.run.WorkspaceID)
	if err != nil {
		return err
	}
	funds := core.Funds{Workspace: workspace}
	if m.platform {
		used, err := tables.Usage.Charged(ctx, m.run.UserID)
		if err != nil {
			return err
		}
		funds.Spenders = []core.Spender{{UserID: m.run.UserID, Used: used}}
	}
	limit, err := access.CreditLimitIn(ctx, tables, m.deps.CreditLimit)
	if err != nil {
		return err
	}
	return allow(funds.Given(), limit, 0)
}

// leftOfRun returns what the run may still spend, in USD, or
// core.CodeCreditExhausted if that is nothing.
func (m *meter) leftOfRun(ctx context.Context) (float64, error) {
	limit := float64(m.deps.RunLimit)
	if limit <= 0 {
		return math.Inf(1), nil
	}
	run, err := m.deps.Store.Tables().Runs.ByID(ctx, m.run.ID)
	if err == nil && run.Spent >= limit {
		err = core.Errorf(core.CodeCreditExhausted, "this run has used up the %.2f USD that one message may cost: write again to continue", limit)
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

// free is the credit that is left after other calls' reservations, in USD. limit is
// the operator's limit per spender.
func free(funds core.Funds, limit core.CreditLimit) float64 {
	left := remains(funds.Workspace.CreditLimit, funds.Workspace.CreditUsed, funds.Held)
	for _, spender := range funds.Spenders {
		left = min(left, remains(limit, spender.Used, spender.Held))
	}
	return left
}

func remains(limit *float64, used, held float64) float64 {
	if limit == nil {
		return math.Inf(1)
	}
	return *limit - used - held
}

// allow returns core.CodeCreditExhausted if a call of at most this cost, in USD,
// cannot be paid for besides other calls' reservations. Without any reservation, a
// call that may cost more than is left is allowed: it exceeds the limit by one
// call's output at most.
func allow(funds core.Funds, limit core.CreditLimit, cost float64) error {
	short := func(limit *float64, used, held float64) bool {
		left := remains(limit, used, held)
		return left <= 0 || left < cost && held > 0
	}
	if own := funds.Workspace; short(own.CreditLimit, own.CreditUsed, funds.Held) {
		return core.Errorf(core.CodeCreditExhausted, "the workspace has used up its credit of %.2f USD", *own.CreditLimit)
	}
	for _, spender := range funds.Spenders {
		if short(limit, spender.Used, spender.Held) {
			return core.Errorf(core.CodeCreditExhausted, "the %.2f USD that each person may spend on this service's AI provider, in all workspaces together, "+
				"are used up by you or by the workspace's owner: an admin can add an AI provider to the workspace", *limit)
		}
	}
	return nil
}

// Settle implements agent.Meter. One transaction replaces the call's reservation by
// its cost. The cost is booked even if the run has been deleted meanwhile, with its
// chat.
func (m *meter) Settle(ctx context.Context, used core.Usage) (float64, error) {
	cost := m.price.of(used) + float64(used.Images)*m.image
	row := core.UsageRow{
		Day: m.deps.Now().UTC().Format("2006-01-02"), Model: m.model,
		InputTokens: used.InputTokens, CachedTokens: used.CachedTokens, OutputTokens: used.OutputTokens, Cost: cost,
	}
	defer m.booking.wait(ctx, m.run.WorkspaceID)()
	err := m.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if used != (core.Usage{}) {
			if err := book(ctx, tables, m.run.WorkspaceID, m.spenders, row); err != nil {
				return err
			}
		}
		if !m.holds {
			return nil
		}
		_, err := tables.Runs.Update(ctx, m.run.ID, func(run *core.Run) error {
			run.CreditHeld, run.Payer, run.Spent = 0, "", run.Spent+cost
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

// ownMeter is the meter of calls that the workspace does not pay for.
type ownMeter struct{}

// Reserve implements agent.Meter.
func (ownMeter) Reserve(context.Context, core.Usage) error { return nil }

// Within implements agent.Meter.
func (ownMeter) Within(core.Usage) error { return nil }

// Settle implements agent.Meter.
func (ownMeter) Settle(context.Context, core.Usage) (float64, error) { return 0, nil }

// Usage returns the workspace, with its credit, and its use by day and model.
func (p *Providers) Usage(ctx context.Context, by core.Actor, id core.ID) (core.Workspace, []core.UsageRow, error) {
	workspace, _, err := p.Gate.Workspace(ctx, by, core.ActionUsageRead, id)
	if err != nil {
		return core.Workspace{}, nil, err
	}
	rows, err := p.Store.Tables().Usage.List(ctx, id)
	return workspace, rows, err
}
