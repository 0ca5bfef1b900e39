package agent

import (
	"context"
	"errors"
	"log/slog"
	"math"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/dialect"
	"github.com/atelierhq/atelier/ports/ai"
)

// Agent runs tasks. It may be used by many goroutines.
type Agent struct {
	log   *slog.Logger
	retry retryPolicy
}

// New returns an agent. It writes to log why a model vendor refused a request.
func New(log *slog.Logger) *Agent { return &Agent{log: log, retry: defaultRetry()} }

// Task is the work of one run.
type Task struct {
	// Mode is the chat's mode; it decides which tools there are.
	Mode string
	// Defined is the workspace's own definition of the mode; only its tools are offered. It is nil
	// for a built-in mode and for a word that nothing defines.
	Defined *core.Mode
	// Provider is the vendor that answers, with Model.
	Provider ai.Provider
	Model    string
	// Conversation names the chat for prompt caches, the same in all of its runs.
	Conversation string
	// KeepsThoughts says that the vendor wants the model's reasoning back between the calls of
	// tools.
	KeepsThoughts bool
	// Emulated reports whether the model gets its tools as text, because it cannot call them. It may be
	// nil.
	Emulated func() bool
	// Thinking is how much the model thinks before each step, "" to leave it to the model.
	Thinking core.Thinking
	// Context is the model's window in tokens, 0 if unknown. SetsWindow says that requests ask for
	// it.
	Context    int
	SetsWindow bool
	// AnswerTokens is the longest answer that the model can write, 0 if unknown. TokensPerByte is
	// the ratio that earlier runs of the chat measured for the model's vocabulary, 0 if there were
	// none.
	AnswerTokens  int
	TokensPerByte float64
	// Structured says that the model can answer in a JSON schema.
	Structured bool
	// Project gives the tools access to the project. Untouched says that it waits for its
	// first build.
	Project   tools.Project
	Untouched bool
	// Knowledge is the workspace's text for the agent in all of its projects.
	Knowledge string
	// Eyes sees the project's pages. It is nil where no page can be opened. Sees says that the
	// model sees pictures.
	Eyes tools.Eyes
	// Keep keeps pictures of what the eyes see, as tools.Config.Keep.
	Keep func(ctx context.Context, png []byte) *core.Attachment
	// Web reads pages of the web. It is nil if the agent may not.
	Web  tools.Web
	Sees bool
	// Connectors are the tools of other programs. It is nil if the workspace has none.
	Connectors tools.Connectors
	// Brush paints pictures. It is nil if the workspace's provider cannot.
	Brush *Brush
	// Types is nil where no types can be checked.
	Types tools.Types
	// Checks plays the project's checks and passes each result to tell. It returns those that
	// failed, and nothing if no page can be opened. It is nil if there are no checks.
	Checks func(ctx context.Context, tell func(core.CheckResult) error) ([]core.CheckFailure, error)
	// History is the chat's log so far; its last user.message is the request. Images are what
	// people attached, by the seq of their user.message.
	History []core.Event
	Images  map[int64][]ai.Image
	// Summary replaces the oldest part of History in the prompt. It is nil if the prompt has all of
	// History.
	Summary *core.Summary
	// Briefing is what earlier runs told the model of the project, nil before the first.
	Briefing *core.Briefing
	// Resume continues a run that a crash interrupted; History ends with the events of that run.
	// Intent is the write-ahead note of its last tool call that changes something.
	Resume bool
	Intent *core.Intent
	// Meter is asked before each model call and told after it.
	Meter Meter
	// Record takes every event of the run, in order. Its error ends the run.
	Record func(core.Payload) error
	// Intend stores a write-ahead note of what a tool call is about to change. The tool makes the
	// change after Intend returned.
	Intend func(context.Context, core.Intent) error
	// Brief stores what the model was told of the project for the chat's next runs. It may be nil.
	Brief func(context.Context, core.Briefing) error
	// Remember stores a summary of the log for the chat's next runs. Calibrate stores the tokens
	// per byte that the run measured for the model; it may be nil.
	Remember  func(context.Context, core.Summary) error
	Calibrate func(ctx context.Context, tokensPerByte float64) error
}

// Meter guards what a run spends.
type Meter interface {
	// Reserve is called before a model call that may use up to these tokens. It
	// returns core.CodeCreditExhausted when they cannot be paid for.
	Reserve(ctx context.Context, atMost core.Usage) error
	// Within is called while a model call streams, with an estimate of its use so far. It returns
	// core.CodeCreditExhausted, which ends the call, once that exceeds the credit that was left at
	// the reservation.
	Within(soFar core.Usage) error
	// Settle is called once after each Reserve that succeeded, with the actual use, and returns its
	// cost in USD.
	Settle(ctx context.Context, used core.Usage) (cost float64, err error)
}

