package metrics

import (
	"context"
	"math"
	"time"

	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/core/rooms"
	"github.com/atelierhq/atelier/core/streams"
	"github.com/atelierhq/atelier/core/telemetry"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/storage"
)

// countTime bounds how long the metrics wait for the database.
const countTime = time.Second

// publishedSites counts the live sites.
func publishedSites(store storage.Store) float64 {
	ctx, cancel := context.WithTimeout(context.Background(), countTime)
	defer cancel()
	count, err := store.Tables().Deployments.CountSites(ctx)
	if err != nil {
		return math.NaN()
	}
	return float64(count)
}

// backendGauges tell what the process holds of backends. Each asks load anew.
func backendGauges(load func(context.Context) (backend.Load, error)) (all []telemetry.Gauge) {
	for name, of := range map[string]struct {
		help string
		read func(backend.Load) float64
	}{
		"atelier_backend_environments":    {"Environments of backends that are open in this process.", func(l backend.Load) float64 { return float64(l.Open) }},
		"atelier_backend_bytes":           {"Size of the databases of the open environments.", func(l backend.Load) float64 { return float64(l.Bytes) }},
		"atelier_backend_worker_failures": {"Ends of the process that holds the data, which nobody asked for, since the service started.", func(l backend.Load) float64 { return float64(l.Failures) }},
	} {
		all = append(all, telemetry.Gauge{Name: name, Help: of.help, Read: func() float64 { return backendLoad(load, of.read) }})
	}
	return all
}

// backendLoad reads a part of the load of backends.
func backendLoad(load func(context.Context) (backend.Load, error), read func(backend.Load) float64) float64 {
	ctx, cancel := context.WithTimeout(context.Background(), countTime)
	defer cancel()
	now, err := load(ctx)
	if err != nil {
		return math.NaN()
	}
	return read(now)
}

// pooledStore is a store that has a pool of connections.
type pooledStore interface {
	// Pool returns how many connections are open, and how many are in use.
	Pool() (open, busy int)
}

// streamsHelp is the help text of both gauges of streams.
const streamsHelp = "Open event streams, sockets and connections of preview pages, by owner."

// Sources are what the gauges read.
type Sources struct {
	Store    storage.Store
	Streams  *streams.Budget
	Rooms    *rooms.Service
	Preview  *preview.Service
	Runs     *chat.Runs
	Backends *backends.Service
}

// Gauges returns the gauges, which are read when the metrics are requested.
func Gauges(s Sources) []telemetry.Gauge {
	all := []telemetry.Gauge{
		{Name: "atelier_published_sites", Help: "Published sites of all processes on this database.", Read: func() float64 { return publishedSites(s.Store) }},
		{Name: "atelier_streams", Help: streamsHelp, Label: "kind", Word: "person", Read: func() float64 { people, _ := s.Streams.Count(); return float64(people) }},
		{Name: "atelier_streams", Help: streamsHelp, Label: "kind", Word: "page", Read: func() float64 { _, pages := s.Streams.Count(); return float64(pages) }},
		{Name: "atelier_rooms", Help: "Rooms that are open in this process.", Read: func() float64 { rooms, _ := s.Rooms.Count(); return float64(rooms) }},
		{Name: "atelier_room_connections", Help: "Connections into this process's rooms.", Read: func() float64 { _, members := s.Rooms.Count(); return float64(members) }},
		{Name: "atelier_previews", Help: "Live previews of this process.", Read: func() float64 { previews, _ := s.Preview.Count(); return float64(previews) }},
		{Name: "atelier_development_servers", Help: "Development servers that run for previews, in the sandbox.", Read: func() float64 { _, servers := s.Preview.Count(); return float64(servers) }},
		{Name: "atelier_runs_active", Help: "Runs of the agent in this process.", Read: func() float64 { return float64(s.Runs.ActiveCount()) }},
	}
	all = append(all, backendGauges(s.Backends.Load)...)
	if store, ok := s.Store.(pooledStore); ok {
		all = append(all,
			telemetry.Gauge{Name: "atelier_database_connections", Help: "Open connections to the database.", Read: func() float64 { open, _ := store.Pool(); return float64(open) }},
			telemetry.Gauge{Name: "atelier_database_connections_busy", Help: "Connections to the database that are in use.", Read: func() float64 { _, busy := store.Pool(); return float64(busy) }},
		)
	}
	return all
}
