package workerprocess

import (
	"bytes"
	"strings"
	"sync"
)

// maxExcerptBytes bounds an excerpt.
const maxExcerptBytes = 2048

// excerpt is an io.Writer that keeps the first 2 KiB of what a worker writes to its standard
// error, and discards the rest. The zero value is ready. Many goroutines may use it.
type excerpt struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer. It never fails.
func (e *excerpt) Write(output []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.text.Write(output[:min(len(output), maxExcerptBytes-e.text.Len())])
	return len(output), nil
}

// String returns the output before the first empty line, after which Go's runtime prints stack
// traces.
func (e *excerpt) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	text, _, _ := strings.Cut(e.text.String(), "\n\n")
	return text
}
