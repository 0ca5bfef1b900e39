package tools

import (
	"context"
	"errors"
	"path"
	"slices"

	"github.com/atelierhq/atelier/core"
)

// Types finds type errors in a project.
type Types interface {
	// Check returns the type errors of the project's current files. An error means that the
	// types are unknown.
	Check(ctx context.Context) ([]core.Diagnostic, error)
}

// typeChecker checks the types of the files that a run has changed.
type typeChecker struct {
	// types is nil where no types can be checked, and after a check that failed.
	types   Types
	touched map[string]bool
	// known is the last answer, nil since the run has changed a file.
	known *string
}

// note notes files that the run has changed.
func (t *typeChecker) note(changed []core.FileChanged) {
	for _, file := range changed {
		t.known = nil
		if t.touched == nil {
			t.touched = map[string]bool{}
		}
		t.touched[file.Path] = true
	}
}

// noteLog notes the files that a run has changed before it was interrupted.
func (t *typeChecker) noteLog(history []core.Event) {
	for _, event := range history {
		switch p := event.Payload.(type) {
		case core.UserMessage:
			t.touched = nil
		case core.FileChanged:
			t.note([]core.FileChanged{p})
		}
	}
}

// errors describes the type errors in files that the run has changed, "" if there are none or they
// cannot be found out.
func (t *typeChecker) errors(ctx context.Context) string {
	if t.types == nil || !t.isTyped() {
		return ""
	}
	if t.known != nil {
		return *t.known
	}
	all, err := t.types.Check(ctx)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		// Nobody waits for the answer any more.
		return ""
	case err != nil:
		// Without a compiler the next try would fail, too.
		t.types = nil
		return ""
	}
	found := Describe(slices.DeleteFunc(slices.Clone(all), func(d core.Diagnostic) bool { return !t.touched[d.Path] }))
	t.known = &found
	return found
}

// isTyped reports whether the run has changed a file that has types.
func (t *typeChecker) isTyped() bool {
	for name := range t.touched {
		switch path.Ext(name) {
		case ".ts", ".tsx", ".mts", ".cts":
			return true
		}
	}
	return false
}

// TypeErrors describes the type errors in files that the run has changed, "" if there are none or
// they cannot be found out.
func (w *Workbench) TypeErrors(ctx context.Context) string { return w.typing.errors(ctx) }
