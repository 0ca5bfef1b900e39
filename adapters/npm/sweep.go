package npm

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/core/ctxsync"
)

const (
	// DefaultMaxBytes is the default maximum size of a store.
	DefaultMaxBytes = 20 << 30
	// maxUnused is how long something must be unused before it is removed from the
	// store.
	maxUnused = 30 * 24 * time.Hour
	// gracePeriod is how long an entry stays after its last use, however full the store is:
	// a build reads what was installed for it, and no build takes a day.
	gracePeriod = 24 * time.Hour
	// noteEvery is how often a process records that it keeps using a set.
	noteEvery = time.Hour
	// abandonedAfter is the age from which no living process uses a directory in tmp.
	abandonedAfter = 24 * time.Hour
	// sweepEvery is the time between two sweeps, and from the start to the first.
	sweepEvery = 6 * time.Hour
)

// SweepResult is the result of a sweep.
type SweepResult struct {
	// Removed counts sets, instances, contents, archives and packuments.
	Removed int
	// Bytes is the size of the rest. Files that packages share count once.
	Bytes int64
}

// SweepRegularly sweeps in the background until stop is called, which waits for a running
// sweep. report is called after every sweep.
func (r *Resolver) SweepRegularly(report func(SweepResult, error)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctxsync.Sleep(ctx, sweepEvery) == nil {
			if swept, err := r.Sweep(ctx); ctx.Err() == nil {
				report(swept, err)
			}
		}
	}()
	return func() { cancel(); <-done }
}

// Sweep removes what has not been used for a month. While the store is larger than
// Config.MaxBytes, it also removes what was least recently used (LRU), but nothing that
// was used in the last day. Locks stay, so that the same versions are fetched again. It
// may run beside installations, in this process and in others. The mirrors' cache may
// take half of Config.MaxBytes. An error is a failure of the disk; the rest of the store
// still works.
func (r *Resolver) Sweep(ctx context.Context) (SweepResult, error) {
	var swept SweepResult
	err := r.store.sweepTmp()
	if err == nil {
		swept.Removed, err = r.store.trimMirror(r.maxBytes / 2)
	}
	for age := maxUnused; err == nil; age /= 2 {
		age = max(age, gracePeriod)
		var removed int
		removed, err = sweep{&r.store, time.Now().Add(-age)}.run(ctx)
		if swept.Removed += removed; err != nil {
			break
		}
		if swept.Bytes, err = r.store.size(ctx); swept.Bytes <= r.maxBytes || age == gracePeriod {
			break
		}
	}
	return swept, err
}

// sweep removes what was not used since a time.
type sweep struct {
	store  *store
	before time.Time
}

// run sweeps all parts of the store. A set needs its instances and an instance its content.
// So they are removed in this order, and what a remaining one needs stays.
func (s sweep) run(ctx context.Context) (removed int, err error) {
	remove := func(part string, needed func(name string) bool) {
		entries, readErr := os.ReadDir(s.store.path(part))
		err = errors.Join(err, readErr)
		for _, entry := range entries {
			if err = errors.Join(err, ctx.Err()); err != nil {
				return
			}
			info, infoErr := entry.Info()
			if infoErr != nil || info.ModTime().After(s.before) || needed(entry.Name()) {
				continue
			}
			gone, removeErr := s.removeUnused(part, entry.Name())
			err = errors.Join(err, removeErr)
			if gone {
				removed++
			}
		}
	}
	never := func(string) bool { return false }
	for _, part := range []string{setsDir, tarballsDir, packumentsDir} {
		remove(part, never)
	}
	linked, markErr := s.linkedInstances()
	if err = errors.Join(err, markErr); err != nil {
		return removed, err
	}
	remove(instancesDir, func(name string) bool { return linked[name] })
	remove(contentDir, s.hasLinks)
	return removed, err
}

// linkedInstances follows the links of all sets. An instance that a newer set needs was
// used a moment ago.
func (s sweep) linkedInstances() (map[string]bool, error) {
	sets, err := os.ReadDir(s.store.path(setsDir))
	if err != nil {
		return nil, err
	}
	var queue []string
	for _, set := range sets {
		queue = append(queue, s.store.path(setsDir, set.Name()))
	}
	linked := make(map[string]bool)
	for ; len(queue) > 0; queue = queue[1:] {
		targets, err := s.linksBelow(filepath.Join(queue[0], "node_modules"))
		if err != nil {
			return nil, err
		}
		for _, name := range targets {
			if !linked[name] {
				linked[name] = true
				queue = append(queue, s.store.path(instancesDir, name))
			}
		}
	}
	return linked, nil
}

