package esbuild

import (
	"crypto/sha256"
	"io/fs"
	"strings"
	"sync"
)

// tree is what the making of a module asks of the project's sources.
type tree interface {
	isFile(name string) bool
	read(name string, limit int64) ([]byte, error)
	walk(dir string, skip func(name string) bool) []string
	all() []string
}

var _ tree = (*sources)(nil)

// trace passes on what is asked of the sources and remembers the answers. As long
// as these are the same, so is what was made of them.
type trace struct {
	tree
	// main is the file whose content is known to be the same by other means.
	main string

	mu      sync.Mutex
	present map[string]bool
	sums    map[string][sha256.Size]byte
	// listed is the digest of the project's files, when all of them were looked at.
	listed *[sha256.Size]byte
}

func newTrace(files tree, main string) *trace {
	return &trace{tree: files, main: main, present: make(map[string]bool), sums: make(map[string][sha256.Size]byte)}
}

func (t *trace) isFile(name string) bool {
	found := t.tree.isFile(name)
	// No change of a project makes a file of what can be none.
	if fs.ValidPath(name) && name != "." {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.present[name] = found
	}
	return found
}

func (t *trace) read(name string, limit int64) ([]byte, error) {
	content, err := t.tree.read(name, limit)
	if err == nil && name != t.main {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.sums[name] = sha256.Sum256(content)
	}
	return content, err
}

// walk notes all files, since it is asked for few things, and any may be new.
func (t *trace) walk(dir string, skip func(name string) bool) []string {
	t.noteListing()
	return t.tree.walk(dir, skip)
}

func (t *trace) all() []string {
	t.noteListing()
	return t.tree.all()
}

func (t *trace) noteListing() {
	sum := listing(t.tree)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.listed = &sum
}

// listing is the digest of the names of a project's files.
func listing(files tree) [sha256.Size]byte {
	return sha256.Sum256([]byte(strings.Join(files.all(), "\x00")))
}

// holds reports whether files would give the same answers. Sizes do not count:
// what was read once is within every limit.
func (t *trace) holds(files tree) bool {
	for name, found := range t.present {
		if files.isFile(name) != found {
			return false
		}
	}
	for name, sum := range t.sums {
		content, err := files.read(name, maxAssetBytes)
		if err != nil || sha256.Sum256(content) != sum {
			return false
		}
	}
	return t.listed == nil || listing(files) == *t.listed
}

// size is what the trace weighs in memory, in bytes.
func (t *trace) size() int64 {
	size := int64(200)
	for name := range t.present {
		size += int64(len(name)) + 50
	}
	for name := range t.sums {
		size += int64(len(name)) + 80
	}
	return size
}

// rest lets go of the sources, which nothing asks any more.
func (t *trace) rest() { t.tree = nil }
