package project

import (
	"crypto/sha256"
	"io/fs"
	"strings"
	"sync"
)

// Tree is the part of the project's sources that making a module reads.
type Tree interface {
	IsFile(name string) bool
	Read(name string, limit int64) ([]byte, error)
	Walk(dir string, skip func(name string) bool) []string
	All() []string
}

var _ Tree = (*Sources)(nil)

// Trace passes reads on to the sources and records the answers. A result can be reused
// while the sources give the same answers.
type Trace struct {
	Tree
	// main is a file whose content is already known to be the same.
	main string

	mu      sync.Mutex
	present map[string]bool
	sums    map[string][sha256.Size]byte
	// listed is the digest of the project's file names, if all of them were listed.
	listed *[sha256.Size]byte
}

// NewTrace returns a trace of everything that is read, except the content of main.
func NewTrace(files Tree, main string) *Trace {
	return &Trace{Tree: files, main: main, present: make(map[string]bool), sums: make(map[string][sha256.Size]byte)}
}

// IsFile implements Tree.
func (t *Trace) IsFile(name string) bool {
	found := t.Tree.IsFile(name)
	// A name that cannot be a file's never becomes one.
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

// Walk records all file names: it is called for few things, and any file may be new.
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

// Holds reports whether files would give the same answers. Size limits do not matter:
// a file that was read once is within every limit.
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

// Size is the memory that the trace takes, in bytes.
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

// Rest drops the sources once nothing reads them any more.
func (t *Trace) Rest() { t.Tree = nil }
