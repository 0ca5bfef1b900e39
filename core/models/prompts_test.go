package models_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/models"
	"github.com/atelierhq/atelier/ports/ai"
)

// promptOffice is an office whose provider is the hosted model, with a credit in USD.
func promptOffice(t *testing.T, credit float64) *office {
	t.Helper()
	o := newOffice(t, models.Platform{})
	must(t, o.store.Tables().Providers.Create(t.Context(), core.Provider{
		ID: core.NewID(), WorkspaceID: o.workspace, Kind: core.ProviderOpenAI, Name: "Hosted", DefaultModel: new("gpt-4o"), IsDefault: true,
		Capabilities: &core.ProviderCapabilities{Dialect: core.DialectNative},
	}))
	o.limit(t, credit)
	return o
}

// prompt asks the workspace's model.
func (o *office) prompt(ctx context.Context, text string) (string, error) {
	return o.Answer(ctx, models.Prompt{Workspace: o.workspace, System: "Be brief.", Text: text, MaxTokens: 1000})
}

// held returns what calls hold in the workspace, in USD.
func (o *office) held(t *testing.T) (held float64) {
	t.Helper()
	hold := core.CreditHold{ID: core.NewID(), WorkspaceID: o.workspace}
	_, err := o.store.Tables().CreditHolds.Hold(t.Context(), hold, core.Hold{At: core.At(o.Now())}, func(funds core.Funds) error {
		held = funds.Held
		return core.Errorf(core.CodeConflict, "only asking")
	})
	if !core.IsCode(err, core.CodeConflict) {
		t.Fatal(err)
	}
	return held
}

func TestAPromptIsAnsweredAndBooked(t *testing.T) {
	o := promptOffice(t, 1)
	o.hosted.Script(memory.ModelAnswer{Chunks: []ai.Chunk{{Reasoning: "hm"}, {Text: "Hello "}, {Text: "Ada"}}, Usage: core.Usage{InputTokens: 1000, OutputTokens: 10_000}})
	answer, err := o.prompt(t.Context(), "Greet Ada")
	must(t, err)
	if answer != "Hello Ada" {
		t.Errorf("got %q, want the answer", answer)
	}
	requests := o.hosted.Requests()
	sent := requests[len(requests)-1]
	if sent.System != "Be brief." || len(sent.Messages) != 1 || sent.Messages[0].Text != "Greet Ada" || sent.MaxTokens != 1000 || len(sent.Tools) > 0 {
		t.Errorf("got the request %+v, want the prompt alone", sent)
	}
	if used := o.used(t); used < callCost || o.held(t) != 0 {
		t.Errorf("got %.4f USD used and %.4f held, want what the vendor counted", used, o.held(t))
	}
}

func TestAPromptWithoutCreditReachesNoModel(t *testing.T) {
	o := promptOffice(t, 0)
	before := len(o.hosted.Requests())
	if _, err := o.prompt(t.Context(), "Greet"); !core.IsCode(err, core.CodeCreditExhausted) {
		t.Errorf("got %v, want %s", err, core.CodeCreditExhausted)
	}
	if len(o.hosted.Requests()) != before {
		t.Error("the model was asked")
	}
}

func TestAPromptWithoutAProviderIsRefused(t *testing.T) {
	o := newOffice(t, models.Platform{})
	if _, err := o.prompt(t.Context(), "Greet"); !core.IsCode(err, core.CodeNoProvider) {
		t.Errorf("got %v, want %s", err, core.CodeNoProvider)
	}
}

func TestAnEndlessAnswerIsCutOffAndPaidFor(t *testing.T) {
	o := promptOffice(t, 100)
	o.hosted.Say(strings.Repeat("word ", 20_000), strings.Repeat("word ", 20_000))
	if _, err := o.prompt(t.Context(), "Greet"); !core.IsCode(err, core.CodeModelUnavailable) {
		t.Errorf("got %v, want %s", err, core.CodeModelUnavailable)
	}
	if o.used(t) == 0 || o.held(t) != 0 {
		t.Errorf("got %.4f USD used and %.4f held, want the answer booked", o.used(t), o.held(t))
	}
}

func TestPromptsTogetherNeverPassALimitByMoreThanOneAnswer(t *testing.T) {
	const most = 0.011 // 1000 tokens of an answer, and the prompt
	o := promptOffice(t, 0.1)
	gate := make(chan struct{})
	for range 30 {
		o.hosted.Script(memory.ModelAnswer{Chunks: []ai.Chunk{{Text: "yes"}}, Usage: core.Usage{OutputTokens: 1000}, Gate: gate})
	}
	var all sync.WaitGroup
	var answered, refused atomic.Int32
	for range 30 {
		all.Go(func() {
			_, err := o.prompt(t.Context(), "Greet")
			switch {
			case err == nil:
				answered.Add(1)
			case core.IsCode(err, core.CodeCreditExhausted):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	close(gate)
	all.Wait()
	if used := o.used(t); used > 0.1+most || answered.Load() == 0 || refused.Load() == 0 {
		t.Errorf("got %.3f USD used in %d answers, %d refused, want 0.1 passed by one answer at most", used, answered.Load(), refused.Load())
	}
}

func TestAPromptEndsWithItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := promptOffice(t, 1)
		o.hosted.Hang(ai.Chunk{Text: "He"})
		began := time.Now()
		_, err := o.prompt(t.Context(), "Greet")
		if err == nil || time.Since(began) != time.Minute {
			t.Errorf("got %v after %v, want an end after a minute", err, time.Since(began))
		}
		if o.used(t) == 0 || o.held(t) != 0 {
			t.Errorf("got %.4f USD used and %.4f held, want the broken answer booked", o.used(t), o.held(t))
		}
		o.Close()
	})
}

func TestThePlatformsPromptsAreChargedToTheOwner(t *testing.T) {
	o := newOffice(t, models.Platform{Kind: core.ProviderOpenAI, Model: "gpt-4o", Key: key})
	owner := core.NewID()
	tables := o.store.Tables()
	must(t, tables.Users.Create(t.Context(), core.User{ID: owner, Email: "owner@example.com"}))
	must(t, tables.Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: o.workspace, UserID: owner, Role: core.RoleOwner}))
	o.hosted.Script(memory.ModelAnswer{Chunks: []ai.Chunk{{Text: "Hi"}}, Usage: core.Usage{OutputTokens: 10_000}})
	_, err := o.prompt(t.Context(), "Greet")
	must(t, err)
	charged, err := tables.Usage.Charged(t.Context(), owner)
	must(t, err)
	if !same(charged, callCost) {
		t.Errorf("got %.3f USD charged to the owner, want %.3f", charged, callCost)
	}
}
