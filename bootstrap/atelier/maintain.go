package main

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/atelierhq/atelier/adapters/bunstore"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
)

func printVersion(out io.Writer) error {
	_, err := fmt.Fprintf(out, "atelier %s, commit %s, %s\n", version, commit, runtime.Version())
	return err
}

// migrate brings the database to the current schema.
func (c *command) migrate(ctx context.Context, _ []string) error {
	store, err := bunstore.Open(ctx, c.settings.DatabaseURL)
	if err != nil {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	defer store.Close()
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.out, "the database has the current schema")
	return err
}

// reconcile rebuilds the file cache of one project, or of all, from the disk. The service
// may be running: each project is locked meanwhile.
func (c *command) reconcile(ctx context.Context, args []string) error {
	app, release, err := local.New(ctx, c.settings, c.log)
	if err != nil {
		return err
	}
	defer release()
	defer app.Close(ctx)
	failures := 0
	report := func(project core.ID, found files.Report, err error) {
		if err != nil {
			failures++
			fmt.Fprintf(c.out, "%s: %v\n", project, err)
			return
		}
		fmt.Fprintf(c.out, "%s: %s\n", project, sayReport(found))
	}
	if len(args) == 1 {
		project, err := core.ParseID(args[0])
		if err != nil {
			return fmt.Errorf("%q is not the id of a project", args[0])
		}
		found, err := app.Pipeline.Reconcile(ctx, project)
		report(project, found, err)
	} else if err := app.Pipeline.ReconcileAll(ctx, report); err != nil {
		return err
	}
	if failures > 0 {
		return fmt.Errorf("%d projects could not be reconciled", failures)
	}
	return nil
}

// sayReport describes the result of reconciling a project.
func sayReport(found files.Report) string {
	text := fmt.Sprintf("%d files, %d differed from the cache, %d staged", found.Files, len(found.Changes), found.Staged)
	if found.Rebuilt {
		text += ", the index was rebuilt"
	}
	return text
}
