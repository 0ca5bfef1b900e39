package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/atelierhq/atelier/adapters/bunstore"
	"github.com/atelierhq/atelier/adapters/dataworker"
	"github.com/atelierhq/atelier/adapters/functionworker"
	"github.com/atelierhq/atelier/adapters/pocketbase"
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

// dataTime bounds the check of all databases of backends: each is read to its end.
const dataTime = 10 * time.Minute

// checkBackends reads the databases of projects' backends. The service may be running.
func (d doctor) checkBackends(ctx context.Context) (string, error) {
	check := d.checkOwn
	if !d.settings.Exclusive() {
		check = d.checkShared
	}
	var damaged damages
	err := check(ctx, &damaged)
	if err := errors.Join(append(damaged.found, err)...); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d databases of applications are whole", damaged.read), nil
}

// damages are what is wrong with databases, and how many were read.
type damages struct {
	found []error
	read  int
}

// check reads the database of an environment in dir.
func (d *damages) check(ctx context.Context, database, dir, project, env string) {
	d.read++
	if err := bunstore.CheckSQLite(ctx, database); err != nil {
		d.found = append(d.found, fmt.Errorf("the %s data of project %s: %w: restore a snapshot of it in the studio, or the folder %s from a backup", env, project, err, dir))
	}
}

// checkOwn reads the databases of a process alone.
func (d doctor) checkOwn(ctx context.Context, damaged *damages) error {
	root := filepath.Join(d.settings.DataDir, backendsDir)
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err != nil {
			return err
		}
		if entry.IsDir() && isScratch(entry.Name()) {
			return fs.SkipDir
		}
		below, err := filepath.Rel(root, path)
		if err != nil || !isDatabase(below) || entry.Name() != "data.db" {
			return err
		}
		parts := strings.Split(filepath.ToSlash(below), "/")
		damaged.check(ctx, path, filepath.Dir(path), parts[0], parts[1])
		return ctx.Err()
	})
}

// checkShared reads copies of the databases of several processes.
func (d doctor) checkShared(ctx context.Context, damaged *damages) error {
	folder, err := os.MkdirTemp(d.settings.DataDir, ".doctor-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	copied := filepath.Join(folder, "copy.db")
	err = eachShared(d.settings.BackendsDir, func(env *os.Root, project core.ID, name core.DataEnv) error {
		err := pocketbase.CopyShared(env, copied)
		if errors.Is(err, fs.ErrNotExist) {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		damaged.check(ctx, copied, filepath.Join(env.Name(), "data"), string(project), string(name))
		return errors.Join(ctx.Err(), os.Remove(copied))
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
