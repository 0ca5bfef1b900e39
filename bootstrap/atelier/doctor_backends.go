package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/bunstore"
	"github.com/atelierhq/atelier/adapters/pocketbase"
	"github.com/atelierhq/atelier/bootstrap/archive"
	"github.com/atelierhq/atelier/bootstrap/doctor"
	"github.com/atelierhq/atelier/core"
)

// doctor checks what the settings require and the data of applications.
func (c *command) doctor(ctx context.Context, _ []string) error {
	return doctor.Run(ctx, c.settings, c.log, c.out, doctor.Check{Name: "data", Time: dataTime, Look: dataCheck{c}.run})
}

// dataCheck checks the databases of projects' backends.
type dataCheck struct{ *command }

// dataTime bounds the check of all databases of backends: each is read to its end.
const dataTime = 10 * time.Minute

// run reads the databases. The service may be running.
func (d dataCheck) run(ctx context.Context) (string, error) {
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
func (d dataCheck) checkOwn(ctx context.Context, damaged *damages) error {
	root := filepath.Join(d.settings.DataDir, archive.BackendsDir)
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err != nil {
			return err
		}
		if entry.IsDir() && archive.IsScratch(entry.Name()) {
			return fs.SkipDir
		}
		below, err := filepath.Rel(root, path)
		if err != nil || !archive.IsDatabase(below) || entry.Name() != "data.db" {
			return err
		}
		parts := strings.Split(filepath.ToSlash(below), "/")
		damaged.check(ctx, path, filepath.Dir(path), parts[0], parts[1])
		return ctx.Err()
	})
}

// checkShared reads copies of the databases of several processes.
func (d dataCheck) checkShared(ctx context.Context, damaged *damages) error {
	folder, err := os.MkdirTemp(d.settings.DataDir, ".doctor-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	copied := filepath.Join(folder, "copy.db")
	err = archive.EachShared(d.settings.BackendsDir, func(env *os.Root, project core.ID, name core.DataEnv) error {
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
