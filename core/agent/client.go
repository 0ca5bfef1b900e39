package agent

import (
	"context"
	"log/slog"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/tracing"
)

// modelClient makes the model calls of a run. Each is metered, retried with back-off,
// bounded, and recorded with its usage.
type modelClient struct {
	provider ai.Provider
	model    string
	// conversation names the conversation for the vendor's prompt cache.
	conversation string
	// keepsThoughts is Task.KeepsThoughts.
	keepsThoughts bool
	thinking      core.Thinking
	// system is the system prompt before what the briefing adds to it, bench has the tools that the
	// model may call.
	system   string
	briefing *briefing
	bench    *tools.Workbench
	meter    Meter
	budget   *budget
	retry    retryPolicy
	record   recorder
	log      *slog.Logger
}

// answer is the result of one model call.
type answer struct {
	text  strings.Builder
	calls []ai.Call
	// thoughts are the reasoning before them.
	thoughts thoughts
	// bytes counts everything received, reasoning included.
	bytes int
	// cut says that the answer ended because it had reached its limit.
	cut bool
}

// request builds the request that continues a conversation.
func (m *modelClient) request(conversation []ai.Message) ai.Request {
	system := m.system
	if m.briefing.Base != "" {
		system += "\n\n" + m.briefing.Base
	}
	return ai.Request{
		Model: m.model, Conversation: m.conversation, System: system, Messages: conversation, Tools: m.bench.Declarations(m.budget.bytes(m.budget.part(toolsPercent))),
		Thinking: m.thinking, MaxTokens: m.budget.answer, ContextTokens: m.budget.request(),
	}
}

// generate makes one metered model call with retries, passes its chunks to take and records the
// usage. On failure it returns the part received before it with the error.
func (m *modelClient) generate(ctx context.Context, request ai.Request, take func(*answer, ai.Chunk) error) (*answer, error) {
	reserved := m.budget.atMost(request)
	got := &answer{thoughts: thoughts{keeps: m.keepsThoughts}}
	if err := m.meter.Reserve(ctx, reserved); err != nil {
		return got, err
	}
	traced, span := tracing.Child(ctx, "model call", tracing.Client, tracing.Text("gen_ai.request.model", m.model))
	usage, err := m.retry.generate(traced, m.provider, request, func(chunk ai.Chunk) error {
		if err := m.bound(got, chunk, reserved); err != nil {
			return err
		}
		return take(got, chunk)
	}, func(retry core.Retry) error { return m.record(core.UsageInfo{Retry: &retry}) })
	span.Add(tracing.Number("gen_ai.usage.input_tokens", usage.InputTokens), tracing.Number("gen_ai.usage.output_tokens", usage.OutputTokens))
	tracing.End(span, err)
	if err != nil && usage == (core.Usage{}) {
		usage = m.budget.used(request, got.bytes)
	}
	// Tokens are paid for even if the call broke off or was cancelled.
	cost, settled := m.meter.Settle(context.WithoutCancel(ctx), usage)
	if settled != nil {
		return got, settled
	}
	m.budget.learn(request, usage.InputTokens)
	if err != nil {
		if recorded := m.record.breakOff(got.text.String(), got.calls); recorded != nil {
			return got, recorded
		}
	}
	if err == nil || usage != (core.Usage{}) {
		info := core.UsageInfo{
			InputTokens: usage.InputTokens, CachedTokens: usage.CachedTokens, WrittenTokens: usage.WrittenTokens,
			OutputTokens: usage.OutputTokens, Cost: cost,
		}
		if recorded := m.record(info); err == nil {
			err = recorded
		}
	}
	if err != nil {
		m.log.InfoContext(ctx, "model call failed", "model", m.model, "error", err)
		return got, err
	}
	return got, nil
}

// bound ends an answer that is too long, or that costs more than the credit left.
func (m *modelClient) bound(got *answer, chunk ai.Chunk, reserved core.Usage) error {
	got.bytes += len(chunk.Text) + len(chunk.Reasoning)
	if chunk.Call != nil {
		got.bytes += len(chunk.Call.Tool) + len(chunk.Call.Args)
	}
	if got.bytes > runawayBytes*int(max(reserved.OutputTokens, usualAnswer)) {
		return errRunaway
	}
	return m.meter.Within(core.Usage{InputTokens: reserved.InputTokens, OutputTokens: int64(float64(got.bytes) * m.budget.perByte)})
}
