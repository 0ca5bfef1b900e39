// Package agent is one run of the agent: the loop in which a model calls tools
// on a project until it has nothing left to do.
package agent

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// Limits of a run (contract, section 6).
const (
	// MaxSteps bounds the model calls of a run.
	MaxSteps = 60
	// maxRepeats ends a run whose model makes the same failing call again and
	// again.
	maxRepeats = 3
	// maxAnswerTokens bounds one answer of the model.
	maxAnswerTokens = 16_384
)

// Agent runs tasks. It may be used by many goroutines.
type Agent struct {
	log   *slog.Logger
	retry retryPolicy
}

// New returns an agent. log gets the refusals of model vendors.
func New(log *slog.Logger) *Agent { return &Agent{log: log, retry: defaultRetry()} }

// Task is what one run works on.
type Task struct {
	// Mode is the chat's mode; it decides which tools there are.
	Mode string
	// Defined is what the workspace made of the mode: its tools are the only ones.
	// nil for a mode that is built in, or that is a mere word.
	Defined *core.Mode
	// Provider and Model answer; Context is the model's window in tokens, 0 when
	// it is not known.
	Provider ai.Provider
	Model    string
	Context  int
	// Desk is the project as the tools see it.
	Desk Desk
	// History is the chat's log so far; its last user.message is the request.
	History []core.Event
	// Meter is asked before each model call and told after it.
	Meter Meter
	// Record takes every event of the run, in order. Its error ends the run.
	Record func(core.Payload) error
}

// Meter guards what a run spends.
type Meter interface {
	// Reserve is called before a model call that may use up to these tokens. It
	// returns core.CodeCreditExhausted when they cannot be paid for.
	Reserve(ctx context.Context, atMost core.Usage) error
	// Settle is called once after each Reserve that succeeded, with what was used,
	// and returns its cost in USD.
	Settle(ctx context.Context, used core.Usage) (cost float64, err error)
}

// Run works on the task until the model has nothing left to do, and returns why
// it ended. Errors are core.CodeModelUnavailable, core.CodeCreditExhausted, ctx's
// own, or whatever Record returned. What the tools did until then stands.
func (a *Agent) Run(ctx context.Context, task Task) (core.CompletionReason, error) {
	run := &run{
		Task:         task,
		tools:        toolsFor(task),
		conversation: conversationOf(task.History),
		retry:        a.retry,
		log:          a.log,
	}
	run.system = systemPrompt(ctx, task)
	for step := 1; step <= MaxSteps; step++ {
		answer, err := run.ask(ctx)
		if err != nil {
			return "", err
		}
		if len(answer.calls) == 0 {
			return core.ReasonDone, task.Record(core.AssistantMessage{Text: answer.text.String()})
		}
		if err := run.act(ctx, answer.calls); err != nil {
			return "", err
		}
		if run.repeats >= maxRepeats {
			return core.ReasonLimit, run.note("I made the same call three times and it failed each time, so I stopped. Please tell me how to go on.")
		}
	}
	return core.ReasonLimit, run.note("I have used all the steps that one message may take. Write again to let me go on.")
}

// run is the state of one task under way.
type run struct {
	Task
	system       string
	tools        []tool
	conversation []ai.Message
	retry        retryPolicy
	log          *slog.Logger
	// repeats counts how often lastFailure has failed in a row.
	lastFailure string
	repeats     int
}

// answer is what one model call gave.
type answer struct {
	text  strings.Builder
	calls []ai.Call
}

// ask makes one model call and adds the answer to the conversation. An empty
// answer is asked for once more, with a hint.
func (r *run) ask(ctx context.Context) (*answer, error) {
	got, err := r.generate(ctx, r.conversation)
	if isEmpty(err) {
		hinted := append(r.conversation[:len(r.conversation):len(r.conversation)], ai.Message{Role: ai.RoleUser, Text: emptyAnswerHint})
		got, err = r.generate(ctx, hinted)
	}
	if err != nil {
		return nil, err
	}
	r.conversation = append(r.conversation, ai.Message{Role: ai.RoleAssistant, Text: got.text.String(), Calls: got.calls})
	return got, nil
}

// generate makes one metered model call, with retries, and records its events.
func (r *run) generate(ctx context.Context, conversation []ai.Message) (*answer, error) {
	request := ai.Request{
		Model: r.Model, System: r.system, Messages: conversation, Tools: declarations(r.tools),
		MaxTokens: maxAnswerTokens, ContextTokens: windowFor(r.Context),
	}
	if err := r.Meter.Reserve(ctx, core.Usage{InputTokens: estimateTokens(request), OutputTokens: maxAnswerTokens}); err != nil {
		return nil, err
	}
	got := &answer{}
	usage, err := r.retry.generate(ctx, r.Provider, request, func(chunk ai.Chunk) error { return r.take(got, chunk) })
	// What was used is paid for even when the call broke off or was cancelled.
	cost, settled := r.Meter.Settle(context.WithoutCancel(ctx), usage)
	if settled != nil {
		return nil, settled
	}
	if usage != (core.Usage{}) {
		info := core.UsageInfo{InputTokens: usage.InputTokens, OutputTokens: usage.OutputTokens, Cost: cost}
		if recorded := r.Record(info); err == nil {
			err = recorded
		}
	}
	if err != nil {
		r.log.InfoContext(ctx, "model call failed", "model", r.Model, "error", err)
		return nil, err
	}
	return got, nil
}

// take records one chunk and adds it to the answer.
func (r *run) take(got *answer, chunk ai.Chunk) error {
	switch {
	case chunk.Call != nil:
		call := *chunk.Call
		call.Args = normalArgs(call.Args)
		got.calls = append(got.calls, call)
		return r.Record(core.ToolCall{ID: call.ID, Tool: call.Tool, Args: call.Args})
	case chunk.Reasoning != "":
		return r.Record(core.ReasoningDelta{Delta: chunk.Reasoning})
	case chunk.Text != "":
		got.text.WriteString(chunk.Text)
		return r.Record(core.MessageDelta{Delta: chunk.Text})
	}
	return nil
}

// act carries out the calls in order and adds their results to the conversation.
func (r *run) act(ctx context.Context, calls []ai.Call) error {
	for _, call := range calls {
		result, failure := r.call(ctx, call)
		if err := ctx.Err(); err != nil {
			return err
		}
		message := ai.Message{Role: ai.RoleTool, CallID: call.ID, Tool: call.Tool, Text: result.text}
		var event core.Payload = core.ToolResult{ID: call.ID, Result: result.text}
		if failure != nil {
			message.Text, message.Failed = failure.Error(), true
			event = core.ToolError{ID: call.ID, Error: failure.Error()}
		}
		for _, changed := range result.changed {
			if err := r.Record(changed); err != nil {
				return err
			}
		}
		if err := r.Record(event); err != nil {
			return err
		}
		r.conversation = append(r.conversation, message)
		r.countRepeats(call, failure != nil)
	}
	return nil
}

func (r *run) countRepeats(call ai.Call, failed bool) {
	if !failed {
		r.lastFailure, r.repeats = "", 0
		return
	}
	signature := call.Tool + " " + string(call.Args)
	if signature != r.lastFailure {
		r.lastFailure, r.repeats = signature, 0
	}
	r.repeats++
}

// note ends a run with a sentence of the agent's own.
func (r *run) note(text string) error {
	if err := r.Record(core.MessageDelta{Delta: text}); err != nil {
		return err
	}
	return r.Record(core.AssistantMessage{Text: text})
}

// toolTimeout bounds one tool call, so that no tool can hold a run for ever.
const toolTimeout = 2 * time.Minute
