package bootstrap

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/core/publish"
	"github.com/atelierhq/atelier/core/telemetry"
	"github.com/atelierhq/atelier/ports/build"
)

// countedMaker counts builds.
type countedMaker struct {
	*builds.Maker
	tally *telemetry.Tally
}

// PreviewMaker makes the pages of previews, and counts.
func PreviewMaker(maker *builds.Maker, tally *telemetry.Tally) preview.Maker {
	return countedMaker{maker, tally}
}

// PublishMaker makes the pages of sites, and counts.
func PublishMaker(maker *builds.Maker, tally *telemetry.Tally) publish.Maker {
	return countedMaker{maker, tally}
}

// Make implements preview.Maker and publish.Maker. Builds that their caller gave up do
// not count.
func (m countedMaker) Make(ctx context.Context, project core.ID, mode build.Mode) (build.Result, error) {
	begun := time.Now()
	made, err := m.Maker.Make(ctx, project, mode)
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
	m.tally.Add(telemetry.Builds, outcome, 1)
	m.tally.Add(telemetry.BuildTime, "", time.Since(begun).Seconds())
	return made, err
}

// pooled is a store that has a pool of connections.
type pooled interface {
	// Pool returns how many connections are open, and how many of them work.
	Pool() (open, busy int)
}

// gauges are read when somebody asks for the metrics.
func gauges(s Services) []telemetry.Gauge {
	all := []telemetry.Gauge{
		{Name: "atelier_rooms", Help: "Rooms that are open in this process.", Read: func() float64 { rooms, _ := s.Rooms.Count(); return float64(rooms) }},
		{Name: "atelier_room_connections", Help: "Connections into this process's rooms.", Read: func() float64 { _, members := s.Rooms.Count(); return float64(members) }},
		{Name: "atelier_previews", Help: "Live previews of this process.", Read: func() float64 { previews, _ := s.Preview.Count(); return float64(previews) }},
		{Name: "atelier_development_servers", Help: "Development servers that run for previews, in the sandbox.", Read: func() float64 { _, servers := s.Preview.Count(); return float64(servers) }},
		{Name: "atelier_runs_active", Help: "Runs of the agent that this process works on.", Read: func() float64 { return float64(s.Chats.Active()) }},
	}
	if store, ok := s.Store.(pooled); ok {
		all = append(all,
			telemetry.Gauge{Name: "atelier_database_connections", Help: "Open connections to the database.", Read: func() float64 { open, _ := store.Pool(); return float64(open) }},
			telemetry.Gauge{Name: "atelier_database_connections_busy", Help: "Connections to the database that work.", Read: func() float64 { _, busy := store.Pool(); return float64(busy) }},
		)
	}
	return all
}
