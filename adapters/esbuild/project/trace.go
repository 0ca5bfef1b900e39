package project

import (
	"crypto/sha256"
	"io/fs"
	"strings"
	"sync"
)

// Tree is what the making of a module asks of the project's sources.
type Tree interface {
	IsFile(name string) bool
	Read(name string, limit int64) ([]byte, error)
	Walk(dir string, skip func(name string) bool) []string
	All() []string
}

var _ Tree = (*Sources)(nil)

// Trace passes on what is asked of the sources and remembers the answers. As long
// as these are the same, so is what was made of them.
type Trace struct {
	Tree
	// main is the file whose content is known to be the same by other means.
	main string

	mu      sync.Mutex
	present map[string]bool
	sums    map[string][sha256.Size]byte
	// listed is the digest of the project's files, when all of them were looked at.
	listed *[sha256.Size]byte
}

// NewTrace returns a trace of what is asked of files besides the content of main.
func NewTrace(files Tree, main string) *Trace {
	return &Trace{Tree: files, main: main, present: make(map[string]bool), sums: make(map[string][sha256.Size]byte)}
}

// IsFile implements Tree.
func (t *Trace) IsFile(name string) bool {
	found := t.Tree.IsFile(name)
	// No change of a project makes a file of what can be none.
	if fs.ValidPath(name) && name != "." {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.present[name] = found
	}
	return found
}

// Read implements Tree.
func (t *Trace) Read(name string, limit int64) ([]byte, error) {
	content, err := t.Tree.Read(name, limit)
	if err == nil && name != t.main {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.sums[name] = sha256.Sum256(content)
	}
	return content, err
}

// Walk notes all files, since it is asked for few things, and any may be new.
func (t *Trace) Walk(dir string, skip func(name string) bool) []string {
	t.noteListing()
	return t.Tree.Walk(dir, skip)
}

// All implements Tree.
func (t *Trace) All() []string {
	t.noteListing()
	return t.Tree.All()
}

func (t *Trace) noteListing() {
	sum := listing(t.Tree)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.listed = &sum
}

// listing is the digest of the names of a project's files.
func listing(files Tree) [sha256.Size]byte {
	return sha256.Sum256([]byte(strings.Join(files.All(), "\x00")))
}

// Holds reports whether files would give the same answers. Sizes do not count:
// what was read once is within every limit.
func (t *Trace) Holds(files Tree) bool {
	for name, found := range t.present {
		if files.IsFile(name) != found {
			return false
		}
	}
	for name, sum := range t.sums {
		content, err := files.Read(name, MaxAssetBytes)
		if err != nil || sha256.Sum256(content) != sum {
			return false
		}
	}
	return t.listed == nil || listing(files) == *t.listed
}

// Size is what the trace weighs in memory, in bytes.
func (t *Trace) Size() int64 {
	size := int64(200)
	for name := range t.present {
		size += int64(len(name)) + 50
	}
	for name := range t.sums {
		size += int64(len(name)) + 80
	}
	return size
}

// Rest lets go of the sources, which nothing asks any more.
func (t *Trace) Rest() { t.Tree = nil }
