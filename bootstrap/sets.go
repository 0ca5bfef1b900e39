//go:build wireinject

package bootstrap

import (
	"github.com/google/wire"

	"github.com/atelierhq/atelier/adapters/httpapi"
	"github.com/atelierhq/atelier/bootstrap/metrics"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/core/attachments"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/backends/signins"
	"github.com/atelierhq/atelier/core/backups"
	"github.com/atelierhq/atelier/core/browsing"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/calllog"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/core/checks"
	"github.com/atelierhq/atelier/core/codeintel"
	"github.com/atelierhq/atelier/core/commands"
	"github.com/atelierhq/atelier/core/comments"
	"github.com/atelierhq/atelier/core/companysignin"
	"github.com/atelierhq/atelier/core/connectors"
	"github.com/atelierhq/atelier/core/copies"
	"github.com/atelierhq/atelier/core/datachanges"
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
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/core/models"
	"github.com/atelierhq/atelier/core/passkeysignin"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/core/programs"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/core/publish"
	"github.com/atelierhq/atelier/core/rooms"
	"github.com/atelierhq/atelier/core/siteaccess"
	"github.com/atelierhq/atelier/core/tasks"
	"github.com/atelierhq/atelier/core/telemetry"
	"github.com/atelierhq/atelier/core/thumbnails"
	"github.com/atelierhq/atelier/core/typecheck"
	"github.com/atelierhq/atelier/core/versions"
	"github.com/atelierhq/atelier/core/visits"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/core/workspaces"
	"github.com/atelierhq/atelier/ports/backend"
)

