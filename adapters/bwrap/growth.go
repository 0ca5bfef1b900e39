package bwrap

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
)

// errEnough stops a measurement early.
var errEnough = errors.New("enough")

// measure walks through directories and adds up their files and disk space, until the sum
// exceeds enough or ctx ends.
func measure(ctx context.Context, enough int64, dirs ...string) (files int, size int64) {
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
			if ctx.Err() != nil {
				return fs.SkipAll
			}
			if err != nil {
				return nil // The file was removed meanwhile.
			}
			files++
			var stat unix.Stat_t
			if !entry.IsDir() && unix.Lstat(name, &stat) == nil {
				size += max(stat.Size, stat.Blocks*512)
			}
			if files > maxWorkFiles || size > enough {
				return errEnough
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			break
		}
	}
	return files, size
}

const (
	// weighEvery is how often a project is measured while a command runs in it. At most one
	// part in weighShare of the time is spent on measuring.
	weighEvery = 200 * time.Millisecond
	weighShare = 10
)

// growth measures a project while a command runs in it.
type growth struct {
	most int64
	// start is what the project took before. A project without room takes no new content at
	// all.
	start int64
	over  atomic.Bool
}

// watchGrowth measures a project immediately and then repeatedly until ctx ends.
func watchGrowth(ctx context.Context, t task) *growth {
	g := &growth{most: t.projectBytes}
	if g.most == 0 {
		return g
	}
	_, g.start = measure(ctx, g.most, t.dir)
	if g.isFull() {
		return g
	}
	go func() {
		for pause := weighEvery; ; {
			if ctxsync.Sleep(ctx, pause) != nil {
				return
			}
			begun := time.Now()
			if files, size := measure(ctx, g.most, t.dir); files > maxWorkFiles || size > g.most {
				g.over.Store(true)
				return
			}
			pause = max(weighEvery, weighShare*time.Since(begun))
		}
	}()
	return g
}

// isFull reports whether the project had no room at the start.
func (g *growth) isFull() bool { return g.most > 0 && g.start > g.most }

// reached reports whether the command has filled the project.
func (g *growth) reached() bool { return g.over.Load() }

// note records which limit a command has met, "" if none.
func (g *growth) note() string {
	switch {
	case g.isFull():
		return fmt.Sprintf("The project takes more than its %d bytes, including its history, so this command could not write files: delete some.\n", g.most)
	case g.over.Load():
		return fmt.Sprintf("The project may take %d bytes, including its history, and have at most %d files: this command exceeded that.\n", g.most, maxWorkFiles)
	}
	return ""
}

// checkRoom returns core.CodePayloadTooLarge if the project has no room for what tools create.
func checkRoom(ctx context.Context, dir string, most int64) error {
	if most == 0 {
		return nil
	}
	if _, size := measure(ctx, most, dir); size > most {
		return core.Errorf(core.CodePayloadTooLarge, "the project takes more than its %d bytes (MAX_PROJECT_BYTES), including its history: delete files", most)
	}
	return nil
}
