// Package doctor checks what an installation depends on: settings, servers, worker processes,
// the sandbox and disks.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/buildworker"
	"github.com/atelierhq/atelier/adapters/bunstore"
	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/adapters/nats"
	"github.com/atelierhq/atelier/adapters/netguard"
	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core"
)

// checkTime bounds one check.
const checkTime = time.Minute

// Check is a further check that a caller of Run makes.
type Check struct {
	Name string
	// Time bounds the check.
	Time time.Duration
	// Look returns the result, or why the check fails.
	Look func(context.Context) (string, error)
}

// check examines one thing, or several related ones.
type check func(context.Context) []finding

// finding is a line of the report: the result, or why it fails.
type finding struct {
	name, text string
	err        error
}

// one is a check of one thing.
func one(name string, look func(context.Context) (string, error)) check {
	return func(ctx context.Context) []finding {
		text, err := look(ctx)
		return []finding{{name, text, err}}
	}
}

// doctor has the checks.
type doctor struct {
	settings settings.Settings
	log      *slog.Logger
}

// Run checks what the settings require, and then more, and prints a line for each result. It
// fails if a check fails.
func Run(ctx context.Context, conf settings.Settings, log *slog.Logger, out io.Writer, more ...Check) error {
	d := doctor{settings: conf, log: log}
	checks := []check{
		one("settings", d.checkSettings),
		one("database", d.checkDatabase),
		d.checkNATS,
		one("projects root", d.checkProjects),
		one("git", d.checkGit),
		one("published sites", d.checkSites),
		d.checkSandbox,
		one("build workers", d.checkWorkers),
		one("data worker", d.checkData),
		one("function worker", d.checkFunctions),
		one("Node.js", d.checkNode),
		one("browser", d.checkBrowser),
		d.checkNames,
		one("mail", d.checkMail),
		one("AI provider", d.checkProvider),
		one("disk space", d.checkSpace),
		one("backups", d.checkBackups),
	}
	lines, failures := 0, 0
	report := func(look check, most time.Duration) {
		bounded, cancel := context.WithTimeout(ctx, most)
		defer cancel()
		for _, line := range look(bounded) {
			mark := "ok  "
			if line.err != nil {
				failures++
				mark, line.text = "FAIL", line.err.Error()
			}
			lines++
			fmt.Fprintf(out, "%s  %-16s %s\n", mark, line.name, strings.Join(strings.Fields(line.text), " "))
		}
	}
	for _, look := range checks {
		report(look, checkTime)
	}
	for _, further := range more {
		report(one(further.Name, further.Look), further.Time)
	}
	if failures > 0 {
		return fmt.Errorf("%d of %d checks failed", failures, lines)
	}
	return nil
}

func (d doctor) checkSettings(context.Context) (string, error) {
	if d.settings.SharesSite() {
		return "APP_DOMAIN shares a registrable domain with APP_URL: sites should have one of their own", nil
	}
	return "served at " + d.settings.AppURL.String() + ", sites below " + d.settings.AppDomain, nil
}

func (d doctor) checkDatabase(ctx context.Context) (string, error) {
	store, err := bunstore.Open(ctx, d.settings.DatabaseURL)
	if err != nil {
		return "", err
	}
	defer store.Close()
	if err := store.Ping(ctx); err != nil {
		return "", err
	}
	pending, err := store.Pending(ctx)
	if err != nil {
		return "", err
	}
	fits := store.CheckSchema
	if d.settings.AutoMigrate {
		fits = store.CheckNewer
	}
	if err := fits(ctx); err != nil {
		return "", err
	}
	if len(pending) > 0 {
		return fmt.Sprintf("answers; the next start applies %d migrations", len(pending)), nil
	}
	if err := store.CheckWrite(ctx); err != nil {
		return "", err
	}
	return "answers, takes changes, and has the current schema", nil
}

