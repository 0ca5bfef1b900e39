package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/atelierhq/atelier/adapters/bunstore"
	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/adapters/netguard"
	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/workspaces"
	"github.com/atelierhq/atelier/ports/ai"
)

// checkTime bounds one check.
const checkTime = 15 * time.Second

// doctor checks what the settings ask for, a line each. It fails when something
// does not work.
func (c *command) doctor(ctx context.Context, _ []string) error {
	checks := []struct {
		name string
		do   func(context.Context) (string, error)
	}{
		{"settings", c.checkSettings},
		{"database", c.checkDatabase},
		{"projects root", c.checkProjects},
		{"published sites", c.checkSites},
		{"sandbox", c.checkSandbox},
		{"mail", c.checkMail},
		{"AI provider", c.checkProvider},
	}
	failures := 0
	for _, check := range checks {
		bounded, cancel := context.WithTimeout(ctx, checkTime)
		found, err := check.do(bounded)
		cancel()
		mark := "ok  "
		if err != nil {
			failures++
			mark, found = "FAIL", err.Error()
		}
		fmt.Fprintf(c.out, "%s  %-16s %s\n", mark, check.name, found)
	}
	if failures > 0 {
		return fmt.Errorf("%d of %d checks failed", failures, len(checks))
	}
	return nil
}

func (c *command) checkSettings(context.Context) (string, error) {
	if c.settings.SharesSite() {
		return "APP_DOMAIN shares a registrable domain with APP_URL: sites should have one of their own", nil
	}
	return "served at " + c.settings.AppURL.String() + ", sites below " + c.settings.AppDomain, nil
}

func (c *command) checkDatabase(ctx context.Context) (string, error) {
	store, err := bunstore.Open(ctx, c.settings.DatabaseURL)
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
	if len(pending) > 0 && !c.settings.AutoMigrate {
		return "", fmt.Errorf("%d migrations are to be applied: run atelier migrate", len(pending))
	}
	return fmt.Sprintf("answers, %d migrations to be applied", len(pending)), nil
}

func (c *command) checkProjects(ctx context.Context) (string, error) {
	trees, err := disk.NewTrees(c.settings.ProjectsRoot)
	if err != nil {
		return "", err
	}
	return c.settings.ProjectsRoot + " can be read and written", trees.Check(ctx)
}

func (c *command) checkSites(context.Context) (string, error) {
	_, err := disk.NewSites(c.settings.SitesDir)
	return c.settings.SitesDir + " can be read and written", err
}

// checkSandbox fails only when SANDBOX=bwrap asks for what is not there.
func (c *command) checkSandbox(ctx context.Context) (string, error) {
	err := bootstrap.Commands(c.settings, c.log).Available(ctx)
	var known *core.Error
	switch {
	case c.settings.Sandbox == bwrap.ModeUnsafe:
		return "UNSAFE: the agent's commands run without isolation and can do what this service can", nil
	case err == nil && os.Geteuid() == 0:
		return "bubblewrap works; the service should not run as root, so that commands never act as root on the disk", nil
	case err == nil:
		return "bubblewrap works", nil
	case c.settings.Sandbox != bwrap.ModeBwrap && errors.As(err, &known):
		return "off: " + known.Message, nil
	}
	return "", err
}

// checkMail signs in at the mail server, or writes to the outbox.
func (c *command) checkMail(ctx context.Context) (string, error) {
	sender := bootstrap.Mail(c.settings, c.log, time.Now)
	if c.settings.Mail.Server.IsZero() {
		return "no mail server (SMTP_URL): mails are files in " + c.settings.Mail.OutboxDir, sender.Check(ctx)
	}
	return c.settings.Mail.Server.String() + " takes mails from " + c.settings.Mail.From.Address, sender.Check(ctx)
}

func (c *command) checkProvider(ctx context.Context) (string, error) {
	vendors := bootstrap.NewVendors(netguard.New(c.settings.PrivateNetworks))
	platform := workspaces.NewProviders(workspaces.ProviderDeps{Factory: vendors, Platform: c.settings.AI})
	choice, err := platform.ChoosePlatform(ctx, "")
	if core.IsCode(err, core.CodeNoProvider) {
		return "none configured: workspaces bring their own", nil
	}
	if err != nil {
		return "", err
	}
	models, err := choice.Provider.Models(ctx)
	var failure *ai.Failure
	if errors.As(err, &failure) {
		return "", failure.Err
	}
	return fmt.Sprintf("%s answers, %d models, %q is used", choice.Kind, len(models), choice.Model), err
}
