package quickjs

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"modernc.org/quickjs"

	"github.com/atelierhq/atelier/ports/functions"
)

// isolate is one call in its machine. The call's thread uses it. The mutex guards what
// others read when that thread is abandoned.
type isolate struct {
	ctx    context.Context
	limits Limits
	call   functions.Call
	host   functions.Host
	meter  *meter
	// before is the value of Runner.before.
	before int

	vm       *quickjs.VM
	dispatch quickjs.Value
	inbox    inbox
	outcome  outcome
	console  console
}

// outcome is the end of a call. Only the first one counts.
type outcome struct {
	settled  bool
	response functions.Response
	failure  *functions.Failure
}

func newIsolate(ctx context.Context, limits Limits, call functions.Call, host functions.Host) *isolate {
	return &isolate{ctx: ctx, limits: limits, call: call, host: host, meter: newMeter(limits.Processor, ctx.Done()), inbox: newInbox()}
}

// open creates the machine and starts the call in it. The machine needs close even if that fails.
func (i *isolate) open(prelude, script []byte) error {
	vm, err := quickjs.NewVM()
	if err != nil {
		return err
	}
	i.inbox.mu.Lock()
	i.vm = vm
	i.inbox.mu.Unlock()
	vm.SetMemoryLimit(i.limits.Memory)
	vm.SetCanBlock(false)
	if err := vm.RegisterHostFunc(hostName, i.operate); err != nil {
		return err
	}
	if i.dispatch, err = vm.EvalBytecodeValue(prelude); err != nil {
		return err
	}
	body, err := vm.EvalBytecodeValue(script)
	if err != nil {
		return err
	}
	defer body.Free()
	head, err := json.Marshal(map[string]any{
		"method": i.call.Request.Method, "url": i.call.Request.URL, "header": pairsOf(i.call.Request.Header),
		"user": i.user(), "secrets": i.secrets(),
	})
	if err != nil {
		return err
	}
	content := base64.StdEncoding.EncodeToString(i.call.Request.Body)
	return i.turn("run", body, string(head), content)
}

func (i *isolate) user() json.RawMessage {
	if len(i.call.User) == 0 {
		return json.RawMessage("null")
	}
	return i.call.User
}

func (i *isolate) secrets() map[string]string {
	if i.call.Secrets == nil {
		return map[string]string{}
	}
	return i.call.Secrets
}

// turn calls into the machine and runs all pending jobs.
func (i *isolate) turn(what string, args ...any) error {
	_, err := i.dispatch.Call(quickjs.UndefinedValue, append([]any{what}, args...)...)
	for err == nil && !i.stopped() {
		var jobs int
		// The engine limits the jobs of one drain: repeat until none are left.
		jobs, err = i.vm.ExecutePendingJobs()
		if err != nil && strings.Contains(err.Error(), "aborted draining") {
			err = nil
			continue
		}
		if jobs == 0 {
			break
		}
	}
	return err
}

// stopped reports whether the call must end now.
func (i *isolate) stopped() bool {
	return i.outcome.settled || i.meter.over.Load() || i.ctx.Err() != nil
}

// loop delivers events until the function has answered.
func (i *isolate) loop() error {
	for !i.stopped() {
		if i.inbox.idle() {
			i.settle(functions.Response{}, &functions.Failure{Kind: functions.Unsettled, Message: "the function waits for a promise that nothing settles"})
			break
		}
		if err := i.next(); err != nil {
			return err
		}
	}
	return nil
}

// next waits for an event and lets the function handle it.
func (i *isolate) next() error {
	timer, due := i.inbox.nextTimer()
	select {
	case <-i.ctx.Done():
		return nil
	case what := <-i.inbox.arrived:
		return i.turn("settle", i.inbox.open(what)...)
	case <-due:
		i.inbox.clearTimer(timer)
		return i.turn("fire", timer)
	}
}

