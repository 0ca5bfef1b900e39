package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/atelierhq/atelier/adapters/dataworker"
	"github.com/atelierhq/atelier/adapters/functionworker"
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

// scarceBytes is how much room on a disk is too little to go on.
const scarceBytes = 1 << 30

// checkSpace says how much room the disks have.
func (d doctor) checkSpace(context.Context) (string, error) {
	var scarce []error
	var told []string
	for _, place := range []struct{ name, dir string }{
		{"DATA_DIR", d.settings.DataDir}, {"PROJECTS_ROOT", d.settings.ProjectsRoot}, {"SITES_DIR", d.settings.SitesDir},
	} {
		var disk syscall.Statfs_t
		if err := syscall.Statfs(place.dir, &disk); err != nil {
			return "", fmt.Errorf("%s: %w", place.name, err)
		}
		free := disk.Bavail * uint64(disk.Bsize)
		told = append(told, fmt.Sprintf("%d GiB in %s", free>>30, place.name))
		if free < scarceBytes {
			scarce = append(scarce, fmt.Errorf("only %d MiB are free in %s (%s): make room, or move it to a larger disk", free>>20, place.name, place.dir))
		}
	}
	return "free: " + strings.Join(told, ", "), errors.Join(scarce...)
}
