package models_test

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/core/models"
	"github.com/atelierhq/atelier/ports/storage"
)

// hosted is a model that costs 10 USD per million output tokens; one call of
// aCall costs 0.10 USD.
func hosted() chat.Choice { return chat.Choice{Kind: core.ProviderOpenAI, Model: "gpt-4o"} }

func aCall() core.Usage { return core.Usage{OutputTokens: 10_000} }

const callCost = 0.10

// limit sets the workspace's credit, in USD.
func (o *office) limit(t *testing.T, usd float64) {
	t.Helper()
	_, err := o.store.Tables().Workspaces.Update(t.Context(), o.workspace, func(w *core.Workspace) error {
		w.CreditLimit = &usd
		return nil
	})
	must(t, err)
}

// run makes an active run.
func (o *office) run(t *testing.T) core.Run {
	t.Helper()
	tables, at := o.store.Tables(), core.At(o.Now())
	project := core.Project{ID: core.NewID(), WorkspaceID: o.workspace, Slug: string(core.NewID()), Visibility: core.VisibilityWorkspace, CreatedAt: at}
	must(t, tables.Projects.Create(t.Context(), project))
	room := core.Chat{ID: core.NewID(), ProjectID: project.ID, Mode: core.ModeBuild, CreatedAt: at}
	must(t, tables.Chats.Create(t.Context(), room))
	run := core.Run{
		ID: core.NewID(), ChatID: room.ID, ProjectID: project.ID, WorkspaceID: o.workspace, UserID: o.member.UserID,
		Status: core.RunRunning, CreatedAt: at,
	}
	must(t, tables.Runs.Create(t.Context(), run))
	return run
}

func (o *office) end(t *testing.T, run core.Run) {
	t.Helper()
	_, err := o.store.Tables().Runs.Update(t.Context(), run.ID, func(run *core.Run) error {
		run.Status = core.RunEnded
		return nil
	})
	must(t, err)
}

// used returns what the workspace has spent, in USD.
func (o *office) used(t *testing.T) float64 {
	t.Helper()
	workspace, _, err := o.Usage(t.Context(), o.member, o.workspace)
	must(t, err)
	return workspace.CreditUsed
}

