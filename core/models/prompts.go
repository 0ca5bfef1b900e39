package models

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/storage"
)

// Prompt is a single question to a workspace's model, without tools and without a conversation.
type Prompt struct {
	Workspace    core.ID
	System, Text string
	// MaxTokens bounds the answer.
	MaxTokens int
}

const (
	// maxPromptTime bounds the answer to a prompt. What it has reserved expires after twice as
	// long, should a crash keep it from being released.
	maxPromptTime = time.Minute
	// maxBytesPerToken ends the answer of a server that does not heed MaxTokens.
	maxBytesPerToken = 32
	// bytesPerToken estimates what a prompt costs, on the safe side.
	bytesPerToken = 2
)

// Answer answers a prompt with the model of the workspace's default provider, or the platform's.
// What it costs is reserved before and booked afterwards, as for a run; the platform's provider is
// paid by the workspace's owner.
//
// It returns core.CodeNoProvider without a provider, core.CodeCreditExhausted if the prompt cannot
// be paid for, core.CodeModelUnavailable if the model did not answer, and ctx's error if it ended.
// It does not try again.
func (c *Chooser) Answer(ctx context.Context, prompt Prompt) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, maxPromptTime)
	defer cancel()
	choice, err := c.Choose(ctx, prompt.Workspace, "")
	if err != nil {
		return "", err
	}
	answer := &answer{
		deps: c.deps, booking: c.booking, choice: choice, workspace: prompt.Workspace, price: c.deps.priceOf(choice.Kind, choice.Model),
		request: ai.Request{
			Model: choice.Model, System: prompt.System, Messages: []ai.Message{{Role: ai.RoleUser, Text: prompt.Text}},
			MaxTokens: least(prompt.MaxTokens, choice.AnswerTokens),
		},
	}
	if choice.SetsWindow {
		answer.request.ContextTokens = choice.ContextTokens
	}
	return answer.give(ctx)
}

// answer is the metered answer to one prompt.
type answer struct {
	deps      *Deps
	booking   *bookings
	choice    chat.Choice
	workspace core.ID
	price     Price
	request   ai.Request

	// held is the reservation, budget what the answer may cost, and spenders who pay.
	held     *core.CreditHold
	budget   float64
	spenders []core.ID

	text  strings.Builder
	bytes int
}

var errEndless = errors.New("the model's answer is longer than it was asked for")

func (a *answer) give(ctx context.Context) (string, error) {
	if err := a.reserve(ctx); err != nil {
		return "", err
	}
	used, err := a.choice.Provider.Generate(ctx, a.request, a.take)
	if err != nil && used == (core.Usage{}) && a.bytes > 0 {
		used = a.soFar()
	}
	// Tokens are paid for even if the call broke off.
	settled := a.settle(context.WithoutCancel(ctx), used)
	switch {
	case errors.Is(err, errEndless):
		err = core.Wrap(core.CodeModelUnavailable, err, "the model's answer is too long")
	case err == nil:
		err = settled
	}
	if err != nil {
		return "", err
	}
	return a.text.String(), nil
}

// take keeps a piece of the answer, and ends one that the credit does not cover.
func (a *answer) take(chunk ai.Chunk) error {
	a.bytes += len(chunk.Text) + len(chunk.Reasoning)
	a.text.WriteString(chunk.Text)
	if a.bytes > maxBytesPerToken*a.request.MaxTokens {
		return errEndless
	}
	if a.price.of(a.soFar()) > a.budget {
		return core.Errorf(core.CodeCreditExhausted, "the credit was used up while the model answered, so its answer was cut off")
	}
	return nil
}

// soFar estimates the use from what has passed.
func (a *answer) soFar() core.Usage {
	const answerBytesPerToken = 4
	return core.Usage{InputTokens: a.input() / 2, OutputTokens: int64(a.bytes/answerBytesPerToken) + 1}
}

func (a *answer) input() int64 {
	return int64((len(a.request.System)+len(a.request.Messages[0].Text))/bytesPerToken) + 1
}

// reserve reserves what the answer may cost. A free one reserves nothing, but needs some credit
// nevertheless.
func (a *answer) reserve(ctx context.Context) error {
	cost := a.price.most(core.Usage{InputTokens: a.input(), OutputTokens: int64(a.request.MaxTokens)})
	if cost == 0 {
		a.budget = math.Inf(1)
		workspace, err := a.deps.Store.Tables().Workspaces.ByID(ctx, a.workspace)
		if err != nil {
			return err
		}
		return allow(core.Funds{Workspace: workspace}, nil, 0)
	}
	limit, err := access.CreditLimitIn(ctx, a.deps.Store.Tables(), a.deps.CreditLimit)
	if err != nil {
		return err
	}
	now := core.At(a.deps.Now())
	wanted := core.CreditHold{ID: core.NewID(), WorkspaceID: a.workspace, Until: now.Add(2 * maxPromptTime)}
	hold := core.Hold{Amount: cost, Platform: a.choice.Platform, At: now}
	held, err := a.deps.Store.Tables().CreditHolds.Hold(ctx, wanted, hold, func(funds core.Funds) error {
		funds = funds.Given()
		a.budget, a.spenders = free(funds, limit), nil
		for _, spender := range funds.Spenders {
			a.spenders = append(a.spenders, spender.UserID)
		}
		return allow(funds, limit, cost)
	})
	if err == nil {
		a.held = &held
	}
	return err
}

// settle books what the answer used, and releases what it reserved.
func (a *answer) settle(ctx context.Context, used core.Usage) error {
	row := core.UsageRow{
		Day: a.deps.Now().UTC().Format(time.DateOnly), Model: a.choice.Model,
		InputTokens: used.InputTokens, CachedTokens: used.CachedTokens, OutputTokens: used.OutputTokens, Cost: a.price.of(used),
	}
	defer a.booking.wait(ctx, a.workspace)()
	return a.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if used != (core.Usage{}) {
			if err := book(ctx, tables, a.workspace, a.spenders, row); err != nil {
				return err
			}
		}
		if a.held == nil {
			return nil
		}
		return tables.CreditHolds.Release(ctx, a.held.ID)
	})
}
