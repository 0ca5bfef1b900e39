// Package objects keeps objects in memory.
package objects

import (
	"bytes"
	"context"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/objects"
)

var _ objects.Store = (*Store)(nil)

// Store keeps objects in memory. It is safe for concurrent use.
type Store struct {
	// mu guards contents and broken.
	mu       sync.Mutex
	contents map[string][]byte
	broken   error
}

// New returns an empty store.
func New() *Store { return &Store{contents: make(map[string][]byte)} }

// Break makes every later call fail with err, until Break(nil).
func (o *Store) Break(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.broken = err
}

// Damage changes the stored content of an object, as a failing disk does.
func (o *Store) Damage(name string, change func([]byte) []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.contents[name] = change(bytes.Clone(o.contents[name]))
}

// with calls work while the store is locked.
func (o *Store) with(ctx context.Context, work func() error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if o.broken != nil {
		return core.Wrap(core.CodeUnavailable, o.broken, "the storage failed")
	}
	return work()
}

// Put implements objects.Store.
func (o *Store) Put(ctx context.Context, name string, content io.Reader) error {
	if err := objects.CheckName(name); err != nil {
		return err
	}
	read, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	return o.with(ctx, func() error {
		if _, taken := o.contents[name]; taken {
			return core.Errorf(core.CodeConflict, "the object %s exists already", name)
		}
		o.contents[name] = read
		return nil
	})
}

// Get implements objects.Store.
func (o *Store) Get(ctx context.Context, name string) (content io.ReadCloser, err error) {
	if err := objects.CheckName(name); err != nil {
		return nil, err
	}
	err = o.with(ctx, func() error {
		stored, found := o.contents[name]
		if !found {
			return core.NotFound("object")
		}
		content = io.NopCloser(bytes.NewReader(stored))
		return nil
	})
	return content, err
}

// List implements objects.Store.
func (o *Store) List(ctx context.Context) (listed []objects.Object, err error) {
	err = o.with(ctx, func() error {
		for _, name := range slices.Sorted(maps.Keys(o.contents)) {
			listed = append(listed, objects.Object{Name: name, Bytes: int64(len(o.contents[name]))})
		}
		return nil
	})
	return listed, err
}

// Remove implements objects.Store.
func (o *Store) Remove(ctx context.Context, name string) error {
	if err := objects.CheckName(name); err != nil {
		return err
	}
	return o.with(ctx, func() error {
		delete(o.contents, name)
		return nil
	})
}

// Check implements objects.Store.
func (o *Store) Check(ctx context.Context) error {
	return o.with(ctx, func() error { return nil })
}
