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
)

const (
	// DefaultMaxBytes is what a store may grow to.
	DefaultMaxBytes = 20 << 30
	// unusedAfter is when what nobody used leaves the store.
	unusedAfter = 30 * 24 * time.Hour
	// graceTime is for how long a thing stays after its last use, however full the
	// store is: what a build reads was installed for it, and no build takes a day.
	graceTime = 24 * time.Hour
	// noteEvery is how often a process notes that it uses a set again and again.
	noteEvery = time.Hour
	// abandonedAfter is when what lies in tmp belongs to no living process.
	abandonedAfter = 24 * time.Hour
	// sweepEvery is the time between two sweeps, and from the start to the first.
	sweepEvery = 6 * time.Hour
)

// Swept is what a sweep found.
type Swept struct {
	// Removed counts sets, instances, contents, archives and packuments.
	Removed int
	// Bytes is what the rest takes; files that packages share count once.
	Bytes int64
}

// SweepRegularly sweeps in the background until stop is called, which waits for
// the end of a sweep that runs. report is told of every sweep.
func (r *Resolver) SweepRegularly(report func(Swept, error)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for sleep(ctx, sweepEvery) == nil {
			if swept, err := r.Sweep(ctx); ctx.Err() == nil {
				report(swept, err)
			}
		}
	}()
	return func() { cancel(); <-done }
}

// Sweep removes what nobody has used for a month, and, while the store is larger
// than Config.MaxBytes, what was used the longest ago; nothing that was used in the
// last day. Locks stay, so that what is fetched again is the same. It may run beside
// installations, in this process and in others. What mirrors keep is held to half of
// Config.MaxBytes. An error is one of the disk; what is left then works.
func (r *Resolver) Sweep(ctx context.Context) (Swept, error) {
	var swept Swept
	err := r.store.sweepTmp()
	if err == nil {
		swept.Removed, err = r.store.trimMirror(r.maxBytes / 2)
	}
	for age := unusedAfter; err == nil; age /= 2 {
		age = max(age, graceTime)
		var removed int
		removed, err = r.store.sweepOlder(ctx, time.Now().Add(-age))
		if swept.Removed += removed; err != nil {
			break
		}
		if swept.Bytes, err = r.store.size(ctx); swept.Bytes <= r.maxBytes || age == graceTime {
			break
		}
	}
	return swept, err
}

// sweepOlder removes what was not used since a time. A set needs its instances and
// an instance its content, so they go in this order, and what one that is left
// needs stays.
func (s *store) sweepOlder(ctx context.Context, before time.Time) (removed int, err error) {
	sweep := func(part string, needed func(name string) bool) {
		entries, readErr := os.ReadDir(s.path(part))
		err = errors.Join(err, readErr)
		for _, entry := range entries {
			if err = errors.Join(err, ctx.Err()); err != nil {
				return
			}
			info, infoErr := entry.Info()
			if infoErr != nil || info.ModTime().After(before) || needed(entry.Name()) {
				continue
			}
			gone, removeErr := s.removeUnused(before, part, entry.Name())
			err = errors.Join(err, removeErr)
			if gone {
				removed++
			}
		}
	}
	never := func(string) bool { return false }
	for _, part := range []string{setsDir, tarballsDir, packumentsDir} {
		sweep(part, never)
	}
	linked, markErr := s.linkedInstances()
	if err = errors.Join(err, markErr); err != nil {
		return removed, err
	}
	sweep(instancesDir, func(name string) bool { return linked[name] })
	sweep(contentDir, func(name string) bool { return s.hasLinks(name) })
	return removed, err
}

// linkedInstances follows the links of all sets. An instance that a set made after
// this needs was used a moment ago.
func (s *store) linkedInstances() (map[string]bool, error) {
	sets, err := os.ReadDir(s.path(setsDir))
	if err != nil {
		return nil, err
	}
	var queue []string
	for _, set := range sets {
		queue = append(queue, s.path(setsDir, set.Name()))
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
				queue = append(queue, s.path(instancesDir, name))
			}
		}
	}
	return linked, nil
}

// linksBelow returns the instances that a node_modules directory links to: its
// entries, and those of its scopes.
func (s *store) linksBelow(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // somebody removed it by hand
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

// instanceOf returns the name of the instance that a path leads into.
func (s *store) instanceOf(path string) string {
	inside, _ := strings.CutPrefix(path, s.path(instancesDir)+string(filepath.Separator))
	name, _, _ := strings.Cut(inside, string(filepath.Separator))
	return name
}

// hasLinks reports whether instances share the files of a content: then removing it
// would free nothing.
func (s *store) hasLinks(content string) bool {
	shared := false
	_ = filepath.WalkDir(s.path(contentDir, content), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		var stat unix.Stat_t
		shared = unix.Lstat(path, &stat) == nil && stat.Nlink > 1
		return fs.SkipAll // one file speaks for all
	})
	return shared
}

// size adds up the files of all contents, which the instances share, and what the
// mirror keeps.
func (s *store) size(ctx context.Context) (total int64, err error) {
	for _, part := range []string{contentDir, tarballsDir, packumentsDir} {
		err = errors.Join(err, filepath.WalkDir(s.path(part), func(_ string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // another process swept it
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

// removeUnused removes a thing that was not used since a time. It leaves its place
// at once and is deleted from tmp, so that it is never there in parts.
func (s *store) removeUnused(before time.Time, parts ...string) (bool, error) {
	scratch, err := s.scratch()
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(scratch)
	taken := false
	err = s.locked(unix.LOCK_EX, func() error {
		info, err := os.Lstat(s.path(parts...))
		if err != nil || info.ModTime().After(before) {
			return ignoreGone(err)
		}
		taken = true
		return os.Rename(s.path(parts...), filepath.Join(scratch, "unused"))
	})
	return taken && err == nil, err
}

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// use reports whether a thing is in the store, and notes that it is used: then it
// stays for graceTime at least.
func (s *store) use(parts ...string) bool {
	err := s.locked(unix.LOCK_SH, func() error { return s.touch(parts...) })
	return err == nil
}

// touch makes now the time of a thing's last use.
func (s *store) touch(parts ...string) error {
	now := time.Now()
	return os.Chtimes(s.path(parts...), now, now)
}

// locked runs do while this process holds the lock of the store, alone
// (unix.LOCK_EX) or beside others (unix.LOCK_SH). It is held for moments only.
func (s *store) locked(how int, do func() error) error {
	file, err := os.OpenFile(s.path("lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer file.Close() // and with it the lock
	for err = unix.EINTR; errors.Is(err, unix.EINTR); {
		err = unix.Flock(int(file.Fd()), how)
	}
	if err != nil {
		return err
	}
	return do()
}

// sweepTmp removes what processes that died left in tmp. What cannot be removed
// does no harm.
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
