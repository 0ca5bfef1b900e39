package checkout

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

// Change is how a file differs.
type Change struct {
	Path string `json:"path"`
	// Kind is "added", "changed" or "removed", or "merged" for a text that both sides changed.
	Kind string `json:"kind"`
}

// changeOf names the difference between two states of a file.
func changeOf(path string, before, after file) Change {
	switch {
	case !before.exists():
		return Change{path, "added"}
	case !after.exists():
		return Change{path, "removed"}
	}
	return Change{path, "changed"}
}

// present reads a file of the folder. It ignores a folder or a link in its place, and the second
// result says so.
func (f disk) present(path string) (found file, content []byte, blocked bool, err error) {
	info, err := f.root.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return file{}, nil, f.isBlocked(path), nil
	case err != nil:
		return file{}, nil, f.isBlocked(path), nil //nolint:nilerr // a file is in the place of its folder
	case !info.Mode().IsRegular():
		return file{}, nil, true, nil
	}
	if content, err = f.root.ReadFile(path); err != nil {
		return file{}, nil, false, err
	}
	return file{plumbing.ComputeHash(plumbing.BlobObject, content), modeOf(info)}, content, false, nil
}

// isBlocked reports whether something that is no folder is above a path.
func (f disk) isBlocked(path string) bool {
	for at := strings.IndexByte(path, '/'); at >= 0; {
		info, err := f.root.Lstat(path[:at])
		if err != nil {
			return false
		}
		if !info.IsDir() {
			return true
		}
		next := strings.IndexByte(path[at+1:], '/')
		if next < 0 {
			return false
		}
		at += 1 + next
	}
	return false
}

func modeOf(info fs.FileInfo) filemode.FileMode {
	if info.Mode()&0o100 != 0 {
		return filemode.Executable
	}
	return filemode.Regular
}

// scan returns the files of the folder that belong to the project: those that a commit has, and
// all others that no .gitignore leaves out. The second result are links and other things that
// are left out.
func (f disk) scan(tracked map[string]file) (map[string]file, []string, error) {
	return f.scanCached(tracked, map[string]stamp{})
}

// stamp is by what a file is taken for unchanged.
type stamp struct {
	size     int64
	modified time.Time
	seen     time.Time
	file     file
}

// settleTime is how old a file must be to be taken for unchanged by its time, which clocks of
// file systems count in steps.
const settleTime = 2 * time.Second

// stamped is present, and takes from the cache what has not changed since.
func (f disk) stamped(path string, cache map[string]stamp) (file, error) {
	info, err := f.root.Lstat(path)
	if err == nil && info.Mode().IsRegular() {
		last, known := cache[path]
		if known && last.size == info.Size() && last.modified.Equal(info.ModTime()) && last.file.mode == modeOf(info) && last.modified.Before(last.seen.Add(-settleTime)) {
			return last.file, nil
		}
	}
	now := time.Now()
	one, _, _, failed := f.present(path)
	if err == nil && one.exists() {
		cache[path] = stamp{info.Size(), info.ModTime(), now, one}
	}
	return one, failed
}

// scanCached is scan with a cache between calls.
func (f disk) scanCached(tracked map[string]file, cache map[string]stamp) (map[string]file, []string, error) {
	found, skipped := map[string]file{}, []string{}
	s := &scanner{folder: f, found: found, cache: cache}
	if err := s.walk(nil, nil); err != nil {
		return nil, nil, err
	}
	for path := range tracked {
		if _, seen := found[path]; seen {
			continue
		}
		one, err := f.stamped(path, cache)
		if err != nil {
			return nil, nil, err
		}
		if one.exists() {
			found[path] = one
		}
	}
	return found, append(skipped, s.skipped...), nil
}

// scanner walks a folder.
type scanner struct {
	folder  disk
	cache   map[string]stamp
	found   map[string]file
	skipped []string
}

func (s *scanner) walk(at []string, patterns []gitignore.Pattern) error {
	name := strings.Join(at, "/")
	if name == "" {
		name = "."
	}
	entries, err := fs.ReadDir(s.folder.root.FS(), name)
	if err != nil {
		return err
	}
	patterns = append(slices.Clip(patterns), s.patterns(at)...)
	matcher := gitignore.NewMatcher(patterns)
	for _, entry := range entries {
		below := append(slices.Clone(at), entry.Name())
		path := strings.Join(below, "/")
		if strings.EqualFold(entry.Name(), ".git") || matcher.Match(below, entry.IsDir()) || entry.IsDir() && entry.Name() == "node_modules" {
			continue // what a commit has of it is looked for afterwards
		}
		if entry.IsDir() {
			if err := s.walk(below, patterns); err != nil {
				return err
			}
			continue
		}
		one, err := s.folder.stamped(path, s.cache)
		if err != nil {
			return err
		}
		if !one.exists() {
			s.skipped = append(s.skipped, path)
			continue
		}
		s.found[path] = one
	}
	return nil
}

// patterns reads the .gitignore of a folder.
func (s *scanner) patterns(at []string) []gitignore.Pattern {
	text, err := s.folder.root.ReadFile(strings.Join(append(slices.Clone(at), ".gitignore"), "/"))
	if err != nil {
		return nil
	}
	var found []gitignore.Pattern
	for line := range bytes.Lines(text) {
		if pattern := strings.TrimRight(string(line), "\r\n"); strings.TrimSpace(pattern) != "" && pattern[0] != '#' {
			found = append(found, gitignore.ParsePattern(pattern, at))
		}
	}
	return found
}

// differences lists how two states of the files differ, by path.
func differences(before, after map[string]file) []Change {
	changed := []Change{}
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if before[path] != after[path] {
			changed = append(changed, changeOf(path, before[path], after[path]))
		}
	}
	return changed
}
