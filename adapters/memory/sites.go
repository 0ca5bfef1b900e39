package memory

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sites"
)

var _ sites.Store = (*Sites)(nil)

// Sites keeps published builds in memory. The zero value is not usable: make one
// with NewSites. It may be used by many goroutines.
type Sites struct {
	mu          sync.RWMutex
	deployments map[core.ID][]sites.File
}

// NewSites returns an empty store.
func NewSites() *Sites { return &Sites{deployments: make(map[core.ID][]sites.File)} }

// Put implements sites.Store.
func (s *Sites) Put(ctx context.Context, deployment core.ID, files []sites.File) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	kept, err := sites.Arrange(files)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, exists := s.deployments[deployment]; exists {
		return core.Errorf(core.CodeConflict, "the deployment is stored already")
	}
	s.deployments[deployment] = kept
	return nil
}

// Open implements sites.Store.
func (s *Sites) Open(ctx context.Context, deployment core.ID) ([]sites.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	files, found := s.deployments[deployment]
	if !found {
		return nil, core.NotFound("deployment")
	}
	return cloneSite(files), nil
}

// Remove implements sites.Store.
func (s *Sites) Remove(ctx context.Context, deployment core.ID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.deployments, deployment)
	return nil
}

func cloneSite(files []sites.File) []sites.File {
	clones := slices.Clone(files)
	for i := range clones {
		clones[i].Content = bytes.Clone(clones[i].Content)
	}
	return clones
}
