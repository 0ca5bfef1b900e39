// Package inmemory assembles the program on in-memory adapters throughout: for tests of
// the whole core, and for hosts that want nothing on the disk.
package inmemory

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/adapters/demo"
	"github.com/atelierhq/atelier/adapters/memory"
	memorybackend "github.com/atelierhq/atelier/adapters/memory/backend"
	membrowser "github.com/atelierhq/atelier/adapters/memory/browser"
	memoryfunctions "github.com/atelierhq/atelier/adapters/memory/functions"
	mempasskeys "github.com/atelierhq/atelier/adapters/memory/passkeys"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backups"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/browser"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/packages"
	"github.com/atelierhq/atelier/ports/scaffold"
	"github.com/atelierhq/atelier/ports/tracing"
)

// Parts replace fakes in NewWith.
type Parts struct {
	Models    ai.Factory
	Templates scaffold.Templates
	Packages  packages.Resolver
	Builder   build.Builder
	Syntax    build.SyntaxChecker
	// Browser opens the pages that a handler serves, and is closed by the caller. Without it pages
	// are seen by the fake.
	Browser func(pages http.Handler) browser.Browser
}

func openBrowser(parts Parts, pages http.Handler) browser.Browser {
	if parts.Browser == nil {
		return membrowser.New(pages)
	}
	return parts.Browser(pages)
}

// Settings returns the defaults, with the demo as the platform's AI provider and secrets
// of this process alone.
func Settings() settings.Settings {
	secrets := make([]byte, 64)
	_, _ = rand.Read(secrets) // never fails: the runtime aborts instead
	env := map[string]string{"JWT_SECRET": hex.EncodeToString(secrets[:32]), "ENCRYPTION_KEY": base64.StdEncoding.EncodeToString(secrets[32:]), "AI_PROVIDER": "demo"}
	s, err := settings.Read(func(name string) string { return env[name] })
	if err != nil {
		panic(err) // The settings are constants.
	}
	return s
}

// registry has every package that a template needs. It writes installed sets to a
// temporary directory, which is removed with the program.
func registry() (*memory.Packages, func()) {
	registry := memory.NewPackages()
	return registry, func() { _ = registry.Close() }
}

// newBackends returns the engine that holds the data of backends.
func newBackends(s settings.Settings, post backend.Post, signIns backend.SignIns, guard *memory.Guard) *memorybackend.Engine {
	return memorybackend.New(memorybackend.Config{Post: post, SignIns: signIns, Client: guard.Client(), Limits: memorybackend.Limits{
		FileBytes: s.Backends.FileBytes, Streams: s.Backends.Streams, Requests: s.Backends.Requests,
	}})
}

// newFunctions returns the runner of functions. The source of a function is its name.
func newFunctions() *memoryfunctions.Runner {
	return memoryfunctions.New(map[string]memoryfunctions.Func{"echo": memoryfunctions.Echo})
}

// providers returns the identity providers that the settings name, each a *memory.OAuth
// to which a test can add people.
// ceremonies are those of passkeys at the address of the service.
func ceremonies(s settings.Settings) *mempasskeys.Ceremonies { return mempasskeys.New(s.AppURL) }

func providers(s settings.Settings, now func() time.Time) oauth.Providers {
	var providers oauth.Providers
	if s.OAuth.GitHub.ID != "" {
		providers.GitHub = memory.NewOAuth(core.IdentityGitHub, s.OAuth.GitHub.RedirectURI, now)
	}
	if s.OAuth.Google.ID != "" {
		providers.Google = memory.NewOAuth(core.IdentityGoogle, s.OAuth.Google.RedirectURI, now)
	}
	if s.OAuth.Assistant.ID != "" {
		providers.Assistant = memory.NewOAuth(core.IdentityGitHub, s.OAuth.Assistant.RedirectURI, now)
	}
	return providers
}

// vendors has only the demo, so that no test needs a model.
func vendors() *memory.Factory {
	return memory.NewFactory(map[core.ProviderKind]ai.Provider{core.ProviderDemo: demo.New()})
}

// commands answers the agent's commands by an empty script: every program is unknown.
func commands(s settings.Settings, trees *memory.Trees) *memory.Sandbox {
	return memory.NewSandbox(trees).SetMissing(s.Sandbox == bwrap.ModeOff)
}

// tools simulates successful tools on the projects' files.
func tools(s settings.Settings, trees *memory.Trees) *memory.Toolchain {
	return memory.NewToolchain(trees).SetMissing(s.Sandbox == bwrap.ModeOff)
}

// types finds the only kind of mistake that memory.TypeChecker knows.
func types(s settings.Settings, trees *memory.Trees) *memory.TypeChecker {
	return memory.NewTypeChecker(trees).SetMissing(s.Sandbox == bwrap.ModeOff)
}

// noBackups is the place of backups of a program that keeps nothing.
func noBackups() *backups.Vault { return &backups.Vault{} }

// languages know what memory.LanguageServers does.
func languages(s settings.Settings, trees *memory.Trees) *memory.LanguageServers {
	return memory.NewLanguageServers(trees).SetMissing(s.Sandbox == bwrap.ModeOff)
}

// exclusive says that no other process uses the database, which is in memory.
func exclusive() core.SoleProcess { return true }

// noTraces records no traces.
func noTraces() tracing.Tracer { return tracing.Off{} }
