package bootstrap

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/atelierhq/atelier/adapters/acme"
	"github.com/atelierhq/atelier/adapters/httpapi"
	"github.com/atelierhq/atelier/adapters/httpapi/account"
	"github.com/atelierhq/atelier/adapters/httpapi/observe"
	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/adapters/sitehost"
	"github.com/atelierhq/atelier/adapters/sitehost/accesslog"
	"github.com/atelierhq/atelier/adapters/studio"
	"github.com/atelierhq/atelier/adapters/websocket"
	"github.com/atelierhq/atelier/bootstrap/metrics"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core/backends/signins"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/instance"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/core/rooms"
	"github.com/atelierhq/atelier/core/streams"
	"github.com/atelierhq/atelier/core/telemetry"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/dns"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/mail"
	"github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/sites"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/toolchain"
	"github.com/atelierhq/atelier/ports/tracing"
	"github.com/atelierhq/atelier/ports/worktree"
)

// Services are the parts of a program, for hosts that embed it: the use cases, and the ports
// whose health is monitored.
type Services struct {
	httpapi.UseCases
	Settings    settings.Settings
	Pipeline    *files.Pipeline
	Rooms       *rooms.Service
	LateHandler *LateHandler
	Mailer      *mailer.Worker
	Hooks       *webhooks.Worker
	Mail        mail.Sender
	Store       storage.Store
	Trees       worktree.Trees
	Sites       sites.Store
	SiteLog     *accesslog.Log
	Bus         broadcast.Bus
	DNS         dns.Resolver
	Sandbox     sandbox.Runner
	Tools       toolchain.Toolchain
	Studio      *studio.Handler
	Doors       *instance.Doors
	Returns     *signins.Returns
	Sealer      identity.Sealer
	OAuth       oauth.Providers
	Tally       *telemetry.Tally
	Tracer      tracing.Tracer
	Now         func() time.Time
	Log         *slog.Logger
}

// App is a service that can be started and stopped.
type App struct {
	Services
	routes  []rest.Route
	streams *streams.Budget
	sockets *websocket.Handler
	hosts   *sitehost.Handler
	handler http.Handler
}

// Routes returns the routes of the API, for tests that are generated from them.
func (a *App) Routes() []rest.Route { return a.routes }

// NewApp assembles the driving side: the API on its own host, sites and previews on theirs. A
// process that only has rooms serves those on every host.
func NewApp(s Services) *App {
	a := &App{Services: s, streams: newStreams(s.Settings.StreamsPerPerson)}
	a.sockets = websocket.New(websocket.Deps{Rooms: s.Rooms, Streams: a.streams, Now: s.Now, Log: s.Log})
	deps := a.deps()
	a.routes, a.handler = httpapi.Routes(deps), httpapi.New(deps)
	a.hosts = sitehost.New(
		sitehost.Deps{Files: s.Sites, Previews: s.Preview, Looks: s.Looks, Data: metrics.Data(s.Backends, telemetry.DataRequests, s.Tally, "site data", s.Tracer), Functions: metrics.Data(s.Functions, telemetry.FunctionRuns, s.Tally, "site function", s.Tracer), Returns: s.Returns, Visitor: visitor(s.Settings), Guard: s.SiteAccess, Visits: s.Visits, AccessLog: s.SiteLog, Sites: s.Publish, Streams: a.streams, Log: s.Log},
		sitehost.Settings{AppURL: s.Settings.AppURL, AppDomain: s.Settings.AppDomain, PreviewDomain: s.Settings.PreviewDomain},
	)
	s.LateHandler.Set(a.hosts)
	if s.Settings.Part == settings.PartAll {
		a.handler = byHost(a.hosts, a.handler)
	}
	return a
}

// visitor returns the function that finds the address of a site's visitor.
func visitor(s settings.Settings) func(r *http.Request) netip.Addr {
	return func(r *http.Request) netip.Addr { return rest.ClientIP(r, s.TrustedProxies) }
}

// deps returns the dependencies of the API.
func (a *App) deps() httpapi.Deps {
	s := a.Services
	deps := httpapi.Deps{
		UseCases: s.UseCases,
		Sealer:   s.Sealer, Streams: a.streams, Settings: apiSettings(s.Settings), Features: features(s),
		Checks: checks(s), Tally: s.Tally, Gauges: metrics.Gauges(metrics.Sources{Store: s.Store, Streams: a.streams, Rooms: s.Rooms, Preview: s.Preview, Runs: s.Runs, Backends: s.Backends}),
		Tracer: s.Tracer, Log: s.Log, Now: s.Now,
	}
	switch {
	case s.Settings.Part == settings.PartRooms:
		deps.OnlySockets, deps.Sockets = true, a.sockets
	case s.Settings.CollabEmbedded:
		deps.Sockets = a.sockets
	}
	if s.Settings.Part == settings.PartAll && s.Studio != nil {
		deps.Studio = s.Studio
	}
	return deps
}

// writeProbeTime is how long the result of a probe that wrote is cached: load balancers ask
// every second, and probes must not keep a disk busy.
const writeProbeTime = 5 * time.Second

