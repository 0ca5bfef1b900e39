package core

// BackendCall is an entry of the log of a project's backend: one request for its data, or one run
// of a function. It has no body, no token and no value that somebody searched for.
type BackendCall struct {
	ID   ID       `json:"id"`
	Kind CallKind `json:"kind"`
	// CreatedAt is when the call came.
	CreatedAt Time   `json:"time"`
	Method    string `json:"method"`
	Path      string `json:"path"`
	// Status is that of the answer, StatusClientGone if nobody waited for it any more.
	Status int   `json:"status"`
	Millis int64 `json:"ms"`
	// User is the record of the end user whose token was verified, as collection/id; empty for a
	// guest.
	User string `json:"user"`
	// Error is why the call failed: for a function its exception with the stack, for a request
	// the message of the answer. It is empty otherwise.
	Error   string        `json:"error"`
	Console []ConsoleLine `json:"console"`
	// Omitted is how many calls of the kind before this one are not in the log, because too many
	// came at once.
	Omitted int64 `json:"omitted"`

	ProjectID ID      `json:"-"`
	Env       DataEnv `json:"-"`
}

// Failed reports whether a call failed.
func (c BackendCall) Failed() bool { return c.Status >= MinErrorStatus }

// ConsoleLine is a line that a function wrote to its console.
type ConsoleLine struct {
	Level string `json:"level"`
	Text  string `json:"text"`
}

// CallKind says what a BackendCall is.
type CallKind string

// The kinds of calls.
const (
	// CallRequest is a request for records, files or sign-in, under /_data/.
	CallRequest CallKind = "request"
	// CallFunction is a run of a function, under /_fn/.
	CallFunction CallKind = "function"
)

// ParseCallKind returns CodeInvalidRequest for any other word.
func ParseCallKind(text string) (CallKind, error) {
	switch kind := CallKind(text); kind {
	case CallRequest, CallFunction:
		return kind, nil
	}
	return "", Errorf(CodeInvalidRequest, "kind must be %s or %s", CallRequest, CallFunction)
}

const (
	// MinErrorStatus is the lowest HTTP status of a failed call.
	MinErrorStatus = 400
	// StatusClientGone is the status of a call whose client went away before the answer.
	StatusClientGone = 499
)

// MaxBackendCalls is how many of the newest calls of each kind are kept of an environment.
const MaxBackendCalls = 1000
