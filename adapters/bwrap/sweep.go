package bwrap

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/atelierhq/atelier/core"
)

// sweepSometimes removes, in the background, the workplaces of deleted projects and those
// that have long been unused.
func (t *Tools) sweepSometimes() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.swept) < sweepEvery {
		return
	}
	t.swept = time.Now()
	go t.sweep(unusedTime)
}

func (t *Tools) sweep(unused time.Duration) {
	entries, err := os.ReadDir(t.config.Dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		project, err := core.ParseID(entry.Name())
		if err != nil {
			continue
		}
		dispensable := func() bool {
			_, gone := os.Lstat(filepath.Join(t.runner.config.Root, entry.Name()))
			return errors.Is(gone, fs.ErrNotExist) || t.workplace(project).isUnused(unused)
		}
		if dispensable() {
			// The next sweep finds what cannot be removed now.
			_ = t.removeIf(context.Background(), project, dispensable)
		}
	}
}
