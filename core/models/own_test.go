package models_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/models"
	"github.com/atelierhq/atelier/ports/ai"
)

// wallet is people's keys.
type wallet struct {
	// keys are returned in order; fail is returned if there are none.
	keys    []string
	fail    error
	refused []string
}

func (w *wallet) Check(context.Context, core.ID) error { return w.fail }

func (w *wallet) Key(_ context.Context, person core.ID) (string, error) {
	if len(w.keys) == 0 {
		return "", w.fail
	}
	key := w.keys[0]
	w.keys = w.keys[1:]
	return string(person) + " " + key, nil
}

func (w *wallet) Refuse(ctx context.Context, person core.ID, key string) error {
	w.refused = append(w.refused, key)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return core.Errorf(core.CodeModelUnavailable, "connect again")
}

const ownBase = "https://models.example.com/inference"

// spend makes one call with the member's own subscription.
func (o *office) spend(ctx context.Context, model string) (core.Usage, error) {
	choice, err := o.ChooseOwn(ctx, o.member.UserID, model)
	if err != nil {
		return core.Usage{}, err
	}
	return choice.Provider.Generate(ctx, ai.Request{Model: choice.Model}, func(ai.Chunk) error { return nil })
}

func newOwner(t *testing.T, keys *wallet) *office {
	o := newOffice(t, models.Platform{Kind: core.ProviderDemo})
	o.Subscriptions, o.Own = keys, models.SubscriptionServer{BaseURL: ownBase}
	return o
}

func TestAMessageOnOnesOwnSubscriptionGoesToTheOperatorsAddressWithThePersonsKey(t *testing.T) {
	o := newOwner(t, &wallet{keys: []string{"first", "second"}})
	o.hosted.Say("one").Say("two")
	for i, c := range []struct{ asked, want, key string }{{"", models.OwnDefaultModel, "first"}, {"openai/gpt-4o", "openai/gpt-4o", "second"}} {
		if _, err := o.spend(t.Context(), c.asked); err != nil {
			t.Fatal(err)
		}
		want := ai.Settings{Kind: core.ProviderOpenAI, BaseURL: ownBase, Key: string(o.member.UserID) + " " + c.key, Trusted: true}
		if opened := o.factory.Opened(); len(opened) != i+1 || opened[i] != want {
			t.Errorf("got %+v, want %+v", opened, want)
		}
		if got := o.hosted.Requests()[i].Model; got != c.want {
			t.Errorf("got the model %q, want %q", got, c.want)
		}
	}
	choice, err := o.ChooseOwn(t.Context(), o.member.UserID, "m")
	must(t, err)
	if choice.Kind != core.ProviderOpenAI || !choice.Own {
		t.Errorf("got %+v, want a choice of the person's own", choice)
	}
}

func TestWithoutAKeyNoCallIsMade(t *testing.T) {
	for name, c := range map[string]struct {
		fail      error
		want      core.Code
		failure   bool
		temporary bool
	}{
		"no subscription":   {core.Errorf(core.CodeNoProvider, "none"), core.CodeNoProvider, false, false},
		"connect again":     {core.Errorf(core.CodeModelUnavailable, "connect again"), core.CodeModelUnavailable, true, false},
		"a vendor is down":  {core.Errorf(core.CodeUnavailable, "try again"), core.CodeModelUnavailable, true, true},
		"a fault of ours":   {core.Errorf(core.CodeInternal, "sealed"), core.CodeInternal, false, false},
		"without any code":  {errors.New("odd"), core.CodeInternal, false, false},
		"a wrapped failure": {fmt.Errorf("key: %w", core.Errorf(core.CodeModelUnavailable, "connect again")), core.CodeModelUnavailable, true, false},
	} {
		o := newOwner(t, &wallet{fail: c.fail})
		_, err := o.spend(t.Context(), "")
		var failure *ai.Failure
		if core.CodeOf(err) != c.want || errors.As(err, &failure) != c.failure || failure != nil && failure.Temporary != c.temporary {
			t.Errorf("%s: got %v (%+v), want code %q, a failure %v, temporary %v", name, err, failure, c.want, c.failure, c.temporary)
		}
		if len(o.factory.Opened()) != 0 {
			t.Errorf("%s: got a provider opened, want none", name)
		}
		choice, chosen := o.ChooseOwn(t.Context(), o.member.UserID, "")
		must(t, chosen)
		if _, err := choice.Provider.Models(t.Context()); core.CodeOf(err) != c.want {
			t.Errorf("%s: models: got %v, want code %q", name, err, c.want)
		}
		if err := o.CheckOwn(t.Context(), o.member.UserID); !errors.Is(err, c.fail) {
			t.Errorf("%s: check: got %v, want what the subscriptions say", name, err)
		}
	}
}

