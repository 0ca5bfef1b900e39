// Package functions is the port to the engine that runs functions of projects: code that
// answers requests, written by strangers.
package functions

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Runner runs functions. Each call runs in an isolate of its own, which nothing of an earlier
// call reaches, and which reaches nothing but its Host. It may be used by many goroutines.
type Runner interface {
	// Run makes one call and returns when the function has answered or failed. A promise that
	// the function leaves behind is abandoned then.
	//
	// What the function does wrong is the result's Failure, never the error: that means that
	// the engine itself failed (core.CodeUnavailable), so that the function may have run in
	// part, or that ctx ended.
	Run(ctx context.Context, call Call, host Host) (Result, error)
}

// Bounds of one call. Beyond them the call fails.
const (
	// MaxMemoryBytes bounds the isolate's memory.
	MaxMemoryBytes = 64 << 20
	// MaxProcessor bounds the time of a processor, MaxTime all of the call.
	MaxProcessor = 5 * time.Second
	MaxTime      = 30 * time.Second
	// MaxWait is how long a call for somebody who waits for the answer waits to begin.
	MaxWait = 5 * time.Second
	// MaxCodeBytes bounds the code, MaxBodyBytes the body of the request.
	MaxCodeBytes = 8 << 20
	MaxBodyBytes = 1 << 20
	// MaxAnswerBytes bounds the body of the answer, and of every answer to a fetch.
	MaxAnswerBytes = 5 << 20
	// MaxHostCalls is how many calls of its Host a function makes, MaxHostCallsAtATime how
	// many of them at the same time.
	MaxHostCalls        = 200
	MaxHostCallsAtATime = 20
	// MaxPrompts is how many of them are prompts, MaxPromptBytes bounds the text of one, with
	// what the options say, and MaxPromptTokens its answer.
	MaxPrompts      = 10
	MaxPromptBytes  = 64 << 10
	MaxPromptTokens = 4096
	// MaxLines and MaxConsoleBytes bound what is kept of the console.
	MaxLines        = 200
	MaxConsoleBytes = 64 << 10
)

// Call is one call of a function.
type Call struct {
	// Tenant is the workspace: an engine shares itself fairly among tenants.
	Tenant core.ID
	// Wait bounds how long the call waits for a place, 0 for as long as ctx lasts. The time of the
	// call counts from when it begins. Beyond Wait it has not run, and the error has
	// core.CodeUnavailable and RetryAfter.
	Wait time.Duration `json:"-"`
	// Code is a CommonJS script. Its default export is the function, or an object with a
	// method fetch. The same code may be kept compiled.
	Code    []byte
	Request Request
	// User becomes ctx.user: a JSON object, or empty for a guest.
	User json.RawMessage
	// Secrets become ctx.secrets.
	Secrets map[string]string
}

// Request is a request to a function, or one that a function sends. URL is absolute.
type Request struct {
	Method string
	URL    string
	Header http.Header
	Body   []byte
}

// Response is an answer, of a function or to a function.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Result is how a call ended. Console has what the function said until then.
type Result struct {
	Response Response
	// Failure says why there is no response; it is nil if there is one.
	Failure *Failure
	Console []Line
	// Processor is the time of a processor that the function took.
	Processor time.Duration
}

// Failure is a function's own fault, for the project's members: it may quote data.
type Failure struct {
	Kind    FailureKind
	Message string
	// Stack is where it happened, a frame a line; it may be empty. It names places in the code
	// as ScriptName:line:column, as lines of the console do that show a stack.
	Stack string
}

// ScriptName is the name of a call's code in stacks.
const ScriptName = "function.js"

// Error implements error.
func (f *Failure) Error() string { return f.Message }

// FailureKind says what went wrong.
type FailureKind string

// The kinds of failures.
const (
	// Thrown is an exception or a rejected promise, Invalid an answer that is no Response, or
	// code without a function.
	Thrown  FailureKind = "thrown"
	Invalid FailureKind = "invalid"
	// Unsettled is a promise that nothing can settle any more.
	Unsettled FailureKind = "unsettled"
	// The others are bounds: MaxProcessor, MaxTime, MaxMemoryBytes, the depth of calls, and
	// MaxAnswerBytes.
	OutOfProcessor FailureKind = "processor"
	OutOfTime      FailureKind = "time"
	OutOfMemory    FailureKind = "memory"
	TooDeep        FailureKind = "depth"
	TooLarge       FailureKind = "size"
)

// Line is one line of the console.
type Line struct {
	Level string
	Text  string
}

// Host is everything that a function reaches. Its methods may be called at the same time; ctx
// ends with the call. What they return as a message of a *core.Error is told to the function,
// other errors are told as "internal error".
type Host interface {
	// Fetch sends a request to the network, and follows redirects.
	Fetch(ctx context.Context, request Request) (Response, error)
	// Data sends a request to the project's records, in PocketBase's interface. URL is a path
	// that begins with /api/. The rights are the caller's, or everybody's with admin.
	Data(ctx context.Context, request Request, admin bool) (Response, error)
	// Mail sends a mail.
	Mail(ctx context.Context, to, subject, text string) error
	// AI answers a prompt.
	AI(ctx context.Context, prompt string, options AIOptions) (string, error)
}

// AIOptions are a function's wishes for a prompt.
type AIOptions struct {
	System string `json:"system,omitempty"`
	// MaxTokens bounds the answer; 0 is MaxPromptTokens.
	MaxTokens int `json:"maxTokens,omitempty"`
}