// linksBelow returns the instances that a node_modules directory links to: its entries,
// and those of its scopes.
func (s sweep) linksBelow(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it was removed by hand
	}
	var names []string
	for _, entry := range entries {
		at := filepath.Join(dir, entry.Name())
		switch {
		case entry.IsDir() && strings.HasPrefix(entry.Name(), "@") && filepath.Base(dir) == "node_modules":
			below, belowErr := s.linksBelow(at)
			names, err = append(names, below...), errors.Join(err, belowErr)
		case entry.Type()&fs.ModeSymlink != 0:
			target, readErr := os.Readlink(at)
			if err = errors.Join(err, readErr); readErr == nil {
				names = append(names, s.instanceOf(filepath.Join(dir, target)))
			}
		}
	}
	return names, err
}

// instanceOf returns the name of the instance to which a path leads.
func (s sweep) instanceOf(path string) string {
	inside, _ := strings.CutPrefix(path, s.store.path(instancesDir)+string(filepath.Separator))
	name, _, _ := strings.Cut(inside, string(filepath.Separator))
	return name
}

// hasLinks reports whether instances share the files of a content. Removing it would then
// free nothing.
func (s sweep) hasLinks(content string) bool {
	shared := false
	_ = filepath.WalkDir(s.store.path(contentDir, content), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		var stat unix.Stat_t
		shared = unix.Lstat(path, &stat) == nil && stat.Nlink > 1
		return fs.SkipAll // one file represents all
	})
	return shared
}

// removeUnused removes an entry that was not used since the time. It first renames the entry
// to tmp and then deletes it there, so that it never exists in parts.
func (s sweep) removeUnused(parts ...string) (bool, error) {
	scratch, err := s.store.scratch()
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(scratch)
	taken := false
	err = s.store.locked(unix.LOCK_EX, func() error {
		info, err := os.Lstat(s.store.path(parts...))
		if err != nil || info.ModTime().After(s.before) {
			return ignoreGone(err)
		}
		taken = true
		return os.Rename(s.store.path(parts...), filepath.Join(scratch, "unused"))
	})
	return taken && err == nil, err
}

// size adds up the files of all contents, which the instances share, and the mirror's
// cache.
func (s *store) size(ctx context.Context) (total int64, err error) {
	for _, part := range []string{contentDir, tarballsDir, packumentsDir} {
		err = errors.Join(err, filepath.WalkDir(s.path(part), func(_ string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // another process removed it
			}
			if err = errors.Join(err, ctx.Err()); err != nil || entry.IsDir() {
				return err
			}
			if info, infoErr := entry.Info(); infoErr == nil {
				total += info.Size()
			}
			return nil
		}))
	}
	return total, err
}

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// use reports whether an entry is in the store and records its use. It then stays at least
// for gracePeriod.
func (s *store) use(parts ...string) bool {
	err := s.locked(unix.LOCK_SH, func() error { return s.touch(parts...) })
	return err == nil
}

// touch sets the time of an entry's last use to now.
func (s *store) touch(parts ...string) error {
	now := time.Now()
	return os.Chtimes(s.path(parts...), now, now)
}

// locked calls do while this process holds the lock of the store, exclusively
// (unix.LOCK_EX) or shared (unix.LOCK_SH). It is held only briefly.
func (s *store) locked(how int, do func() error) error {
	file, err := os.OpenFile(s.path("lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer file.Close() // which releases the lock
	for err = unix.EINTR; errors.Is(err, unix.EINTR); {
		err = unix.Flock(int(file.Fd()), how)
	}
	if err != nil {
		return err
	}
	return do()
}

// sweepTmp removes what dead processes left in tmp. What cannot be removed does no harm.
func (s *store) sweepTmp() error {
	entries, err := os.ReadDir(s.path(tmpDir))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && time.Since(info.ModTime()) > abandonedAfter {
			_ = os.RemoveAll(s.path(tmpDir, entry.Name()))
		}
	}
	return nil
}