// checkNATS checks the connection to other processes, if the settings name one.
func (d doctor) checkNATS(ctx context.Context) []finding {
	if d.settings.NATS.URL == "" {
		return nil
	}
	return one("NATS", func(ctx context.Context) (string, error) {
		conn, err := nats.Connect(ctx, nats.Config{URL: d.settings.NATS.URL, Prefix: d.settings.NATS.Prefix, Log: d.log})
		if err != nil {
			return "", err
		}
		conn.Close()
		return "answers, subjects begin with " + d.settings.NATS.Prefix, nil
	})(ctx)
}

func (d doctor) checkProjects(ctx context.Context) (string, error) {
	trees, err := disk.NewTrees(d.settings.ProjectsRoot)
	if err != nil {
		return "", err
	}
	defer trees.Close()
	return d.settings.ProjectsRoot + " can be read and written, " + readers(trees.Exposed()), trees.Check(ctx)
}

func (d doctor) checkSites(ctx context.Context) (string, error) {
	sites, err := disk.NewSites(d.settings.SitesDir)
	if err != nil {
		return "", err
	}
	defer sites.Close()
	return d.settings.SitesDir + " can be read and written, " + readers(sites.Exposed()), sites.Check(ctx)
}

// readers says who may read a folder, given why others can.
func readers(exposed error) string {
	if exposed != nil {
		return "NOT ONLY BY THE SERVICE: " + exposed.Error()
	}
	return "only by the service's user"
}

// checkSandbox fails if commands run without the intended isolation, and if SANDBOX=bwrap
// requires what is missing.
func (d doctor) checkSandbox(ctx context.Context) []finding {
	runner := bootstrap.Commands(d.settings, netguard.New(d.settings.PrivateNetworks), d.log)
	report := runner.Report(ctx)
	if err := runner.Available(ctx); err != nil && d.settings.Sandbox != bwrap.ModeBwrap {
		var known *core.Error
		if errors.As(err, &known) {
			return []finding{{name: report[0].Name, text: "off: " + known.Message}}
		}
	}
	found := make([]finding, len(report))
	for i, line := range report {
		found[i] = finding{line.Name, line.Text, line.Err}
	}
	return found
}

// checkWorkers lets a build worker try what is forbidden to it.
func (d doctor) checkWorkers(ctx context.Context) (string, error) {
	cache, err := os.MkdirTemp("", "atelier-doctor-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(cache)
	pool := buildworker.New(buildworker.Config{Command: []string{d.settings.Program, buildworker.Command, cache}, Writable: []string{cache}, Log: d.log})
	defer pool.Close()
	return pool.Report(ctx)
}

// checkNode says whether projects whose own tools build their pages can run. No setting
// requires that.
func (d doctor) checkNode(ctx context.Context) (string, error) {
	runner := bootstrap.Commands(d.settings, netguard.New(d.settings.PrivateNetworks), d.log)
	tools := bwrap.NewTools(runner, bwrap.ToolsConfig{Dir: bootstrap.Workplaces(d.settings)})
	var known *core.Error
	if err := tools.Available(ctx); errors.As(err, &known) {
		return "off: " + known.Message, nil
	}
	return tools.Version() + " works in the sandbox: projects with tools of their own run", nil
}

// checkMail authenticates at the mail server, or writes to the outbox.
func (d doctor) checkMail(ctx context.Context) (string, error) {
	sender := bootstrap.Mail(d.settings, d.log, time.Now)
	if d.settings.Mail.Server.IsZero() {
		return "no mail server (SMTP_URL): mails are files in " + d.settings.Mail.OutboxDir, sender.Check(ctx)
	}
	return d.settings.Mail.Server.String() + " takes mails from " + d.settings.Mail.From.Address, sender.Check(ctx)
}

func (d doctor) checkProvider(ctx context.Context) (string, error) {
	choice, models, err := bootstrap.PlatformModels(ctx, d.settings, bootstrap.NewVendors(netguard.New(d.settings.PrivateNetworks), nil))
	if core.IsCode(err, core.CodeNoProvider) {
		return "none configured: workspaces bring their own", nil
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s answers, %d models, %q is used", choice.Kind, len(models), choice.Model), nil
}
