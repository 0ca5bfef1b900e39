package bootstrap

import (
	"context"
	"errors"
	"fmt"

	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/backups"
	"github.com/atelierhq/atelier/core/health"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/browser"
	"github.com/atelierhq/atelier/ports/mail"
	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/sites"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/toolchain"
	"github.com/atelierhq/atelier/ports/worktree"
)

// HealthSources are the parts of a running service that are checked.
type HealthSources struct {
	Settings settings.Settings
	Store    storage.Store
	Trees    worktree.Trees
	Sites    sites.Store
	Bus      broadcast.Bus
	Sandbox  sandbox.Runner
	Tools    toolchain.Toolchain
	Browser  browser.Browser
	Mail     mail.Sender
	Queue    *mailer.Queue
	Backends *backends.Service
	Backups  *backups.Service
}

// HealthChecks are what admins see of a running service. atelier doctor checks more, in a process of its own.
func HealthChecks(s HealthSources) health.Checks {
	checks := health.Checks{
		{Name: "database", Look: s.database},
		{Name: "files", Look: saying(core.Phrasef("projects can be read and written"), s.Trees.Check)},
	}
	if watched, ok := s.Sites.(sites.Checker); ok {
		checks = append(checks, health.Check{Name: "sites", Look: saying(core.Phrasef("published sites can be read and written"), watched.Check)})
	}
	return append(checks,
		health.Check{Name: "disk space", Look: s.space},
		health.Check{Name: "messages between processes", Look: saying(core.Phrasef("they arrive"), s.Bus.Check)},
		health.Check{Name: "sandbox", Look: optional(core.Phrasef("commands run isolated"), s.Sandbox.Available)},
		health.Check{Name: "node.js", Look: optional(core.Phrasef("projects with tools of their own run"), s.Tools.Available)},
		health.Check{Name: "browser", Look: optional(core.Phrasef("pages of previews can be opened"), s.Browser.Available)},
		health.Check{Name: "mail", Look: s.mail},
		health.Check{Name: "worker processes", Look: s.workers},
		health.Check{Name: "backups", Look: s.Backups.Report},
	)
}

// saying is a check that says text if check finds nothing.
func saying(text core.Phrase, check func(context.Context) error) func(context.Context) (core.Phrase, error) {
	return func(ctx context.Context) (core.Phrase, error) { return text, check(ctx) }
}

// optional is a check of what an installation can do without.
func optional(text core.Phrase, available func(context.Context) error) func(context.Context) (core.Phrase, error) {
	return func(ctx context.Context) (core.Phrase, error) {
		var known *core.Error
		if err := available(ctx); errors.As(err, &known) {
			return core.Phrasef("off: %s", known.Phrase()), nil
		} else if err != nil {
			return core.Phrase{}, err
		}
		return text, nil
	}
}

func (s HealthSources) database(ctx context.Context) (core.Phrase, error) {
	if err := s.Store.Ping(ctx); err != nil {
		return core.Phrase{}, err
	}
	return core.Phrasef("answers and takes changes"), s.Store.CheckWrite(ctx)
}

// space says how much room the disks have.
func (s HealthSources) space(context.Context) (core.Phrase, error) {
	text := ""
	for _, place := range []struct{ name, dir string }{
		{"DATA_DIR", s.Settings.DataDir}, {"PROJECTS_ROOT", s.Settings.ProjectsRoot}, {"SITES_DIR", s.Settings.SitesDir},
	} {
		free, err := disk.FreeBytes(place.dir)
		if core.IsCode(err, core.CodeNotFound) {
			continue // a program that keeps nothing on the disk
		}
		if err != nil {
			return core.Phrase{}, err
		}
		if free < disk.ScarceBytes {
			return core.Phrase{}, core.Errorf(core.CodeUnavailable, "only %d MiB are free in %s: make room, or move it to a larger disk", free>>20, place.name)
		}
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%d GiB (%s)", free>>30, place.name)
	}
	return core.Phrasef("free: %s", text), nil
}

func (s HealthSources) mail(ctx context.Context) (core.Phrase, error) {
	if s.Settings.Mail.Server.IsZero() {
		return core.Phrasef("off: SMTP_URL is not set, so mails are only files in DATA_DIR"), nil
	}
	sent, err := s.Queue.SentToday(ctx, s.Store.Tables())
	if err != nil {
		return core.Phrase{}, err
	}
	return core.Phrasef("%s takes mails; applications have sent %d today, of %d that they may (MAIL_APPLICATIONS_PER_DAY)", s.Settings.Mail.Server, sent, s.Settings.Mail.Daily), s.Mail.Check(ctx)
}

// workers says how often processes of workers died.
func (s HealthSources) workers(ctx context.Context) (core.Phrase, error) {
	load, err := s.Backends.Load(ctx)
	if err != nil {
		return core.Phrase{}, err
	}
	return core.Phrasef("the process that holds the data of applications has died %d times since the start", load.Failures), nil
}