func TestAKeyThatTheVendorRefusesIsReportedOnce(t *testing.T) {
	keys := &wallet{keys: []string{"bad", "good", "good"}}
	o := newOwner(t, keys)
	refusal := &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "the provider refused the key (401)"), Refused: true}
	o.hosted.Fail(refusal).Fail(&ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "busy"), Temporary: true})
	_, err := o.spend(t.Context(), "")
	var failure *ai.Failure
	if !errors.As(err, &failure) || failure.Err.Message != "connect again" || failure.Temporary || !failure.Refused {
		t.Errorf("got %v, want the advice to connect again, and no second attempt", err)
	}
	if len(keys.refused) != 1 || keys.refused[0] != string(o.member.UserID)+" bad" {
		t.Errorf("got %q refused, want the key of the call", keys.refused)
	}
	if _, err = o.spend(t.Context(), ""); !errors.As(err, &failure) || !failure.Temporary || len(keys.refused) != 1 {
		t.Errorf("another failure: got %v with %q refused, want it as it is", err, keys.refused)
	}
}

func TestARefusalIsNotedAlsoWhenTheCallerLeaves(t *testing.T) {
	keys := &wallet{keys: []string{"bad"}}
	o := newOwner(t, keys)
	ctx, leave := context.WithCancel(t.Context())
	o.Factory = leavingFactory{o.Factory, leave}
	o.hosted.Fail(&ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "refused"), Refused: true})
	if _, err := o.spend(ctx, ""); !core.IsCode(err, core.CodeModelUnavailable) || len(keys.refused) != 1 {
		t.Errorf("got %v with %q refused, want the refusal noted", err, keys.refused)
	}
}

// leavingFactory opens providers whose caller leaves during the call.
type leavingFactory struct {
	ai.Factory
	leave context.CancelFunc
}

func (f leavingFactory) Open(settings ai.Settings) (ai.Provider, error) {
	provider, err := f.Factory.Open(settings)
	return leavingProvider{provider, f.leave}, err
}

type leavingProvider struct {
	ai.Provider
	leave context.CancelFunc
}

func (p leavingProvider) Generate(ctx context.Context, req ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	used, err := p.Provider.Generate(ctx, req, emit)
	p.leave()
	return used, err
}

func TestAModelsListIsAskedWithThePersonsKey(t *testing.T) {
	o := newOwner(t, &wallet{keys: []string{"first"}})
	choice, err := o.ChooseOwn(t.Context(), o.member.UserID, "")
	must(t, err)
	models, err := choice.Provider.Models(t.Context())
	if err != nil || len(models) != 1 || models[0].ID != "gpt-4o" {
		t.Errorf("got %+v and %v, want the vendor's", models, err)
	}
}

func TestWhatAPersonPaysForCostsTheWorkspaceNothing(t *testing.T) {
	o := newOwner(t, &wallet{keys: []string{"k"}})
	limit := 1.0
	_, err := o.store.Tables().Workspaces.Update(t.Context(), o.workspace, func(w *core.Workspace) error {
		w.CreditLimit, w.CreditUsed = &limit, limit
		return nil
	})
	must(t, err)
	choice, err := o.ChooseOwn(t.Context(), o.member.UserID, "")
	must(t, err)
	meter := o.Meter(core.Run{ID: core.NewID(), WorkspaceID: o.workspace}, choice)
	if err := meter.Reserve(t.Context(), core.Usage{InputTokens: 1e9, OutputTokens: 1e9}); err != nil {
		t.Errorf("reserve: got %v, want no limit of the workspace's", err)
	}
	if cost, err := meter.Settle(t.Context(), core.Usage{InputTokens: 1e9, OutputTokens: 1e9}); cost != 0 || err != nil {
		t.Errorf("settle: got %v and %v, want nothing", cost, err)
	}
	space, rows, err := o.Usage(t.Context(), o.admin, o.workspace)
	if err != nil || len(rows) != 0 || space.CreditUsed != limit {
		t.Errorf("got %+v, %+v and %v, want nothing booked", space, rows, err)
	}
}
