package objects

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// Packs reads packed objects. It caches the pack indexes until an object is missing or
// cannot be read, which means that packs have come or gone.
type Packs struct {
	dir string

	mu    sync.Mutex
	store *filesystem.ObjectStorage
}

// NewPacks returns a reader of the packs of the repository at dir.
func NewPacks(dir string) *Packs { return &Packs{dir: dir} }

// packCacheSize bounds the delta bases that are cached for a project.
const packCacheSize = 2 * cache.MiByte

func (p *Packs) read(hash plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.store != nil {
		if kind, body, err := readPacked(p.store, hash); err == nil {
			return kind, body, nil
		}
	}
	p.reopen()
	kind, body, err := readPacked(p.store, hash)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		err = fmt.Errorf("object %s: %w", hash, fs.ErrNotExist)
	}
	return kind, body, err
}

// reopen looks again which packs there are. The caller holds the lock.
func (p *Packs) reopen() {
	storage := filesystem.NewStorage(osfs.New(p.dir, osfs.WithBoundOS()), cache.NewObjectLRU(packCacheSize))
	p.store = &storage.ObjectStorage
}

func readPacked(store *filesystem.ObjectStorage, hash plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	found, err := store.EncodedObject(plumbing.AnyObject, hash)
	if err != nil {
		return plumbing.InvalidObject, nil, err
	}
	reader, err := found.Reader()
	if err != nil {
		return plumbing.InvalidObject, nil, err
	}
	defer reader.Close()
	body, err := io.ReadAll(reader)
	return found.Type(), body, err
}

// size returns the number of bytes of a packed object.
func (p *Packs) size(hash plumbing.Hash) (int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.store != nil {
		if size, err := p.store.EncodedObjectSize(hash); err == nil {
			return size, nil
		}
	}
	p.reopen()
	size, err := p.store.EncodedObjectSize(hash)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		err = fmt.Errorf("object %s: %w", hash, fs.ErrNotExist)
	}
	return size, err
}
