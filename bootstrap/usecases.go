package bootstrap

import (
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/adapters/chromium"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/backends/signins"
	"github.com/atelierhq/atelier/core/browsing"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/core/codeintel"
	"github.com/atelierhq/atelier/core/companysignin"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/instance"
	"github.com/atelierhq/atelier/core/models"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/core/programs"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/core/rooms"
	"github.com/atelierhq/atelier/core/thumbnails"
	"github.com/atelierhq/atelier/core/webpage"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/netguard"
	"github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/storage"
)

// Clock is the source of the time, on which all processes of a service agree.
func Clock(store storage.Store) func() time.Time { return store.Now }

// AccountSettings returns the settings of accounts.
func AccountSettings(s settings.Settings) accounts.Settings {
	return accounts.Settings{
		AccessTTL: s.AccessTokenTTL, RefreshTTL: s.RefreshTokenTTL, LimitGuesses: s.AuthRateLimitPerMinute > 0,
		Issuer: "Atelier (" + s.AppURL.Host + ")",
	}
}

// Gate decides who may do what.
func Gate(s settings.Settings, store storage.Store) *access.Gate {
	return access.NewGate(store, s.Instance.AdminEmails...)
}

// Environment is what the settings fix of the installation, and the ways to sign in that they configure.
func Environment(s settings.Settings, providers oauth.Providers) instance.Environment {
	var built []core.IdentityProvider
	if providers.GitHub != nil {
		built = append(built, core.IdentityGitHub)
	}
	if providers.Google != nil {
		built = append(built, core.IdentityGoogle)
	}
	return instance.Environment{
		Signup: s.Instance.Signup, Preset: s.Instance.Preset, SignupDomains: s.Instance.SignupDomains,
		CreditLimit: s.WorkspaceCreditLimit, Quotas: Quotas(s), Mail: !s.Mail.Server.IsZero(), PasswordSignIn: s.Instance.PasswordSignIn, Providers: built,
	}
}

// AppURL is the public address of the studio and the API.
func AppURL(s settings.Settings) companysignin.AppURL { return companysignin.AppURL(s.AppURL.String()) }

// ProgramsURL is the address by which connected programs know the service.
func ProgramsURL(s settings.Settings) programs.AppURL {
	return programs.AppURL(strings.TrimRight(s.AppURL.String(), "/"))
}

// CreditLimit is the limit of new workspaces, and of everybody on the platform's provider.
func CreditLimit(s settings.Settings) core.CreditLimit { return s.WorkspaceCreditLimit }

// Quotas bound what people create.
func Quotas(s settings.Settings) core.Quotas {
	quotas := s.Quotas
	quotas.Bytes = s.MaxProjectBytes
	return quotas
}

// Platform is the operator's AI provider.
func Platform(s settings.Settings) models.Platform { return s.AI }

// Own spends people's own AI subscriptions.
func Own(s settings.Settings) models.SubscriptionServer {
	return models.SubscriptionServer{BaseURL: s.OAuth.AssistantBaseURL}
}

// Prices are the operator's own.
func Prices(s settings.Settings) models.Prices { return s.ModelPrices }

// Catalogue has the operator's own facts about models.
func Catalogue(s settings.Settings) models.Catalogue { return s.ModelCatalogue }

// RunLimit is the maximum cost of one run.
func RunLimit(s settings.Settings) models.RunLimit {
	if s.RunCreditLimit == nil {
		return 0
	}
	return models.RunLimit(*s.RunCreditLimit)
}

// TrashRetention is how long deleted projects are kept.
func TrashRetention(s settings.Settings) projects.Retention {
	return projects.Retention(time.Duration(s.TrashDays) * 24 * time.Hour)
}

// Pace stretches the waits of the service.
func Pace(s settings.Settings) core.Pace { return s.Pace }

// ProjectLimit is the maximum size of a project.
func ProjectLimit(s settings.Settings) files.MaxProjectBytes {
	return files.MaxProjectBytes(s.MaxProjectBytes)
}

// FileLimit is the maximum size of a file.
func FileLimit(s settings.Settings) files.MaxFileBytes { return files.MaxFileBytes(s.MaxFileBytes) }

// PreviewSettings say under which addresses previews are.
func PreviewSettings(s settings.Settings) preview.Settings {
	return preview.Settings{Scheme: s.AppURL.Scheme, Domain: s.PreviewDomain, Pace: s.Pace}
}

// LanguageServers bound the help that the code editor gives.
func LanguageServers(s settings.Settings) codeintel.Settings {
	return codeintel.Settings{MaxServers: s.MaxLanguageServers}
}

// Returns are the addresses to which sign-ins on previews come back.
func Returns(s settings.Settings, sealer identity.Sealer, now func() time.Time) *signins.Returns {
	return signins.NewReturns(sealer, s.AppURL, now)
}

// Commands runs the agent's commands as SANDBOX says.
func Commands(s settings.Settings, guard netguard.Guard, log *slog.Logger) *bwrap.Runner {
	return bwrap.New(bwrap.Config{
		Root: s.ProjectsRoot, Hidden: []string{s.DataDir, s.SitesDir}, Mode: s.Sandbox, Helper: s.Program, Guard: guard, Log: log,
		Workplaces: Workplaces(s), ProjectBytes: s.MaxProjectBytes,
	})
}

// Browser opens pages if programs may run isolated. Close it.
func Browser(s settings.Settings, pages http.Handler, log *slog.Logger) *chromium.Browser {
	off := s.Sandbox == bwrap.ModeOff || s.Sandbox == bwrap.ModeUnsafe
	return chromium.New(chromium.Config{Pages: pages, Off: off, MaxTabs: browsing.MaxPages + 1, Idle: browserIdle, Pace: s.Pace, Log: log})
}

// browserIdle is how long the browser stays when nobody has a page open.
const browserIdle = 30 * time.Second

// Browse says whether the agent and checks open pages.
func Browse(s settings.Settings) browsing.Switch { return browsing.Switch(s.Browsing) }

// AgentWeb reads pages of the web for the agent, unless the operator forbids it.
func AgentWeb(s settings.Settings, guard netguard.Guard) *webpage.Reader {
	if s.AgentWeb == "off" {
		return nil
	}
	return webpage.NewReader(guard, s.AgentWeb == "any", isPublicSuffix)
}

// Workplaces is the directory in which projects' own tools have their packages.
func Workplaces(s settings.Settings) string { return filepath.Join(s.DataDir, "node") }

// Origin is the public address of the API.
func Origin(s settings.Settings) thumbnails.Origin { return thumbnails.Origin(s.AppURL.String()) }

// TakePictures says whether pictures of projects are taken.
func TakePictures(s settings.Settings) thumbnails.Switch { return thumbnails.Switch(s.Thumbnails) }

// Picture has pictures of projects taken.
func Picture(service *thumbnails.Service) thumbnails.Refresher { return service.Refresh }

// SiteAddress returns the address of a slug's site.
func SiteAddress(s settings.Settings) projects.Address {
	return func(slug string) string { return s.AppURL.Scheme + "://" + slug + "." + s.AppDomain }
}

// Standing tells rooms that a session has ended.
func Standing(callers *accounts.Authenticator) rooms.SessionCheck { return callers.Standing }

// PresentProject presents a project's record to rooms as the API does.
func PresentProject(views *projects.Views) rooms.Present { return views.Present }

// WakeQueue starts a new project's first run immediately.
func WakeQueue(runs *chat.Runs) projects.QueueWaker { return runs.WakeQueue }