// checks returns the readiness checks. A host's own store of sites may have no check.
func checks(s Services) []observe.Check {
	found := []observe.Check{
		{Name: "database", Do: s.Store.Ping},
		{Name: "writing to the database", Do: s.Store.CheckWrite, Every: writeProbeTime},
		{Name: "projects root", Do: s.Trees.Check, Every: writeProbeTime},
		{Name: "bus", Do: s.Bus.Check},
	}
	if sites, watched := s.Sites.(sites.Checker); watched {
		found = append(found, observe.Check{Name: "published sites", Do: sites.Check, Every: writeProbeTime})
	}
	return found
}

// features returns what this installation offers, determined once.
func features(s Services) account.Features {
	return account.Features{
		OAuth:     account.OAuthFeatures{GitHub: s.OAuth.GitHub != nil, Google: s.OAuth.Google != nil},
		Assistant: s.OAuth.Assistant != nil,
		Mail:      !s.Settings.Mail.Server.IsZero(),
		Sandbox:   s.Sandbox.Available(context.Background()) == nil, DemoProvider: true,
	}
}

func apiSettings(s settings.Settings) httpapi.Settings {
	return httpapi.Settings{
		AppURL: s.AppURL, Hosts: observe.OwnHosts(s.AppURL), AccessTTL: s.AccessTokenTTL, RefreshTTL: s.RefreshTokenTTL,
		RatePerMinute: s.RateLimitPerMinute, AuthRatePerMinute: s.AuthRateLimitPerMinute,
		TrustedProxies: s.TrustedProxies, MetricsToken: s.MetricsToken,
		Version: s.Version,
	}
}

// byHost routes requests for the hosts of sites and previews to their handler, and all others
// to the API, before any router sees the path.
func byHost(hosts *sitehost.Handler, api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if site := hosts.Find(r); site != nil {
			site.ServeHTTP(w, r)
			return
		}
		// The connection may have the deadline of a site's answer.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
		api.ServeHTTP(w, r)
	})
}

// admits decides which names get certificates. Each preview has its own name, and a new one
// whenever a member joins or leaves, so previews get few.
func (a *App) admits(ctx context.Context, name string) (acme.Verdict, error) {
	kind, err := a.hosts.Naming(ctx, name)
	switch {
	case err != nil || kind == sitehost.NameUnknown:
		return acme.Refuse, err
	case kind == sitehost.NamePreview:
		return acme.AdmitSparingly, nil
	}
	return acme.Admit, nil
}

// ServeHTTP answers for all hosts.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }

// Start resolves AI_PROVIDER=auto and ends what a crash interrupted. Then it starts the
// workers: queued runs, mails, webhooks, backups, checks of claimed names, snapshots of live data, logs of backends,
// functions with a schedule, tasks, and saving of changes by hand. Requests may be served from then on. In a process that only
// has rooms it does nothing.
func (a *App) Start(ctx context.Context) error {
	if a.Settings.Part == settings.PartRooms {
		return nil
	}
	if _, err := a.Projects.Sweep(ctx); err != nil {
		return err
	}
	a.Providers.Decide(ctx)
	if err := a.Runs.Start(ctx); err != nil {
		return err
	}
	a.Mailer.Start()
	a.Hooks.Start()
	a.Backups.Start()
	a.Visits.Start()
	a.Domains.Start()
	a.Versions.Start()
	a.Projects.Start()
	a.Backends.Start()
	a.Calls.Start()
	a.Functions.Start()
	a.Remotes.Start()
	return a.Tasks.Start(ctx)
}

// StopRuns cancels all runs and waits until each is stored with its last event, which ends the
// streams that follow them.
func (a *App) StopRuns(ctx context.Context) error { return a.Runs.Close(ctx) }

// Close saves what people typed in rooms, stops runs and stores their results, stops the
// sending of mails, and releases everything else. It returns ctx's error if ctx ends first.
func (a *App) Close(ctx context.Context) error {
	err := errors.Join(a.Rooms.Close(ctx), a.sockets.Wait(ctx), a.Tasks.Close(ctx), a.Runs.Close(ctx), a.Hooks.Close(ctx), a.Mailer.Close(ctx), a.Backups.Close(ctx), a.Domains.Close(ctx), a.Versions.Close(ctx), a.Projects.Close(ctx), a.Backends.Close(ctx), a.Functions.Close(ctx), a.Remotes.Close(ctx), a.Calls.Close(ctx), a.Visits.Close(ctx))
	a.hosts.Close()
	if a.SiteLog != nil {
		err = errors.Join(err, a.SiteLog.Close())
	}
	a.Providers.Close()
	a.Thumbnails.Close()
	a.Preview.Close()
	a.CodeIntel.Close()
	a.Publish.Close()
	a.Accounts.Close()
	a.Audit.Close()
	a.closeTracer(ctx)
	return errors.Join(err, a.Store.Close())
}

// tracesTime bounds how long a stop waits for the collector of traces.
const tracesTime = 3 * time.Second

// closeTracer sends the last traces. A collector that is away is no failure of the stop.
func (a *App) closeTracer(ctx context.Context) {
	if a.Tracer == nil {
		return
	}
	bounded, cancel := context.WithTimeout(ctx, tracesTime)
	defer cancel()
	if err := a.Tracer.Close(bounded); err != nil {
		a.Log.Warn("the last traces could not be sent", "error", err)
	}
}
