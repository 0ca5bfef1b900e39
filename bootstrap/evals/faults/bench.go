package faults

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/adapters/chromium"
	"github.com/atelierhq/atelier/adapters/esbuild"
	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/adapters/npm"
	"github.com/atelierhq/atelier/adapters/scaffold"
	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/browsing"
	"github.com/atelierhq/atelier/core/models"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/browser"
)

// Bench is an in-memory program with a real builder and a real browser, in which changes are made
// one after the other. Close it.
type Bench struct {
	app       *bootstrap.App
	browser   *chromium.Browser
	model     *memory.Model
	dir       string
	by        core.Actor
	workspace core.ID
}

// modelID names the scripted model.
const modelID = "script"

// New starts a bench. Of the settings it takes where packages come from.
func New(ctx context.Context, s settings.Settings, log *slog.Logger) (*Bench, error) {
	dir, err := os.MkdirTemp("", "atelier-faults-")
	if err != nil {
		return nil, err
	}
	b := &Bench{dir: dir, model: memory.NewModel(core.Model{ID: modelID, Abilities: core.Abilities{ContextTokens: 128 << 10, Tools: true}})}
	if err := b.start(ctx, s, log); err != nil {
		return nil, errors.Join(err, b.Close(ctx))
	}
	return b, nil
}

func (b *Bench) start(ctx context.Context, s settings.Settings, log *slog.Logger) error {
	packages, err := npm.New(npm.Config{
		Dir: filepath.Join(b.dir, "packages"), Seed: npm.BuiltIn(),
		Registry: s.NPM.Registry, Scopes: s.NPM.Scopes, PrivateNetworks: s.PrivateNetworks,
	})
	if err != nil {
		return err
	}
	builder, err := esbuild.New(filepath.Join(b.dir, "bundles"))
	if err != nil {
		return err
	}
	s.Sandbox, s.Browsing, s.Thumbnails, s.WorkspaceCreditLimit = bwrap.ModeOff, true, false, nil
	s.AI = models.Platform{Kind: core.ProviderDemo, Model: modelID}
	b.app, err = inmemory.NewWith(ctx, s, log, inmemory.Parts{
		Models:    memory.NewFactory(map[core.ProviderKind]ai.Provider{core.ProviderDemo: b.model}),
		Templates: scaffold.New(), Packages: packages, Builder: builder, Syntax: builder,
		Browser: func(pages http.Handler) browser.Browser {
			b.browser = chromium.New(chromium.Config{Pages: pages, MaxTabs: browsing.MaxPages, Idle: idle, Log: log})
			return b.browser
		},
	})
	if err != nil {
		return err
	}
	if err := b.browser.Available(ctx); err != nil {
		return err
	}
	if err := b.app.Start(ctx); err != nil {
		return err
	}
	_, home, err := b.app.Accounts.SignUp(ctx, core.Actor{}, accounts.NewAccount{Email: "faults@example.com", Password: string(core.NewID())})
	b.by, b.workspace = core.Actor{UserID: home.User.ID}, home.Workspace.ID
	return err
}

// idle keeps the browser's process between two changes.
const idle = time.Minute

// Close ends the program and the browser, and removes its files.
func (b *Bench) Close(ctx context.Context) error {
	var err error
	if b.app != nil {
		err = b.app.Close(context.WithoutCancel(ctx))
	}
	if b.browser != nil {
		b.browser.Close()
	}
	return errors.Join(err, os.RemoveAll(b.dir))
}

// Run makes all changes of the projects, and tells each result as it comes. Its error says why
// the projects could not be made.
func (b *Bench) Run(ctx context.Context, projects []Project, told func(Result)) ([]Result, error) {
	var results []Result
	for _, project := range projects {
		place, err := b.prepare(ctx, project)
		if err != nil {
			return results, fmt.Errorf("%s: %w", project.Name, err)
		}
		for _, sound := range []bool{false, true} {
			changes := project.Faults
			if sound {
				changes = project.Sound
			}
			for _, change := range changes {
				result, err := place.try(ctx, change)
				if err != nil {
					return results, fmt.Errorf("%s/%s: %w", project.Name, change.Name, err)
				}
				result.Sound = sound
				results = append(results, result)
				told(result)
			}
		}
	}
	return results, nil
}
