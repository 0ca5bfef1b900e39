package backends

import (
	"context"
	"log/slog"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/ports/build"
)

// Maker makes pages as builds.Maker does, and first updates the project's test data. Errors
// of the schema file are diagnostics of the build.
type Maker struct {
	*builds.Maker
	schemas *Schemas
	log     *slog.Logger
}

// NewMaker returns a maker over another.
func NewMaker(maker *builds.Maker, service *Service, log *slog.Logger) *Maker {
	return &Maker{maker, service.Schemas, log}
}

// Make is builds.Maker.Make.
func (m *Maker) Make(ctx context.Context, project core.ID, mode build.Mode) (build.Result, error) {
	wrong := m.sync(ctx, project)
	made, err := m.Maker.Make(ctx, project, mode)
	return beside(wrong, made), err
}

// MakePlanned is builds.Maker.MakePlanned.
func (m *Maker) MakePlanned(ctx context.Context, project core.ID, plan builds.Plan, mode build.Mode) (build.Result, error) {
	wrong := m.sync(ctx, project)
	made, err := m.Maker.MakePlanned(ctx, project, plan, mode)
	return beside(wrong, made), err
}

// beside adds the diagnostics of the schema to a build. It keeps the build's own
// diagnostics, because a plan may be pending for days.
func beside(wrong []core.Diagnostic, made build.Result) build.Result {
	if len(wrong) == 0 {
		return made
	}
	return build.Result{Diagnostics: slices.Concat(wrong, made.Diagnostics)}
}

// sync returns the diagnostics of the schema. Pages are made even if the data is unavailable.
func (m *Maker) sync(ctx context.Context, project core.ID) []core.Diagnostic {
	wrong, err := m.schemas.Review(ctx, project)
	if err != nil && ctx.Err() == nil {
		m.log.WarnContext(ctx, "could not bring test data up to date", "project", project, "error", err)
	}
	return wrong
}
