package client

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/atelierhq/atelier/bootstrap/client/checkout"
	"github.com/atelierhq/atelier/bootstrap/client/remote"
)

// The exit codes, which scripts rely on; exitCodes is their description.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitSignIn      = 3
	exitNotFound    = 4
	exitConflict    = 5
	exitForbidden   = 6
	exitUnfinished  = 7
	exitUnavailable = 8
	exitInterrupted = 130
)

const exitCodes = `Exit codes: 0 done, 1 failed, 2 wrong use, 3 not signed in, 4 not found, 5 conflict (somebody was
faster, or something is in the way), 6 not allowed, 7 the agent, the build or a check did not succeed,
8 the installation cannot be reached or cannot do it now, 130 interrupted.
`

// Exit is the end of a command that did not succeed, of which people have already been told.
type Exit struct{ Code int }

// Error implements error.
func (e *Exit) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

// fault is what people and scripts are told of a failure.
type fault struct {
	// Code is that of the contract, or a word of this program.
	Code    string `json:"error"`
	Message string `json:"message"`
	// Next says what to do, "" if the message does.
	Next string `json:"next,omitempty"`
	Exit int    `json:"exit"`

	Diagnostics []remote.Diagnostic `json:"diagnostics,omitempty"`
	Plan        json.RawMessage     `json:"plan,omitempty"`
	Findings    json.RawMessage     `json:"findings,omitempty"`
	Checks      json.RawMessage     `json:"checks,omitempty"`
	Files       []string            `json:"files,omitempty"`
}

// Error implements error.
func (f *fault) Error() string { return f.Message }

// wrongUse is a command line that means nothing.
func wrongUse(format string, arguments ...any) error {
	return &fault{Code: "usage", Message: fmt.Sprintf(format, arguments...), Exit: exitUsage}
}

// faultOf turns any error into what is told of it.
func faultOf(err error) *fault {
	var told *fault
	var failure *remote.Failure
	var conflict *checkout.Conflict
	switch {
	case errors.As(err, &told):
		return told
	case errors.Is(err, flag.ErrHelp):
		return &fault{Exit: 0}
	case errors.As(err, &conflict):
		return &fault{Code: "conflict", Message: conflict.Message, Next: conflict.Next, Files: conflict.Files, Exit: exitConflict}
	case errors.As(err, &failure):
		return faultOfAnswer(failure)
	case errors.Is(err, context.Canceled):
		return &fault{Code: "interrupted", Message: "interrupted", Exit: exitInterrupted}
	}
	return &fault{Code: "failed", Message: err.Error(), Exit: exitFailed}
}

// faultOfAnswer says what to do about an answer of the service.
func faultOfAnswer(failure *remote.Failure) *fault {
	f := &fault{
		Code: failure.Code, Message: failure.Message, Exit: exitFailed,
		Diagnostics: failure.Diagnostics, Plan: failure.Plan, Findings: failure.Findings, Checks: failure.Checks,
	}
	switch status := failure.Status; {
	case failure.Code == remote.CodeUnreachable:
		f.Exit, f.Next = exitUnavailable, "check the address and the network, then try again"
	case failure.Code == remote.CodeNoInstallation:
		f.Exit = exitUnavailable
	case failure.Code == "invalid_credentials":
		f.Exit = exitSignIn
	case status == http.StatusUnauthorized:
		f.Exit, f.Next = exitSignIn, "sign in: atelier login"
	case failure.Code == "chat_busy":
		f.Exit, f.Next = exitConflict, "wait for the run, or stop it in the studio: atelier open"
	case status == http.StatusForbidden && failure.Code == "insufficient_scope":
		f.Exit, f.Next = exitForbidden, "use an API token that has this scope: atelier login"
	case status == http.StatusForbidden || status == http.StatusPaymentRequired:
		f.Exit = exitForbidden
	case status == http.StatusNotFound:
		f.Exit = exitNotFound
	case status == http.StatusConflict || status == http.StatusPreconditionFailed:
		f.Exit = exitConflict
	case status == http.StatusUnprocessableEntity:
		f.Exit = exitUnfinished
	case status == http.StatusTooManyRequests || status >= http.StatusInternalServerError:
		f.Exit, f.Next = exitUnavailable, "try again in a while"
	case status == http.StatusBadRequest:
		f.Exit = exitUsage
	}
	return f
}

// tell writes a fault, for people or as one JSON object.
func (f *fault) tell(to io.Writer, asJSON bool) {
	if asJSON {
		text, _ := json.Marshal(f)
		fmt.Fprintf(to, "%s\n", text)
		return
	}
	fmt.Fprintf(to, "atelier: %s\n", strings.TrimSpace(clean(f.Message)))
	for _, diagnostic := range f.Diagnostics {
		fmt.Fprintf(to, "  %s\n", clean(diagnostic.String()))
	}
	for _, name := range f.Files {
		fmt.Fprintf(to, "  %s\n", clean(name))
	}
	if f.Next != "" {
		fmt.Fprintf(to, "Next: %s\n", f.Next)
	}
}