// Outcome is how a run ended.
type Outcome struct {
	Reason core.CompletionReason
	// Question is the one for the person, if Reason is core.ReasonAsked.
	Question *core.Question
	// Approval is the id of the request for a person's yes that waits, if Reason is core.ReasonAsked.
	Approval string
	// Plan is the plan in the last answer of a run in plan mode, else nil.
	Plan *core.Plan
}

// Run works on the task until the model has nothing left to do, and returns how it ended. Errors
// are core.CodeModelUnavailable, core.CodeCreditExhausted, ctx's own, or an error of Record, Intend,
// Brief or Remember. Changes that tools made before an error remain.
func (a *Agent) Run(ctx context.Context, task Task) (Outcome, error) {
	run := a.begin(ctx, task)
	defer run.calibrate(ctx)
	if outcome, err := run.opening(ctx); err != nil {
		return Outcome{}, run.fail(ctx, err)
	} else if outcome != nil {
		return *outcome, nil
	}
	topics := run.filesTopics(ctx)
	topics = append(topics, topicsOf(ctx, task, run.executor.bench.HasBackend(), run.budget.bytes(run.budget.part(rulesPercent)))...)
	defer run.learnFiles(ctx)
	if err := run.brief(ctx, topics); err != nil {
		return Outcome{}, err
	}
	next, err := run.resume(ctx)
	for err == nil && next != nil {
		if next.acts {
			if err = run.executor.act(ctx, next.calls); err != nil {
				break
			}
			if asked := run.conversation.asked(); asked != nil {
				return *asked, nil
			}
			if why := run.guards.endStep(); why != "" {
				return run.limit(ctx, why)
			}
		} else {
			outcome, over, failure := conclusion{run}.conclude(ctx, *next)
			if over || failure != nil {
				return outcome, failure
			}
		}
		next, err = run.step(ctx)
	}
	switch {
	case errors.Is(err, errRunaway):
		return run.limit(ctx, runawayNote)
	case err != nil:
		return Outcome{}, run.fail(ctx, err)
	}
	return run.limit(ctx, stepsNote)
}

// calibrate stores the tokens per byte that the run measured for its model, if the model answered
// and the value changed. A failure is harmless: the next run measures again.
func (r *run) calibrate(ctx context.Context) {
	learnt, known := r.budget.perByte, r.task.TokensPerByte
	if r.task.Calibrate == nil || !r.answered || math.Abs(learnt-known) < known/20 {
		return
	}
	if err := r.task.Calibrate(context.WithoutCancel(ctx), learnt); err != nil {
		r.log.WarnContext(ctx, "could not store the token ratio of a model", "model", r.task.Model, "error", err)
	}
}

// begin prepares a run.
func (a *Agent) begin(ctx context.Context, task Task) *run {
	record, budget := recorder(task.Record), budgetOf(task)
	conversation := transcriptOf(task, briefingOf(task, budget.bytes(budget.part(2*rulesPercent))))
	eyes := task.Eyes
	if !hasSight(task) {
		eyes = nil
	}
	bench := tools.NewWorkbench(ctx, tools.Config{
		Mode: task.Mode, Defined: task.Defined, Project: task.Project, Eyes: eyes, Sees: task.Sees, Keep: task.Keep, Web: task.Web, Painter: painterOf(task, a.retry, a.log), Connectors: task.Connectors, Types: task.Types, Intend: task.Intend,
		History: task.History, Resumes: task.Resume, Log: a.log,
	})
	client := &modelClient{
		provider: task.Provider, model: task.Model, conversation: task.Conversation, keepsThoughts: task.KeepsThoughts, thinking: task.Thinking, bench: bench, meter: task.Meter, budget: budget,
		system: systemPrompt(task), briefing: conversation.briefing,
		retry: a.retry, record: record, log: a.log,
	}
	if task.Summary != nil {
		conversation.recall(*task.Summary)
	}
	window := &contextWindow{conversation: conversation, client: client, budget: budget}
	r := &run{
		task: task, conversation: conversation, budget: budget, record: record, log: a.log, client: client, window: window, emulation: emulation{is: task.Emulated},
		summariser: &summariser{window: window, client: client, budget: budget, record: record, remember: task.Remember},
	}
	r.executor = &executor{bench: bench, conversation: conversation, budget: budget, guards: &r.guards, record: record, mayAsk: r.mayAsk}
	return r
}

// run is the state of a task in progress. All of it belongs to the goroutine of Agent.Run.
type run struct {
	task         Task
	conversation *transcript
	budget       *budget
	client       *modelClient
	window       *contextWindow
	summariser   *summariser
	executor     *executor
	guards       guards
	repair       repair
	smoke        smoke
	checks       checks
	record       recorder
	log          *slog.Logger
	emulation    emulation
	// answered says that the model has answered.
	answered bool
	// begun is the text of answers that were cut and are being continued.
	begun string
}