// UseCases is the set that every program shares: everything between the driving side and
// the ports.
var UseCases = wire.NewSet(
	Clock, Quotas, SiteLog,
	Gate, Environment, instance.NewDoors, instance.NewSettings, wire.Struct(new(instance.PeopleDeps), "*"), instance.NewPeople, wire.Struct(new(instance.SpaceDeps), "*"), instance.NewSpaces, wire.Struct(new(instance.DepartureDeps), "*"), instance.NewDepartures, wire.Bind(new(instance.Estate), new(*workspaces.Members)), wire.Struct(new(instance.InviteDeps), "*"), instance.NewInvites,
	wire.Struct(new(audit.Deps), "*"), audit.New,
	BackupSettings, wire.Struct(new(backups.Deps), "*"), backups.New, wire.Struct(new(HealthSources), "*"), HealthChecks, health.New,
	mailer.New,
	wire.Struct(new(mailer.Deps), "*"), MailOrigin, MailAllowance, mailer.NewWorker,
	webhooks.NewQueue, wire.Struct(new(webhooks.ServiceDeps), "*"), webhooks.NewService, wire.Struct(new(webhooks.Deps), "*"), webhooks.NewWorker,
	wire.Struct(new(accounts.Deps), "*"), AccountSettings, accounts.New, wire.FieldsOf(new(*accounts.Service), "Authenticator"),
	companysignin.NewRules, wire.Bind(new(accounts.Companies), new(*companysignin.Rules)), AppURL, wire.Struct(new(companysignin.Deps), "*"), companysignin.New,
	wire.Struct(new(passkeysignin.Deps), "*"), passkeysignin.New,
	ProgramsURL, wire.Struct(new(programs.Deps), "*"), programs.New,
	wire.Struct(new(accounts.SubscriptionDeps), "*"), accounts.NewSubscriptions,
	wire.Bind(new(models.Subscriptions), new(*accounts.Subscriptions)), Own,
	wire.Struct(new(workspaces.Deps), "*"), CreditLimit, workspaces.New,
	wire.Struct(new(workspaces.MemberDeps), "*"), workspaces.NewMembers, wire.Bind(new(accounts.Reclaimer), new(*workspaces.Members)), wire.Bind(new(workspaces.Runs), new(*chat.Runs)), wire.Bind(new(workspaces.Trash), new(*projects.Trash)),
	wire.Struct(new(workspaces.InviteDeps), "*"), workspaces.NewInvites,
	workspaces.NewFolders, models.NewModes, commands.New,
	wire.Struct(new(models.Deps), "*"), Platform, Prices, Catalogue, RunLimit, models.NewProviders,
	wire.FieldsOf(new(*models.Providers), "Chooser"), wire.Bind(new(chat.Models), new(*models.Chooser)),
	wire.Struct(new(files.Deps), "*"), ProjectLimit, files.NewPipeline, FileLimit, TrashRetention,
	wire.FieldsOf(new(*files.Pipeline), "Reader", "History", "Writer", "Committer", "Arrivals"),
	wire.Struct(new(files.ServiceDeps), "*"), files.NewService,
	wire.Struct(new(directsave.Deps), "*"), directsave.New,
	wire.Struct(new(rooms.Deps), "*"), Standing, PresentProject, Pace, rooms.New,
	wire.Struct(new(versions.Deps), "*"), versions.New,
	wire.Struct(new(gitremote.Deps), "*"), gitremote.New,
	wire.Bind(new(builds.Sources), new(files.Reader)),
	wire.Struct(new(environment.Deps), "*"), environment.New,
	wire.Bind(new(builds.Environment), new(*environment.Service)),
	datachanges.New, wire.Struct(new(backends.Deps), "*"), wire.Bind(new(backends.Files), new(*files.Pipeline)), backends.New, wire.Bind(new(publish.Backends), new(*backends.Service)), wire.Bind(new(projects.Backends), new(*backends.Service)), wire.Bind(new(chat.Backends), new(*backends.Service)), wire.Bind(new(versions.TestData), new(*backends.Service)),
	wire.Struct(new(backends.MailboxDeps), "*"), backends.NewMailbox, wire.Bind(new(backend.Post), new(*backends.Mailbox)),
	wire.Struct(new(calllog.Deps), "*"), calllog.New, wire.Bind(new(chat.Calls), new(*calllog.Log)),
	signins.NewRegistry, wire.Bind(new(backend.SignIns), new(*signins.Registry)), wire.Struct(new(signins.Deps), "*"), signins.New, Returns,
	wire.Struct(new(functions.Deps), "*"), functions.New, wire.Bind(new(functions.Previews), new(*preview.Service)), wire.Bind(new(functions.Records), new(*backends.Service)), wire.Bind(new(functions.Environment), new(*environment.Service)), wire.Bind(new(functions.Models), new(*models.Providers)), wire.Bind(new(functions.Bundler), new(*builds.Maker)),
	wire.Struct(new(builds.Deps), "*"), builds.NewMaker, backends.NewMaker,
	telemetry.New, metrics.PreviewMaker, metrics.AgentCommands, metrics.ProjectTools, metrics.TypeChecks, metrics.LanguageServers,
	metrics.PublishMaker,
	wire.Struct(new(preview.Deps), "*"), PreviewSettings, preview.New,
	wire.Bind(new(looks.Maker), new(*builds.Maker)), wire.Struct(new(looks.Deps), "*"), looks.New,
	wire.Bind(new(chat.Preview), new(*preview.Service)),
	NewLateHandler, Origin, TakePictures, wire.Bind(new(thumbnails.Previews), new(*preview.Service)),
	wire.Struct(new(thumbnails.Deps), "*"), thumbnails.New, Picture,
	Browse, wire.Bind(new(browsing.Previews), new(*preview.Service)), wire.Struct(new(browsing.Deps), "*"), browsing.New,
	wire.Struct(new(typecheck.Deps), "*"), typecheck.New,
	wire.Struct(new(codeintel.Deps), "*"), LanguageServers, codeintel.New,
	wire.Bind(new(checks.Files), new(files.Reader)), wire.Bind(new(checks.Pages), new(*browsing.Service)), wire.Bind(new(checks.Previews), new(*preview.Service)), wire.Bind(new(checks.Backends), new(*backends.Service)), wire.Struct(new(checks.Deps), "*"), checks.New,
	agent.New,
	attachments.NewLoader, AgentWeb,
	wire.Struct(new(connectors.Deps), "*"), connectors.NewService, connectors.NewToolbox,
	wire.Struct(new(chat.PipelineDeps), "*"), chat.NewPipelineProjects, wire.Bind(new(chat.Projects), new(*chat.PipelineProjects)),
	wire.Struct(new(chat.Deps), "*"), chat.New, wire.FieldsOf(new(*chat.Service), "Chats", "Runs", "Followers"),
	Studio,
	SiteAddress, WakeQueue,
	wire.Struct(new(projects.Deps), "*"), projects.NewService, wire.FieldsOf(new(*projects.Service), "Views", "Copies", "Trash"),
	wire.Bind(new(gitsync.Tasks), new(*tasks.Board)), wire.Struct(new(gitsync.Deps), "*"), gitsync.New,
	copies.New, wire.Bind(new(tasks.Checks), new(*checks.Service)), wire.Struct(new(tasks.Deps), "*"), tasks.New,
	wire.Struct(new(comments.Deps), "*"), comments.New,
	wire.Bind(new(publish.Checks), new(*checks.Service)), wire.Struct(new(publish.Deps), "*"), publish.New,
	wire.Bind(new(siteaccess.Callers), new(*accounts.Authenticator)), wire.Struct(new(siteaccess.Deps), "*"), siteaccess.NewGuard,
	publish.NewTakedowns, publish.NewSettings, wire.Struct(new(visits.Deps), "*"), visits.NewCounter,
	wire.Struct(new(domains.Deps), "*"), DomainRules, domains.New,
	wire.Struct(new(httpapi.UseCases), "*"), wire.Struct(new(Services), "*"),
	NewApp,
)
