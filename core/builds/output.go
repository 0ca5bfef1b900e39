package builds

import (
	"fmt"
	"strings"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/toolchain"
)

// maxOutputLines is how many lines of a tool's output are kept, the last ones.
const maxOutputLines = 400

// maxQuoted is how many lines a person is shown if no error was recognised.
const maxQuoted = 12

// OutputTail keeps the last lines of a tool's output. It may be used by many
// goroutines.
type OutputTail struct {
	mu    sync.Mutex
	lines []string
	count int
}

// Add adds a line.
func (t *OutputTail) Add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines[max(0, len(t.lines)+1-maxOutputLines):], line)
	t.count++
}

// Count is how many lines there have been.
func (t *OutputTail) Count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count
}

// Since returns the lines after the first count ones, if they are still kept.
func (t *OutputTail) Since(count int) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	fresh := min(t.count-count, len(t.lines))
	return append([]string(nil), t.lines[len(t.lines)-max(0, fresh):]...)
}

// Last returns the last line that is not blank, "" if there is none.
func (t *OutputTail) Last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := len(t.lines) - 1; i >= 0; i-- {
		if line := strings.TrimSpace(t.lines[i]); line != "" {
			return line
		}
	}
	return ""
}

// ExplainFailure says why a tool failed: the errors in its output, else how it ended and the
// last lines of its output.
func ExplainFailure(what string, how toolchain.Outcome, said []string) []core.Diagnostic {
	if how.Ended == "" {
		if found := Diagnose(said); len(found) > 0 {
			return found
		}
	}
	message := fmt.Sprintf("%s ended with exit code %d", what, how.ExitCode)
	if how.Ended != "" {
		message = fmt.Sprintf("%s was stopped because it took too much %s", what, how.Ended)
	}
	var quoted []string
	for _, line := range said {
		if strings.TrimSpace(line) != "" {
			quoted = append(quoted, line)
		}
	}
	if quoted = quoted[max(0, len(quoted)-maxQuoted):]; len(quoted) > 0 {
		message += ":\n" + strings.Join(quoted, "\n")
	}
	return []core.Diagnostic{{Message: cutMessage(message)}}
}
