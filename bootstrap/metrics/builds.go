package metrics

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/core/publish"
	"github.com/atelierhq/atelier/core/telemetry"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/tracing"
)

// countedMaker counts builds, and traces them.
type countedMaker struct {
	*backends.Maker
	tally  *telemetry.Tally
	tracer tracing.Tracer
}

// PreviewMaker makes the pages of previews, and counts.
func PreviewMaker(maker *backends.Maker, tally *telemetry.Tally, tracer tracing.Tracer) preview.Maker {
	return countedMaker{maker, tally, tracer}
}

// PublishMaker makes the pages of sites, and counts.
func PublishMaker(maker *backends.Maker, tally *telemetry.Tally, tracer tracing.Tracer) publish.Maker {
	return countedMaker{maker, tally, tracer}
}

// Make implements publish.Maker.
func (m countedMaker) Make(ctx context.Context, project core.ID, mode build.Mode) (build.Result, error) {
	return m.count(ctx, func(ctx context.Context) (build.Result, error) { return m.Maker.Make(ctx, project, mode) })
}

// MakePlanned implements preview.Maker.
func (m countedMaker) MakePlanned(ctx context.Context, project core.ID, plan builds.Plan, mode build.Mode) (build.Result, error) {
	return m.count(ctx, func(ctx context.Context) (build.Result, error) { return m.Maker.MakePlanned(ctx, project, plan, mode) })
}

// count counts a build, unless its caller cancelled it.
func (m countedMaker) count(ctx context.Context, make func(context.Context) (build.Result, error)) (build.Result, error) {
	ctx, span := tracing.Begin(ctx, m.tracer, "build", tracing.Internal)
	begun := time.Now()
	made, err := make(ctx)
	defer tracing.End(span, err)
	if ctx.Err() != nil {
		return made, err
	}
	outcome := "ok"
	switch {
	case err != nil:
		outcome = "error"
	case len(made.Diagnostics) > 0:
		outcome = "failed"
	}
	span.Add(tracing.Text("atelier.build.outcome", outcome))
	m.tally.Add(telemetry.Builds, outcome, 1)
	m.tally.Add(telemetry.BuildTime, "", time.Since(begun).Seconds())
	return made, err
}
