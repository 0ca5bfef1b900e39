package backends

import (
	"context"
	"io"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// RemoveData deletes all data of a project that is being removed: both environments, their
// files and their snapshots. It is idempotent. The project's files are gone already, so
// nothing can create test data again.
func (s *Service) RemoveData(ctx context.Context, project core.ID) error {
	unlock, err := s.Schemas.changing.Lock(ctx, project)
	if err != nil {
		return err
	}
	defer unlock()
	s.synced.forget(project)
	return s.engine.Remove(ctx, backend.Place{Project: project})
}

// CopyTestData copies test data to a new project, if there is any. Live data never leaves
// its project.
func (s *Service) CopyTestData(ctx context.Context, from, to core.ID) error {
	source, target := backend.Place{Project: from, Env: core.DataTest}, backend.Place{Project: to, Env: core.DataTest}
	return unlessGone(s.engine.Copy(ctx, source, target))
}

// Close stops the worker of snapshots and then hands the data over to other processes, if any.
func (s *Service) Close(ctx context.Context) error {
	err := s.Snapshots.Close(ctx)
	if shared, is := s.engine.(backend.Leaver); is {
		shared.HandOver()
	}
	return err
}

// Load returns what this process has open, zero if the engine does not tell.
func (s *Service) Load(ctx context.Context) (backend.Load, error) {
	if engine, is := s.engine.(backend.LoadGauge); is {
		return engine.Load(ctx)
	}
	return backend.Load{}, nil
}

// HasData returns core.CodeNotFound for a place without data.
func (s *Service) HasData(ctx context.Context, at backend.Place) error {
	_, err := s.engine.Stats(ctx, at)
	return err
}

// ExportData writes all data of a place as a tar archive: the directory pb_data of the
// stock PocketBase binary. The caller has checked the access.
func (s *Service) ExportData(ctx context.Context, at backend.Place, to io.Writer) error {
	return s.engine.Export(ctx, at, to)
}