// settle ends the call, unless it has ended.
func (i *isolate) settle(response functions.Response, failure *functions.Failure) {
	if !i.outcome.settled {
		i.outcome = outcome{settled: true, response: response, failure: failure}
	}
}

// interrupt stops the machine. Other threads call it.
func (i *isolate) interrupt() {
	i.inbox.mu.Lock()
	vm := i.vm
	i.inbox.mu.Unlock()
	if vm != nil {
		vm.Interrupt()
	}
}

// close ends the machine, if there is one, and all waiting.
func (i *isolate) close() {
	i.inbox.close()
	i.inbox.mu.Lock()
	vm := i.vm
	i.vm = nil
	i.inbox.mu.Unlock()
	if vm == nil {
		return
	}
	if i.dispatch.VM() != nil { // else its script was not loaded
		i.dispatch.Free()
	}
	_ = vm.Close()
}

// refuse makes an error of the machine the call's failure.
func (i *isolate) refuse(err error) {
	failure := &functions.Failure{Kind: functions.Thrown, Message: err.Error()}
	var thrown *quickjs.Error
	if errors.As(err, &thrown) {
		failure.Stack = namePlaces(excerpt(thrown.Stack), i.before)
	}
	i.settle(functions.Response{}, failure)
}

// result returns the result on the call's thread.
func (i *isolate) result() functions.Result {
	found := functions.Result{Console: i.console.all(), Processor: i.meter.used()}
	switch {
	case i.outcome.settled && i.outcome.failure == nil:
		found.Response = i.outcome.response
	case i.outOfBounds(i.ctx) != nil:
		found.Failure = i.outOfBounds(i.ctx)
	case i.outcome.settled:
		found.Failure = explain(i.outcome.failure)
	default:
		found.Failure = &functions.Failure{Kind: functions.Unsettled, Message: "the function ended without an answer"}
	}
	return found
}

// abandoned returns the result of a call whose thread does not return.
func (i *isolate) abandoned(ctx context.Context) functions.Result {
	i.inbox.close()
	return functions.Result{Console: i.console.all(), Processor: i.meter.used(), Failure: i.outOfBounds(ctx)}
}

// outOfBounds returns the failure of a call that exceeded a time limit.
func (i *isolate) outOfBounds(ctx context.Context) *functions.Failure {
	switch {
	case i.meter.over.Load():
		return &functions.Failure{Kind: functions.OutOfProcessor, Message: "the function takes more than " + i.limits.Processor.String() + " of processor time"}
	case ctx.Err() != nil:
		return &functions.Failure{Kind: functions.OutOfTime, Message: "the function takes longer than " + i.limits.Time.String()}
	}
	return nil
}

// thrownNull is what the engine throws if it lacks memory for an exception. A function that
// throws null gets the same message about memory.
const thrownNull = "null"

// explain recognises the engine's limits in an exception.
func explain(failure *functions.Failure) *functions.Failure {
	known := *failure
	switch {
	case failure.Kind != functions.Thrown:
	case strings.Contains(failure.Message, "out of memory"), failure.Message == thrownNull:
		known.Kind, known.Message = functions.OutOfMemory, "the function takes more memory than it may have"
	case strings.Contains(failure.Message, "stack overflow"):
		known.Kind, known.Message = functions.TooDeep, "the function calls itself too deeply"
	}
	return &known
}

// console collects a function's console messages.
type console struct {
	mu    sync.Mutex
	lines []functions.Line
	bytes int
	full  bool
	// before is the value of Runner.before.
	before int
}

func (c *console) add(level, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.full {
		return
	}
	text = namePlaces(text, c.before)
	if len(c.lines) >= functions.MaxLines-1 || c.bytes+len(text) > functions.MaxConsoleBytes {
		c.full = true
		level, text = "warn", "further lines are not kept"
	}
	c.bytes += len(text)
	c.lines = append(c.lines, functions.Line{Level: level, Text: text})
}

func (c *console) all() []functions.Line {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lines
}
