package builds

import (
	"fmt"
	"strings"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/toolchain"
)

// maxHeard is how many lines of a tool's output are kept, the last ones.
const maxHeard = 400

// maxQuoted is how many lines a person is shown if no error was recognised.
const maxQuoted = 12

// Hearing keeps the last lines of a tool's output. It may be used by many
// goroutines.
type Hearing struct {
	mu    sync.Mutex
	lines []string
	count int
}

// Say adds a line.
func (h *Hearing) Say(line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lines = append(h.lines[max(0, len(h.lines)+1-maxHeard):], line)
	h.count++
}

// Count is how many lines there have been.
func (h *Hearing) Count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.count
}

// Since returns the lines after the first count ones, if they are still kept.
func (h *Hearing) Since(count int) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	fresh := min(h.count-count, len(h.lines))
	return append([]string(nil), h.lines[len(h.lines)-max(0, fresh):]...)
}

// Last returns the last line that is not blank, "" if there is none.
func (h *Hearing) Last() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := len(h.lines) - 1; i >= 0; i-- {
		if line := strings.TrimSpace(h.lines[i]); line != "" {
			return line
		}
	}
	return ""
}

// Blame says why a tool failed: the errors in its output, else how it ended and the
// last lines of its output.
func Blame(what string, how toolchain.Outcome, said []string) []core.Diagnostic {
	if how.Ended == "" {
		if found := Diagnose(said); len(found) > 0 {
			return found
		}
	}
	message := fmt.Sprintf("%s ended with exit code %d", what, how.ExitCode)
	if how.Ended != "" {
		message = fmt.Sprintf("%s was ended, because it took too much %s", what, how.Ended)
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
