package bootstrap

import (
	"context"
	"math"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/core/publish"
	"github.com/atelierhq/atelier/core/telemetry"
	"github.com/atelierhq/atelier/core/typecheck"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/toolchain"
	typechecks "github.com/atelierhq/atelier/ports/typecheck"
)

// countedMaker counts builds.
type countedMaker struct {
	*backends.Maker
	tally *telemetry.Tally
}

// PreviewMaker makes the pages of previews, and counts.
func PreviewMaker(maker *backends.Maker, tally *telemetry.Tally) preview.Maker {
	return countedMaker{maker, tally}
}

// PublishMaker makes the pages of sites, and counts.
func PublishMaker(maker *backends.Maker, tally *telemetry.Tally) publish.Maker {
	return countedMaker{maker, tally}
}

// Make implements publish.Maker.
func (m countedMaker) Make(ctx context.Context, project core.ID, mode build.Mode) (build.Result, error) {
	return m.count(ctx, func() (build.Result, error) { return m.Maker.Make(ctx, project, mode) })
}

// MakePlanned implements preview.Maker.
func (m countedMaker) MakePlanned(ctx context.Context, project core.ID, plan builds.Plan, mode build.Mode) (build.Result, error) {
	return m.count(ctx, func() (build.Result, error) { return m.Maker.MakePlanned(ctx, project, plan, mode) })
}

// count counts a build, unless its caller cancelled it.
func (m countedMaker) count(ctx context.Context, make func() (build.Result, error)) (build.Result, error) {
	begun := time.Now()
	made, err := make()
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

// The kinds of telemetry.Sandboxes.
const (
	kindCommand   = "command"
	kindInstall   = "install"
	kindBuild     = "build"
	kindServer    = "server"
	kindTypeCheck = "typecheck"
)

// countedCommands counts the agent's commands.
type countedCommands struct {
	sandbox.Runner
	tally *telemetry.Tally
}

// AgentCommands runs and counts the agent's commands.
func AgentCommands(runner sandbox.Runner, tally *telemetry.Tally) chat.Commands {
	tally.Add(telemetry.Sandboxes, kindCommand, 0)
	return countedCommands{runner, tally}
}

// Run implements sandbox.Runner.
func (c countedCommands) Run(ctx context.Context, project core.ID, command sandbox.Command) (sandbox.Outcome, error) {
	defer c.tally.Enter(telemetry.Sandboxes, kindCommand)()
	return c.Runner.Run(ctx, project, command)
}

// countedTools counts the runs of projects' own tools.
type countedTools struct {
	toolchain.Toolchain
	tally *telemetry.Tally
}

// ProjectTools runs and counts projects' own tools.
func ProjectTools(tools toolchain.Toolchain, tally *telemetry.Tally) builds.Toolchain {
	for _, kind := range []string{kindInstall, kindBuild, kindServer} {
		tally.Add(telemetry.Sandboxes, kind, 0)
	}
	return countedTools{tools, tally}
}

// Install implements toolchain.Toolchain.
func (c countedTools) Install(ctx context.Context, project core.ID, key string, task toolchain.Task) (toolchain.Outcome, error) {
	defer c.tally.Enter(telemetry.Sandboxes, kindInstall)()
	return c.Toolchain.Install(ctx, project, key, task)
}

// Build implements toolchain.Toolchain.
func (c countedTools) Build(ctx context.Context, project core.ID, task toolchain.BuildTask) (toolchain.Built, error) {
	defer c.tally.Enter(telemetry.Sandboxes, kindBuild)()
	return c.Toolchain.Build(ctx, project, task)
}

// Serve implements toolchain.Toolchain. A server counts until it has ended.
func (c countedTools) Serve(ctx context.Context, project core.ID, task toolchain.Task) (toolchain.Server, error) {
	leave := c.tally.Enter(telemetry.Sandboxes, kindServer)
	server, err := c.Toolchain.Serve(ctx, project, task)
	if err != nil {
		leave()
		return nil, err
	}
	go func() {
		<-server.Done()
		leave()
	}()
	return server, nil
}

// countedChecks counts type checks.
type countedChecks struct {
	typechecks.Checker
	tally *telemetry.Tally
}

// TypeChecks runs and counts type checks.
func TypeChecks(checker typechecks.Checker, tally *telemetry.Tally) typecheck.Checker {
	tally.Add(telemetry.Sandboxes, kindTypeCheck, 0)
	return countedChecks{checker, tally}
}

// Check implements the port.
func (c countedChecks) Check(ctx context.Context, project core.ID, task typechecks.Task) (typechecks.Report, error) {
	defer c.tally.Enter(telemetry.Sandboxes, kindTypeCheck)()
	return c.Checker.Check(ctx, project, task)
}

// countTime bounds how long the metrics wait for the database.
const countTime = time.Second

// publishedSites counts the live sites.
func publishedSites(s Services) float64 {
	ctx, cancel := context.WithTimeout(context.Background(), countTime)
	defer cancel()
	count, err := s.Store.Tables().Deployments.CountSites(ctx)
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

// gauges are read when the metrics are requested.
func (a *App) gauges() []telemetry.Gauge {
	s := a.Services
	all := []telemetry.Gauge{
		{Name: "atelier_published_sites", Help: "Published sites of all processes on this database.", Read: func() float64 { return publishedSites(s) }},
		{Name: "atelier_streams", Help: streamsHelp, Label: "kind", Word: "person", Read: func() float64 { people, _ := a.streams.Count(); return float64(people) }},
		{Name: "atelier_streams", Help: streamsHelp, Label: "kind", Word: "page", Read: func() float64 { _, pages := a.streams.Count(); return float64(pages) }},
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
