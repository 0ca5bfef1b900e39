// Package excerpt keeps the beginning of what a worker process writes to its standard error.
package excerpt

import (
	"bytes"
	"strings"
	"sync"
)

// maxBytes bounds what is kept.
const maxBytes = 2048

// Excerpt is an io.Writer that keeps the first 2 KiB of the output and discards the rest. The
// zero value is ready. Many goroutines may use it.
type Excerpt struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer. It never fails.
func (e *Excerpt) Write(output []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.text.Write(output[:min(len(output), maxBytes-e.text.Len())])
	return len(output), nil
}

// String returns the output before the first empty line, after which Go's runtime prints stack
// traces.
func (e *Excerpt) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	text, _, _ := strings.Cut(e.text.String(), "\n\n")
	return text
}