func same(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestParallelRunsTogetherNeverPassALimitByMoreThanOneCall(t *testing.T) {
	const limit = 1.0
	o := newOffice(t, models.Platform{})
	o.limit(t, limit)
	all := make([]core.Run, 50)
	for i := range all {
		all[i] = o.run(t)
	}
	for o.spendTogether(t, all) > 0 {
	}
	workspace, rows, err := o.Usage(t.Context(), o.member, o.workspace)
	must(t, err)
	if workspace.CreditUsed > limit+callCost || workspace.CreditUsed < limit {
		t.Errorf("got %.3f USD used, want %.2f, passed by one call at most", workspace.CreditUsed, limit)
	}
	if len(rows) != 1 || rows[0].Model != "gpt-4o" || !same(rows[0].Cost, workspace.CreditUsed) {
		t.Errorf("got %+v, want one row with all that was used", rows)
	}
}

// spendTogether lets every run make one call concurrently, which uses all that it
// reserved. It returns how many calls were allowed.
func (o *office) spendTogether(t *testing.T, runs []core.Run) (allowed int32) {
	t.Helper()
	var reserving, settling sync.WaitGroup
	var count atomic.Int32
	reserving.Add(len(runs))
	for _, run := range runs {
		settling.Go(func() {
			meter := o.Meter(run, hosted())
			err := meter.Reserve(t.Context(), aCall())
			reserving.Done()
			reserving.Wait()
			if core.IsCode(err, core.CodeCreditExhausted) {
				return
			}
			count.Add(1)
			if err == nil {
				_, err = meter.Settle(t.Context(), core.Usage{OutputTokens: 1 + rand.Int64N(10_000)})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	settling.Wait()
	return count.Load()
}

// crowd is a store that counts how many transactions are open at once.
type crowd struct {
	storage.Store
	open, most *atomic.Int32
}

func (c crowd) InTx(ctx context.Context, do func(context.Context, storage.Tables) error) error {
	if open := c.open.Add(1); open > c.most.Load() {
		c.most.Store(open)
	}
	defer c.open.Add(-1)
	time.Sleep(time.Millisecond)
	return c.Store.InTx(ctx, do)
}

// TestCallsOfAWorkspaceAreBookedOneByOne keeps them from being refused by a database with
// serializable transactions.
func TestCallsOfAWorkspaceAreBookedOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open, most atomic.Int32
		o := newOfficeOver(t, models.Platform{}, func(s storage.Store) storage.Store { return crowd{s, &open, &most} })
		var group sync.WaitGroup
		for range 20 {
			run := o.run(t)
			group.Go(func() {
				_, err := o.Meter(run, hosted()).Settle(t.Context(), aCall())
				if err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if most.Load() != 1 || !same(o.used(t), 20*callCost) {
			t.Errorf("got %d transactions at once and %.2f USD used, want 1 and %.2f", most.Load(), o.used(t), 20*callCost)
		}
	})
}

func TestACallThatMayCostMoreThanIsLeftIsRefusedBesideAnother(t *testing.T) {
	o := newOffice(t, models.Platform{})
	o.limit(t, 1.5*callCost)
	first, second := o.run(t), o.run(t)
	meter := o.Meter(first, hosted())
	must(t, meter.Reserve(t.Context(), aCall()))
	if err := o.Meter(second, hosted()).Reserve(t.Context(), aCall()); !core.IsCode(err, core.CodeCreditExhausted) {
		t.Errorf("beside it: got %v, want code %s", err, core.CodeCreditExhausted)
	}
	_, err := meter.Settle(t.Context(), aCall())
	must(t, err)
	must(t, o.Meter(second, hosted()).Reserve(t.Context(), aCall()))
}

func TestWhateverEndsARunGivesItsReservationBack(t *testing.T) {
	o := newOffice(t, models.Platform{})
	o.limit(t, callCost)
	dead, next := o.run(t), o.run(t)
	must(t, o.Meter(dead, hosted()).Reserve(t.Context(), aCall()))
	// The process dies here, so nobody settles.
	if err := o.Meter(next, hosted()).Reserve(t.Context(), aCall()); !core.IsCode(err, core.CodeCreditExhausted) {
		t.Fatalf("beside the dead run: got %v, want code %s", err, core.CodeCreditExhausted)
	}
	o.end(t, dead)
	meter := o.Meter(next, hosted())
	must(t, meter.Reserve(t.Context(), aCall()))
	cost, err := meter.Settle(t.Context(), aCall())
	if err != nil || !same(cost, callCost) || !same(o.used(t), callCost) {
		t.Errorf("got %v, %v, %v used, want the whole credit spent", cost, err, o.used(t))
	}
}

func TestARunThatWasEndedMakesNoMoreCalls(t *testing.T) {
	o := newOffice(t, models.Platform{})
	run := o.run(t)
	o.end(t, run)
	if err := o.Meter(run, hosted()).Reserve(t.Context(), aCall()); !core.IsCode(err, core.CodeConflict) {
		t.Errorf("got %v, want code %s", err, core.CodeConflict)
	}
}

func TestWhatACallCostIsBookedWhateverBecameOfItsRun(t *testing.T) {
	o := newOffice(t, models.Platform{})
	ended, deleted := o.run(t), o.run(t)
	for run, become := range map[*core.Run]func(){
		&ended:   func() { o.end(t, ended) },
		&deleted: func() { must(t, o.store.Tables().Chats.Delete(t.Context(), deleted.ChatID)) },
	} {
		meter := o.Meter(*run, hosted())
		must(t, meter.Reserve(t.Context(), aCall()))
		become()
		if cost, err := meter.Settle(t.Context(), aCall()); err != nil || !same(cost, callCost) {
			t.Errorf("got %v, %v, want the call's cost", cost, err)
		}
	}
	if used := o.used(t); !same(used, 2*callCost) {
		t.Errorf("got %v used, want two calls", used)
	}
}

func TestACallThatUsedNothingCostsNothingAndHoldsNothing(t *testing.T) {
	o := newOffice(t, models.Platform{})
	o.limit(t, callCost)
	run, next := o.run(t), o.run(t)
	meter := o.Meter(run, hosted())
	must(t, meter.Reserve(t.Context(), aCall()))
	cost, err := meter.Settle(t.Context(), core.Usage{})
	workspace, rows, usageErr := o.Usage(t.Context(), o.member, o.workspace)
	if err != nil || usageErr != nil || cost != 0 || workspace.CreditUsed != 0 || len(rows) != 0 {
		t.Errorf("got cost %v, %v, %v used, rows %v, %v, want none", cost, err, workspace.CreditUsed, rows, usageErr)
	}
	must(t, o.Meter(next, hosted()).Reserve(t.Context(), aCall()))
}

func TestOneCallMayPassTheLimitWhileNothingElseIsUnderWay(t *testing.T) {
	o := newOffice(t, models.Platform{})
	o.limit(t, callCost/2)
	run, next := o.run(t), o.run(t)
	meter := o.Meter(run, hosted())
	must(t, meter.Reserve(t.Context(), aCall()))
	if err := o.Meter(next, hosted()).Reserve(t.Context(), core.Usage{OutputTokens: 1}); !core.IsCode(err, core.CodeCreditExhausted) {
		t.Errorf("beside it: got %v, want code %s", err, core.CodeCreditExhausted)
	}
	_, err := meter.Settle(t.Context(), aCall())
	must(t, err)
	for _, choice := range []chat.Choice{hosted(), {Kind: core.ProviderOllama, Model: "llama"}} {
		if err := o.Meter(next, choice).Reserve(t.Context(), aCall()); !core.IsCode(err, core.CodeCreditExhausted) {
			t.Errorf("%s after it: got %v, want code %s", choice.Kind, err, core.CodeCreditExhausted)
		}
	}
}

func TestAModelThatIsFreeHoldsNothingAndIsCounted(t *testing.T) {
	o := newOffice(t, models.Platform{})
	o.limit(t, callCost)
	run, next := o.run(t), o.run(t)
	must(t, o.Meter(run, hosted()).Reserve(t.Context(), aCall()))
	// All the credit is reserved, but a free call needs none of it.
	meter := o.Meter(next, chat.Choice{Kind: core.ProviderOllama, Model: "llama"})
	must(t, meter.Reserve(t.Context(), aCall()))
	cost, err := meter.Settle(t.Context(), aCall())
	workspace, rows, usageErr := o.Usage(t.Context(), o.member, o.workspace)
	if err != nil || usageErr != nil || cost != 0 || workspace.CreditUsed != 0 || len(rows) != 1 || rows[0].OutputTokens != aCall().OutputTokens {
		t.Errorf("got cost %v, %v, %v used, rows %v, %v, want tokens without cost", cost, err, workspace.CreditUsed, rows, usageErr)
	}
}

// TestCreditThatAnAdminGaveToAWorkspaceIsNoPersons spends on the platform's provider: first within
// the limit of persons that the admins decided, then with what they gave to the workspace.
func TestCreditThatAnAdminGaveToAWorkspaceIsNoPersons(t *testing.T) {
	o := newOffice(t, models.Platform{})
	tables := o.store.Tables()
	_, err := tables.InstanceSettings.Update(t.Context(), func(decided *core.InstanceSettings) error {
		decided.CreditLimit = new(callCost)
		return nil
	})
	must(t, err)
	choice := hosted()
	choice.Platform = true
	run := o.run(t)
	spend := func() error {
		meter := o.Chooser.Meter(run, choice)
		if err := meter.Reserve(t.Context(), aCall()); err != nil {
			return err
		}
		_, err := meter.Settle(t.Context(), aCall())
		return err
	}
	must(t, spend())
	if err := spend(); core.CodeOf(err) != core.CodeCreditExhausted {
		t.Errorf("got %v, want the limit of persons to hold", err)
	}
	charged, err := tables.Usage.Charged(t.Context(), run.UserID)
	must(t, err)
	_, err = tables.Workspaces.Update(t.Context(), o.workspace, func(w *core.Workspace) error {
		w.CreditCap, w.CreditLimit = new(2.5*callCost), new(2.5*callCost)
		return nil
	})
	must(t, err)
	must(t, spend())
	must(t, spend())
	if err := spend(); core.CodeOf(err) != core.CodeCreditExhausted {
		t.Errorf("got %v, want the credit of the workspace to be used up", err)
	}
	if after, err := tables.Usage.Charged(t.Context(), run.UserID); err != nil || !same(after, charged) {
		t.Errorf("got %v charged to the person and %v, want the %v from before", after, err, charged)
	}
}
