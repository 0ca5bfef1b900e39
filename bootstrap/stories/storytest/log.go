package storytest

import (
	"bytes"
	"log/slog"
	"sync"
	"testing"
)

// maxLog bounds what a service's log shows of a failed test, in bytes.
const maxLog = 64 << 10

// Log returns a log for a service. What a failed test's service warned of is printed at the
// test's end.
func Log(t testing.TB) *slog.Logger {
	kept := new(keptLog)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the service's log:\n%s", kept.text())
		}
	})
	return slog.New(slog.NewTextHandler(kept, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// keptLog keeps the beginning of a log.
type keptLog struct {
	mu    sync.Mutex
	lines bytes.Buffer
}

// Write implements io.Writer.
func (k *keptLog) Write(line []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lines.Len()+len(line) <= maxLog {
		k.lines.Write(line)
	}
	return len(line), nil
}

func (k *keptLog) text() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.lines.String()
}
