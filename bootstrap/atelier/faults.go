package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/atelierhq/atelier/bootstrap/evals/faults"
	embedded "github.com/atelierhq/atelier/testdata/evals"
)

// faultsSet is the set whose tasks have a scripted model: changes that a run should notice, or not.
const faultsSet = "faults"

// plant makes the changes of the set "faults" and prints what runs noticed. With -strict it fails
// if that is too little, or if there was a false alarm.
func plant(ctx context.Context, c *command, o evalOptions) error {
	projects, err := o.changes()
	if err != nil {
		return err
	}
	bench, err := faults.New(ctx, c.settings, c.log)
	if err != nil {
		return err
	}
	results, err := bench.Run(ctx, projects, func(r faults.Result) {
		c.log.Info("change tried", "change", r.Name(), "sound", r.Sound, "right", r.Right(), "alarms", r.Alarms)
	})
	write := faults.WriteTable
	if o.json {
		write = faults.WriteJSON
	}
	if err := errors.Join(err, write(c.out, results), bench.Close(ctx), ctx.Err()); err != nil {
		return err
	}
	if score := faults.ScoreOf(results); o.strict && !score.Holds() {
		return fmt.Errorf("%d of %d faults were caught, with %d false alarms", score.Caught, score.Faults, score.Alarms)
	}
	return nil
}

// changes reads the projects with the changes to make.
func (o evalOptions) changes() ([]faults.Project, error) {
	if o.record != "" || o.replay != "" || o.attempts > 1 {
		return nil, errors.New("-n, -record and -replay do not belong to -set faults: its model follows a script")
	}
	folder := os.DirFS(o.tasks)
	if o.tasks == "" {
		var err error
		if folder, err = fs.Sub(embedded.Tasks, faultsSet); err != nil {
			return nil, err
		}
	}
	projects, err := faults.Load(folder)
	if err != nil {
		return nil, fmt.Errorf("the changes cannot be read: %w", err)
	}
	if o.only == "" {
		return projects, nil
	}
	projects = faults.Select(projects, strings.Split(o.only, ","))
	if len(projects) == 0 {
		return nil, fmt.Errorf("there is no project or change %q", o.only)
	}
	return projects, nil
}
