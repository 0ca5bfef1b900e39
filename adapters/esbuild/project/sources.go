package project

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"
	"syscall"
)

// Sources is the project's files as one build reads them. It reads every file once.
// esbuild's goroutines use it concurrently.
type Sources struct {
	files fs.FS

	// mu guards the fields below.
	mu      sync.Mutex
	found   map[string]bool
	content map[string][]byte
	bytes   int64
	// names are all files, once they have been listed.
	names  []string
	listed bool
	// failure is the first failure of the file system itself.
	failure error
}

// NewSources returns the sources of a project, each read once.
func NewSources(files fs.FS) *Sources {
	return &Sources{files: files, found: make(map[string]bool), content: make(map[string][]byte)}
}

// IsFile reports whether name is a regular file of the project.
func (s *Sources) IsFile(name string) bool {
	if !fs.ValidPath(name) || name == "." {
		return false
	}
	if _, own := ownModule(name); own {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if found, known := s.found[name]; known {
		return found
	}
	info, err := fs.Stat(s.files, name)
	s.noteLocked(err)
	s.found[name] = err == nil && info.Mode().IsRegular()
	return s.found[name]
}

// Read returns a file of at most limit bytes. Its errors may be shown to the project's
// authors.
func (s *Sources) Read(name string, limit int64) ([]byte, error) {
	if text, own := ownModule(name); own {
		return text, nil
	}
	if !s.IsFile(name) {
		return nil, fmt.Errorf("there is no file %q in the project", name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if content, read := s.content[name]; read {
		return content, nil
	}
	info, err := fs.Stat(s.files, name)
	if err == nil && info.Size() > limit {
		return nil, fmt.Errorf("%q is larger than %d bytes", name, limit)
	}
	content, err := fs.ReadFile(s.files, name)
	if err != nil {
		s.noteLocked(err)
		return nil, fmt.Errorf("%q cannot be read", name)
	}
	s.bytes += int64(len(content))
	if len(s.content) >= MaxFiles || s.bytes > maxTotalBytes {
		return nil, fmt.Errorf("the project has more than %d files or %d bytes", MaxFiles, maxTotalBytes)
	}
	s.content[name] = content
	return content, nil
}

// noteLocked records an error that means more than a missing file.
func (s *Sources) noteLocked(err error) {
	absent := []error{nil, fs.ErrNotExist, fs.ErrInvalid, syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.ELOOP}
	for _, harmless := range absent {
		if errors.Is(err, harmless) {
			return
		}
	}
	if s.failure == nil {
		s.failure = err
	}
}

// Broken returns the first failure of the file system, if any.
func (s *Sources) Broken() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure
}

// Walk returns the regular files below dir, sorted, except those in directories that skip
// names. A missing directory has no files.
func (s *Sources) Walk(dir string, skip func(name string) bool) []string {
	var names []string
	err := fs.WalkDir(s.files, dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name != dir && skip(name) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entry.Type().IsRegular() {
			names = append(names, name)
		}
		if len(names) > MaxFiles {
			return fs.SkipAll
		}
		return nil
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noteLocked(err)
	return names
}

// All returns the files of the project, sorted, except the hidden ones. It lists them
// once.
func (s *Sources) All() []string {
	s.mu.Lock()
	names, listed := s.names, s.listed
	s.mu.Unlock()
	if listed {
		return names
	}
	names = s.Walk(".", Hidden)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names, s.listed = names, true
	return names
}

// wellKnown is the only folder for visitors whose name begins with a dot (RFC 8615).
const wellKnown = ".well-known"

// Hidden reports whether a file does not belong to the site: settings, packages, build
// output.
func Hidden(name string) bool {
	switch first, _, _ := strings.Cut(name, "/"); first {
	case "dist", "build":
		return true
	}
	base := path.Base(name)
	return strings.HasPrefix(base, ".") && name != wellKnown || base == "node_modules"
}
