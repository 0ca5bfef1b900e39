package tools

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Types finds type errors in a project.
type Types interface {
	// Check returns the type errors of the project's current files. An error means that the
	// types are unknown.
	Check(ctx context.Context) ([]core.Diagnostic, error)
	// CheckFile returns those of one file, and of its imports what cannot be found. It is far quicker
	// once it has been asked.
	CheckFile(ctx context.Context, file core.ProjectPath) ([]core.Diagnostic, error)
}

// typeChecker checks the types of the files that a run has changed.
type typeChecker struct {
	// types is nil where no types can be checked, and after a check that failed for another reason
	// than its time.
	types   Types
	touched map[string]bool
	// changes counts the results with changes of the run. late says that a look at one file took too
	// long, so that no other file is looked at alone.
	changes int
	late    bool
	// known is the last answer, nil since the run has changed a file.
	known *string
	// unknown says why the last check failed, "" if it did not.
	unknown string
}

// note notes files that the run has changed.
func (t *typeChecker) note(changed []core.FileChanged) {
	t.changes++
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

// TypesLimit bounds a check of types: a minute.
const TypesLimit = time.Minute

// errors describes the type errors in files that the run has changed, "" if there are none. unknown
// says why they cannot be found out.
func (t *typeChecker) errors(ctx context.Context) (wrong, unknown string) {
	if t.types == nil || !t.isTyped() {
		return "", t.unknown
	}
	if t.known != nil {
		return *t.known, ""
	}
	limited, cancel := context.WithTimeout(ctx, TypesLimit)
	defer cancel()
	all, err := t.types.Check(limited)
	switch {
	case ctx.Err() != nil:
		// Nobody waits for the answer any more.
		return "", ""
	case limited.Err() != nil:
		t.unknown = "it took longer than a minute"
		return "", t.unknown
	case err != nil:
		// Without a compiler the next try would fail, too.
		t.types, t.unknown = nil, MessageOf(err)
		return "", t.unknown
	}
	found := Describe(slices.DeleteFunc(slices.Clone(all), func(d core.Diagnostic) bool { return !t.touched[d.Path] }))
	t.known, t.unknown = &found, ""
	return found, ""
}

// isTyped reports whether the run has changed a file that has types.
func (t *typeChecker) isTyped() bool {
	for name := range t.touched {
		if isTyped(name) {
			return true
		}
	}
	return false
}

func isTyped(name string) bool {
	return slices.Contains([]string{".ts", ".tsx", ".mts", ".cts"}, path.Ext(name))
}

// fileLimit bounds the look at one file: the check at the end of the run misses nothing.
const fileLimit = 5 * time.Second

// inFile describes the type errors in a file that the run has just changed, "" if none are known. The
// first change of a run asks nothing: most runs make no other, and the server behind it has to start.
func (t *typeChecker) inFile(ctx context.Context, file core.ProjectPath) string {
	if t.types == nil || t.late || t.changes == 0 || !isTyped(file.String()) {
		return ""
	}
	limited, cancel := context.WithTimeout(ctx, fileLimit)
	defer cancel()
	found, err := t.types.CheckFile(limited, file)
	if err != nil || len(found) == 0 {
		t.late = limited.Err() != nil && ctx.Err() == nil
		return ""
	}
	return "\nThis file has type errors:\n" + Describe(found)
}

// withTypes adds the type errors of the file to the result of a change, unless the build failed: that
// is to be mended first.
func (in *invocation) withTypes(ctx context.Context, file core.ProjectPath, result Result) Result {
	if !strings.Contains(result.Text, buildFailed) {
		result.Text += in.typing.inFile(ctx, file)
	}
	return result
}

// TypeErrors describes the type errors in files that the run has changed, "" if there are none.
// unknown says why they cannot be found out.
func (w *Workbench) TypeErrors(ctx context.Context) (wrong, unknown string) {
	return w.typing.errors(ctx)
}
