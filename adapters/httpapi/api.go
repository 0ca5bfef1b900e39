package httpapi

import (
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/account"
	"github.com/atelierhq/atelier/adapters/httpapi/guard"
	"github.com/atelierhq/atelier/adapters/httpapi/observe"
	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/backends/signins"
	"github.com/atelierhq/atelier/core/backups"
	"github.com/atelierhq/atelier/core/calllog"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/core/checks"
	"github.com/atelierhq/atelier/core/codeintel"
	"github.com/atelierhq/atelier/core/commands"
	"github.com/atelierhq/atelier/core/comments"
	"github.com/atelierhq/atelier/core/companysignin"
	"github.com/atelierhq/atelier/core/connectors"
	"github.com/atelierhq/atelier/core/directsave"
	"github.com/atelierhq/atelier/core/domains"
	"github.com/atelierhq/atelier/core/environment"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/functions"
	"github.com/atelierhq/atelier/core/gitremote"
	"github.com/atelierhq/atelier/core/gitsync"
	"github.com/atelierhq/atelier/core/health"
	"github.com/atelierhq/atelier/core/instance"
	"github.com/atelierhq/atelier/core/looks"
	"github.com/atelierhq/atelier/core/models"
	"github.com/atelierhq/atelier/core/passkeysignin"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/core/programs"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/core/publish"
	"github.com/atelierhq/atelier/core/siteaccess"
	"github.com/atelierhq/atelier/core/streams"
	"github.com/atelierhq/atelier/core/tasks"
	"github.com/atelierhq/atelier/core/telemetry"
	"github.com/atelierhq/atelier/core/thumbnails"
	"github.com/atelierhq/atelier/core/typecheck"
	"github.com/atelierhq/atelier/core/versions"
	"github.com/atelierhq/atelier/core/visits"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/core/workspaces"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/tracing"
)

// UseCases are the use cases that the API calls. A program lists them once:
// bootstrap.Services embeds them.
type UseCases struct {
	Accounts      *accounts.Service
	Subscriptions *accounts.Subscriptions
	Programs      *programs.Service
	Audit         *audit.Log
	Instance      *instance.Settings
	People        *instance.People
	Spaces        *instance.Spaces
	Invitations   *instance.Invites
	Health        *health.Service
	Backups       *backups.Service
	Companies     *companysignin.Service
	Passkeys      *passkeysignin.Service
	Workspaces    *workspaces.Service
	Members       *workspaces.Members
	Invites       *workspaces.Invites
	Folders       *workspaces.Folders
	Modes         *models.Modes
	Commands      *commands.Service
	Webhooks      *webhooks.Service
	Connectors    *connectors.Service
	Providers     *models.Providers
	Projects      *projects.Service
	Versions      *versions.Service
	GitRemote     *gitremote.Service
	Remotes       *gitsync.Service
	Files         *files.Service
	DirectSave    *directsave.Service
	Chats         *chat.Chats
	Runs          *chat.Runs
	Followers     *chat.Followers
	Preview       *preview.Service
	Looks         *looks.Service
	Environment   *environment.Service
	Thumbnails    *thumbnails.Service
	Types         *typecheck.Service
	CodeIntel     *codeintel.Service
	ProjectChecks *checks.Service
	Tasks         *tasks.Board
	Comments      *comments.Service
	Publish       *publish.Service
	Takedowns     *publish.Takedowns
	SiteSettings  *publish.Settings
	SiteAccess    *siteaccess.Guard
	Visits        *visits.Counter
	Backends      *backends.Service
	SignIns       *signins.Service
	Functions     *functions.Service
	Calls         *calllog.Log
	Domains       *domains.Service
}

// Deps are the dependencies of the API.
type Deps struct {
	UseCases

	// Sockets serves GET /ws/project/:projectId; nil if another process does.
	Sockets Sockets
	// OnlySockets means that other processes serve all other routes.
	OnlySockets bool

	// Studio answers requests for the web page before the API does; it may be nil.
	Studio observe.Studio

	Sealer identity.Sealer
	// Streams bounds the event streams; nil is no bound.
	Streams  *streams.Budget
	Settings Settings
	Features account.Features
	// Checks are the checks of GET /readyz.
	Checks []observe.Check
	// Tally and Gauges are shown by GET /metrics beside the API's own metrics.
	Tally  *telemetry.Tally
	Gauges []telemetry.Gauge
	// Tracer gets a span for each request; nil gets none.
	Tracer tracing.Tracer
	Log    *slog.Logger
	Now    func() time.Time

	// own is the API itself, which its tools call. New sets it.
	own *loop
}

// Settings are the operator's settings.
type Settings struct {
	// AppURL is the public address of API and studio. If its scheme is https, cookies are
	// Secure. Requests with cookies must come from its origin.
	AppURL *url.URL
	// Hosts are the host names of the API, in lower case and without ports; OwnHosts
	// returns the usual ones. nil allows every name, for a host that has checked it
	// itself.
	Hosts []string
	// AccessTTL and RefreshTTL are the lifetimes of the two cookies.
	AccessTTL, RefreshTTL time.Duration
	// RatePerMinute limits the calls of one caller, AuthRatePerMinute the attempts with
	// credentials from one address. 0 is no limit.
	RatePerMinute, AuthRatePerMinute int
	// TrustedProxies are the networks whose X-Forwarded-For is trusted.
	TrustedProxies []netip.Prefix
	// MetricsToken gives callers on other machines access to GET /metrics. If empty, they
	// have none.
	MetricsToken string
	// Version is the program's, for GET /openapi.json, GET /docs and GET /sdk.ts.
	Version string
}

// New returns the handler of the whole API. It must be the root of its host. Neither
// http.ServeMux nor anything else that cleans paths may precede it, because ".." in a
// file's path has its own answer.
func New(deps Deps) http.Handler {
	metrics := observe.NewMetrics(deps.Tally, deps.Gauges, deps.Settings.Version)
	deps.own = &loop{}
	deps.own.Handler = serve(deps, metrics, append(Routes(deps), operations(deps, metrics)...))
	return deps.own.Handler
}

// loop is a handler that is set after those are made that call it.
type loop struct{ http.Handler }

func serve(deps Deps, metrics *observe.Metrics, table []rest.Route) http.Handler {
	settings := deps.Settings
	door := guard.New(guard.Deps{
		Accounts: deps.Accounts.Authenticator, Programs: deps.Programs, AppURL: settings.AppURL,
		RatePerMinute: settings.RatePerMinute, AuthRatePerMinute: settings.AuthRatePerMinute,
		Now: deps.Now, Log: deps.Log,
	})
	return observe.Handler(observe.Deps{
		AppURL: settings.AppURL, Hosts: settings.Hosts, TrustedProxies: settings.TrustedProxies,
		Studio: deps.Studio, Metrics: metrics, Tracer: deps.Tracer, Log: deps.Log, Now: deps.Now,
	}, rest.NewRouter(table, door.Check))
}
