package memory

import (
	"bytes"
	"context"
	"io"
	"slices"
	"sync"

	"github.com/atelierhq/atelier/adapters/internal/compress"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sites"
)

var (
	_ sites.Store   = (*Sites)(nil)
	_ sites.Checker = (*Sites)(nil)
)

// Sites keeps published builds in memory. The zero value is not usable: call NewSites. It
// is safe for concurrent use.
type Sites struct {
	// mu guards deployments and what they consist of.
	mu          sync.RWMutex
	deployments map[core.ID]*deployment
}

// deployment is one published build. Its contents and forms are keyed by digest.
type deployment struct {
	entries  []sites.Entry
	contents map[string][]byte
	forms    map[sites.Encoding]map[string][]byte
}

// NewSites returns an empty store.
func NewSites() *Sites { return &Sites{deployments: make(map[core.ID]*deployment)} }

// Check implements sites.Checker.
func (s *Sites) Check(ctx context.Context) error { return ctx.Err() }

// Put implements sites.Store.
func (s *Sites) Put(ctx context.Context, id core.ID, files []sites.File) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	arranged, err := sites.Arrange(files)
	if err != nil {
		return err
	}
	kept := &deployment{contents: make(map[string][]byte), forms: make(map[sites.Encoding]map[string][]byte)}
	for _, file := range arranged {
		entry := sites.Describe(file)
		kept.entries = append(kept.entries, entry)
		kept.contents[entry.Digest] = file.Content
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.deployments[id] != nil {
		return core.Errorf(core.CodeConflict, "the deployment is already stored")
	}
	s.deployments[id] = kept
	return nil
}

// List implements sites.Store.
func (s *Sites) List(ctx context.Context, id core.ID) ([]sites.Entry, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	found, err := s.findLocked(ctx, id)
	if err != nil {
		return nil, err
	}
	return slices.Clone(found.entries), nil
}

func (s *Sites) findLocked(ctx context.Context, id core.ID) (*deployment, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found := s.deployments[id]
	if found == nil {
		return nil, core.NotFound("deployment")
	}
	return found, nil
}

// Read implements sites.Store.
func (s *Sites) Read(ctx context.Context, id core.ID, entry sites.Entry) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	found, err := s.findLocked(ctx, id)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(found.entries, entry) {
		return nil, core.NotFound("file")
	}
	return bytes.Clone(found.contents[entry.Digest]), nil
}

// Stream implements sites.Store.
func (s *Sites) Stream(ctx context.Context, id core.ID, entry sites.Entry) (io.ReadSeekCloser, error) {
	content, err := s.Read(ctx, id, entry)
	if err != nil {
		return nil, err
	}
	return openContent{bytes.NewReader(content)}, nil
}

// openContent is a content that needs no closing.
type openContent struct{ *bytes.Reader }

// Close implements io.Closer.
func (openContent) Close() error { return nil }

// Pack implements sites.Store.
func (s *Sites) Pack(ctx context.Context, id core.ID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, err := s.findLocked(ctx, id)
	if err != nil || len(found.forms) > 0 {
		return err
	}
	for _, as := range []sites.Encoding{sites.Brotli, sites.Gzip} {
		found.forms[as] = make(map[string][]byte)
		for _, entry := range found.entries {
			if sites.Packable(entry.Path, entry.Size) {
				found.forms[as][entry.Digest] = compress.Form(found.contents[entry.Digest], as, compress.Quick)
			}
		}
	}
	return nil
}

// Packed implements sites.Store.
func (s *Sites) Packed(ctx context.Context, id core.ID, entry sites.Entry, as sites.Encoding) ([]byte, bool, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	found, err := s.findLocked(ctx, id)
	if err != nil {
		return nil, false, err
	}
	if !slices.Contains(found.entries, entry) {
		return nil, false, core.NotFound("file")
	}
	form, made := found.forms[as][entry.Digest]
	return bytes.Clone(form), made, nil
}

// Remove implements sites.Store.
func (s *Sites) Remove(ctx context.Context, id core.ID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.deployments, id)
	return nil
}
