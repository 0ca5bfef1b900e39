package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/dataworker"
	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/adapters/functionworker"
	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/functions"
)

// checkData lets a data worker make a place and read it.
func (d doctor) checkData(ctx context.Context) (string, error) {
	dir, err := os.MkdirTemp("", "atelier-doctor-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	config, err := local.DataWorker(d.settings, dir)
	if err != nil {
		return "", err
	}
	config.Log = d.log
	engine := dataworker.New(config)
	defer engine.Close()
	place := backend.Place{Project: core.NewID(), Env: core.DataTest}
	if err := engine.Apply(ctx, place, backend.Schema{}); err != nil {
		return "", fmt.Errorf("applications have no data: %w", err)
	}
	if _, err := engine.Stats(ctx, place); err != nil {
		return "", fmt.Errorf("applications have no data: %w", err)
	}
	limits := d.settings.Backends
	return fmt.Sprintf("holds the data of applications in a process of its own: %d MiB of records and %d MiB of files each (BACKEND_…)", limits.Bytes>>20, limits.FileBytes>>20), nil
}

// checkFunctions lets a function worker run a function.
func (d doctor) checkFunctions(ctx context.Context) (string, error) {
	pool := functionworker.NewPool(functionworker.Config{Command: []string{d.settings.Program, functionworker.Command}, Log: d.log})
	defer pool.Close()
	result, err := pool.Run(ctx, functions.Call{
		Code:    []byte(`module.exports = { default: () => new Response("works") }`),
		Request: functions.Request{Method: "GET", URL: "http://localhost/_fn/doctor"},
	}, nil)
	if err == nil && result.Failure != nil {
		err = result.Failure
	}
	if err == nil && string(result.Response.Body) != "works" {
		err = fmt.Errorf("the answer was %d %q", result.Response.Status, result.Response.Body)
	}
	if err != nil {
		return "", fmt.Errorf("applications have no functions: %w", err)
	}
	return "runs the functions of applications in a process of its own", nil
}

// checkSpace says how much room the disks have.
func (d doctor) checkSpace(context.Context) (string, error) {
	var scarce []error
	var told []string
	for _, place := range []struct{ name, dir string }{
		{"DATA_DIR", d.settings.DataDir}, {"PROJECTS_ROOT", d.settings.ProjectsRoot}, {"SITES_DIR", d.settings.SitesDir},
	} {
		free, err := disk.FreeBytes(place.dir)
		if err != nil {
			return "", fmt.Errorf("%s: %w", place.name, err)
		}
		told = append(told, fmt.Sprintf("%d GiB in %s", free>>30, place.name))
		if free < disk.ScarceBytes {
			scarce = append(scarce, fmt.Errorf("only %d MiB are free in %s (%s): make room, or move it to a larger disk", free>>20, place.name, place.dir))
		}
	}
	return "free: " + strings.Join(told, ", "), errors.Join(scarce...)
}

// checkBackups says whether backups can be stored, and how old the latest is.
func (d doctor) checkBackups(ctx context.Context) (string, error) {
	vault, err := bootstrap.Vault(d.settings, nil, time.Now)
	if err != nil {
		return "", err
	}
	if !vault.On() {
		return "off: BACKUP_TARGET is not set", nil
	}
	if err := vault.Objects.Check(ctx); err != nil {
		return "", fmt.Errorf("BACKUP_TARGET: %w", err)
	}
	found, err := vault.List(ctx)
	if err != nil {
		return "", fmt.Errorf("BACKUP_TARGET: %w", err)
	}
	for _, backup := range found {
		if backup.Verified {
			return fmt.Sprintf("the latest that was verified is %s, %d MiB", backup.Name, backup.Bytes>>20), nil
		}
	}
	return "can be stored; there is none yet", nil
}