// turn is one answer of the model: calls to carry out, else text, which cut says is incomplete.
type turn struct {
	text  string
	cut   bool
	acts  bool
	calls []ai.Call
}

// step makes one model call. It returns nil once the run has made MaxSteps.
func (r *run) step(ctx context.Context) (*turn, error) {
	if r.conversation.steps >= MaxSteps {
		return nil, nil
	}
	r.conversation.steps++
	if err := r.compact(ctx); err != nil {
		return nil, err
	}
	if err := r.emulation.tell(r.record); err != nil {
		return nil, err
	}
	got, err := r.ask(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.emulation.tell(r.record); err != nil {
		return nil, err
	}
	if got.cut {
		r.noteCut(got.calls)
	}
	return &turn{text: got.text.String(), cut: got.cut, acts: len(got.calls) > 0, calls: got.calls}, nil
}

// emulation tells people, once in a run, that the model cannot call tools.
type emulation struct {
	// is reports it; it may be nil.
	is   func() bool
	told bool
}

func (e *emulation) tell(record recorder) error {
	if e.told || e.is == nil || !e.is() {
		return nil
	}
	e.told = true
	return record(core.SessionNotice{Code: core.NoticeEmulated, Text: "This model cannot call tools here, so I use a slower way."})
}

// Bounds of repeating a model call: maxShrinks times with a shorter conversation, maxBreaks times
// after a stream that broke off.
const (
	maxShrinks = 8
	maxBreaks  = 2
)

// ask makes one model call and adds the answer to the conversation. It repeats the call with a
// shorter conversation if the vendor finds it too long, and once, with a hint, after an empty
// answer, without thinking if that took the whole of it. An answer that broke off is asked for
// again as after a crash.
func (r *run) ask(ctx context.Context) (*answer, error) {
	shrinks, breaks, hinted, thinks := 0, 0, false, true
	for {
		messages := r.conversation.messages
		if hinted {
			messages = r.conversation.followedBy(emptyAnswerHint)
		}
		request := r.client.request(messages)
		if !thinks {
			request.Thinking = core.ThinkingOff
		}
		got, err := r.client.generate(ctx, request, r.take)
		var failure *ai.Failure
		switch {
		case err == nil:
			r.conversation.append(ai.Message{Role: ai.RoleAssistant, Text: got.text.String(), Calls: got.calls, Thoughts: got.thoughts.take(len(got.calls) > 0)})
			r.conversation.waiting, r.answered = got.calls, true
			return got, nil
		case !errors.As(err, &failure):
			return nil, err
		case failure.TooLong && shrinks < maxShrinks:
			shrinks++
			r.budget.refused(request, failure)
			if err := r.compact(ctx); err != nil {
				return nil, err
			}
		case failure.BadThoughts && r.conversation.forgetThoughts():
		case failure.Empty && !hinted:
			hinted, thinks = true, !failure.Overthought
			if failure.Overthought {
				r.budget.lengthen()
			}
		case got.bytes > 0 && breaks < maxBreaks:
			breaks++
			wait, again := r.client.retry.wait(err, breaks)
			if !again || wait > r.client.retry.within {
				return nil, err
			}
			if err := ctxsync.Sleep(ctx, wait); err != nil {
				return nil, err
			}
		default:
			return nil, err
		}
	}
}

// take records one chunk and adds it to the answer.
func (r *run) take(got *answer, chunk ai.Chunk) error {
	switch {
	case chunk.Call != nil:
		call := *chunk.Call
		args, broken := dialect.Args(call.Args)
		if call.Tool, call.Args = tools.Understood(call.Tool, args); call.Broken == "" {
			call.Broken = broken
		}
		call.ID = r.conversation.freshID(call.ID)
		got.calls = append(got.calls, call)
		return r.record(core.ToolCall{ID: call.ID, Tool: call.Tool, Args: call.Args})
	case chunk.Signed != nil:
		if !r.task.KeepsThoughts {
			return nil
		}
		got.thoughts.sign(*chunk.Signed)
		return r.record(core.ReasoningDelta{Signed: &core.SignedThought{
			Model: r.task.Model, Signature: chunk.Signed.Signature, Redacted: chunk.Signed.Redacted,
		}})
	case chunk.Cut:
		got.cut = true
	case chunk.Reasoning != "":
		got.thoughts.add(chunk.Reasoning)
		return r.record(core.ReasoningDelta{Delta: chunk.Reasoning})
	case chunk.Text != "":
		got.text.WriteString(chunk.Text)
		return r.record(core.MessageDelta{Delta: chunk.Text})
	}
	return nil
}
