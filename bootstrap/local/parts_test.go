package local

import (
	"context"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/demo"
	"github.com/atelierhq/atelier/adapters/memory"
	memorybackend "github.com/atelierhq/atelier/adapters/memory/backend"
	membrowser "github.com/atelierhq/atelier/adapters/memory/browser"
	memconnectors "github.com/atelierhq/atelier/adapters/memory/connectors"
	memoryfunctions "github.com/atelierhq/atelier/adapters/memory/functions"
	mempasskeys "github.com/atelierhq/atelier/adapters/memory/passkeys"
	"github.com/atelierhq/atelier/adapters/memory/traces"
	"github.com/atelierhq/atelier/adapters/yjs"
	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/models"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/oauth"
)

// nowhere are settings whose directories all lie below a file, so that no adapter can
// open one.
func nowhere(t *testing.T) settings.Settings {
	t.Helper()
	env := map[string]string{"JWT_SECRET": strings.Repeat("s", 64), "ENCRYPTION_KEY": strings.Repeat("k", 43) + "=", "DATA_DIR": "/dev/null/data"}
	s, err := settings.Read(func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// everything replaces every adapter by the one in memory.
func everything(now func() time.Time) Parts {
	trees, builder, packages := memory.NewTrees(), memory.NewBuilder(), memory.NewPackages()
	repositories := memory.NewRepositories(trees)
	return Parts{
		Store: memory.NewStore(), Locks: memory.NewLocks(), Bus: memory.NewBus(), Unsaved: memory.NewUnsaved(),
		Trees: trees, Repositories: repositories, Wire: memory.NewWire(), Remotes: memory.NewRemotes(),
		Commands: memory.NewSandbox(trees), Tools: memory.NewToolchain(trees), Types: memory.NewTypeChecker(trees), Languages: memory.NewLanguageServers(trees),
		Sites: memory.NewSites(), Builder: builder, Syntax: builder, Patcher: memory.NewPatcher(), Packages: packages,
		Templates: memory.NewTemplates(), Replicas: yjs.Maker{}, Search: memory.NewSearch(), Browser: membrowser.New(nil),
		Tokens: memory.NewTokens(now), Passwords: memory.NewPasswords(), Sealer: memory.NewSealer(), Codes: memory.NewTimeCodes(), Passkeys: mempasskeys.New(&url.URL{Scheme: "http", Host: "localhost"}), OAuth: &oauth.Providers{}, Issuers: memory.NewIssuers(),
		Models: memory.NewFactory(map[core.ProviderKind]ai.Provider{core.ProviderDemo: demo.New()}),
		Mail:   memory.NewMailbox(), DNS: memory.NewDNS(), Guard: memory.NewGuard(), Backends: memorybackend.New(memorybackend.Config{}), Functions: memoryfunctions.New(nil),
		Tracer: traces.New(), Connectors: memconnectors.New(),
	}
}

func TestAReplacedAdapterIsNeverOpened(t *testing.T) {
	app, release, err := NewWith(t.Context(), nowhere(t), slog.New(slog.DiscardHandler), everything(time.Now))
	if err != nil {
		t.Fatalf("got %v, want a service that needs nothing of its own adapters", err)
	}
	defer release()
	defer app.Close(context.Background())
	if err := app.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	session, home, err := app.Accounts.SignUp(t.Context(), core.Actor{}, accounts.NewAccount{Email: "ada@example.com", Password: "long enough"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := app.Projects.Create(t.Context(), core.Actor{UserID: session.User.ID}, home.Workspace.ID, projects.Draft{Name: "Shop"}); err != nil {
		t.Error(err)
	}
}

func TestPartsThatCannotWorkAloneAreRefusedByName(t *testing.T) {
	all := everything(time.Now)
	for want, parts := range map[string]Parts{
		"Trees, Repositories, Wire, Remotes, Commands, Tools, Types and Languages": {Trees: all.Trees},
		"replace all of them or none": {Trees: all.Trees, Repositories: all.Repositories, Wire: all.Wire, Remotes: all.Remotes, Commands: all.Commands, Tools: all.Tools},
		"together with Packages":      {Packages: all.Packages},
	} {
		if _, _, err := NewWith(t.Context(), nowhere(t), slog.New(slog.DiscardHandler), parts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to say %q", err, want)
		}
	}
}

// TestOneAdapterIsReplacedAlone replaces each adapter that needs no other beside it, on
// the disk.
func TestOneAdapterIsReplacedAlone(t *testing.T) {
	all := everything(time.Now)
	for name, parts := range map[string]Parts{
		"Store": {Store: memory.NewStore()}, "Locks": {Locks: all.Locks}, "Bus": {Bus: all.Bus, Unsaved: all.Unsaved}, "Sites": {Sites: all.Sites},
		"Commands": {Commands: all.Commands}, "Tools": {Tools: all.Tools}, "Types": {Types: all.Types}, "Languages": {Languages: all.Languages},
		"Builder": {Builder: all.Builder}, "Syntax": {Syntax: all.Syntax}, "Patcher": {Patcher: all.Patcher},
		"Packages": {Packages: all.Packages, Types: all.Types, Languages: all.Languages}, "Templates": {Templates: all.Templates}, "Replicas": {Replicas: all.Replicas},
		"Search": {Search: all.Search}, "Browser": {Browser: all.Browser}, "Tokens": {Tokens: all.Tokens}, "Passwords": {Passwords: all.Passwords},
		"Sealer": {Sealer: all.Sealer}, "Codes": {Codes: all.Codes}, "OAuth": {OAuth: all.OAuth}, "Issuers": {Issuers: all.Issuers}, "Models": {Models: all.Models}, "Mail": {Mail: all.Mail},
		"DNS": {DNS: all.DNS}, "Guard": {Guard: all.Guard}, "Wire": {Wire: all.Wire}, "Remotes": {Remotes: all.Remotes},
		"Backends": {Backends: all.Backends}, "Functions": {Functions: all.Functions}, "Tracer": {Tracer: all.Tracer},
	} {
		t.Run(name, func(t *testing.T) {
			settings := nowhere(t)
			dir := t.TempDir()
			settings.DataDir, settings.ProjectsRoot, settings.SitesDir = dir, filepath.Join(dir, "projects"), filepath.Join(dir, "sites")
			settings.DatabaseURL, settings.Prepare = "sqlite://"+filepath.Join(dir, "atelier.db"), false
			app, release, err := NewWith(t.Context(), settings, slog.New(slog.DiscardHandler), parts)
			if err != nil {
				t.Fatal(err)
			}
			defer release()
			if err := app.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// house is a vendor of a host's own, which needs an address.
type house struct{ ai.Provider }

func TestAHostHasKindsOfItsOwn(t *testing.T) {
	opened := make(chan ai.Settings, 16) // models are looked for in the background as well
	parts := everything(time.Now)
	parts.Models, parts.Kinds = nil, map[core.ProviderKind]bootstrap.OpenProvider{"house": func(s ai.Settings) (ai.Provider, error) {
		opened <- s
		return house{demo.New()}, nil
	}}
	app, release, err := NewWith(t.Context(), nowhere(t), slog.New(slog.DiscardHandler), parts)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	defer app.Close(context.Background())
	session, home, err := app.Accounts.SignUp(t.Context(), core.Actor{}, accounts.NewAccount{Email: "ada@example.com", Password: "long enough"})
	if err != nil {
		t.Fatal(err)
	}
	ada, name, key := core.Actor{UserID: session.User.ID}, "Ours", "a-key-of-the-house"
	made, err := app.Providers.Create(t.Context(), ada, home.Workspace.ID, models.ProviderInput{Kind: "house", Name: &name, APIKey: &key})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := app.Providers.Models(t.Context(), ada, home.Workspace.ID, made.ID); err != nil {
		t.Error(err)
	}
	if first := <-opened; first.Key != key || first.Trusted {
		t.Errorf("got %+v, want it opened with the workspace's key, as what a user configured", first)
	}
	_, err = app.Providers.Create(t.Context(), ada, home.Workspace.ID, models.ProviderInput{Kind: "mansion", Name: &name})
	if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "anthropic demo house ollama openai") {
		t.Errorf("got %v, want it refused with the kinds that there are", err)
	}
}
