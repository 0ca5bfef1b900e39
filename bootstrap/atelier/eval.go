package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/adapters/netguard"
	"github.com/atelierhq/atelier/adapters/recording"
	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/evals"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/models"
	"github.com/atelierhq/atelier/ports/ai"
	embedded "github.com/atelierhq/atelier/testdata/evals"
)

// evalOptions are the flags of eval.
type evalOptions struct {
	tasks    string
	set      string
	only     string
	record   string
	replay   string
	attempts int
	parallel int
	timeout  time.Duration
	json     bool
	strict   bool
}

// eval gives the agent tasks and prints the results. With -strict it fails if a task did
// not pass.
func (c *command) eval(ctx context.Context, args []string) error {
	options, err := c.evalOptions(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	if options.set == faultsSet {
		return plant(ctx, c, options)
	}
	tasks, err := options.load()
	if err != nil {
		return err
	}
	models, release, err := c.evalModels(ctx, options)
	if err != nil {
		return err
	}
	defer release()
	config := evals.Config{Settings: c.settings, Models: models, Timeout: options.timeout, Log: c.log}
	bench, err := evals.New(ctx, config, tasks)
	if err != nil {
		return err
	}
	results := bench.RunAll(ctx, tasks, options.attempts, options.parallel, func(r evals.Result) {
		c.log.Info("task done", "task", r.Task, "attempt", r.Attempt, "passed", r.Passed, "end", r.End)
	})
	if err := errors.Join(c.report(results, options.json), bench.Close(ctx), ctx.Err()); err != nil {
		return err
	}
	if failed := evals.Failed(results); failed > 0 && options.strict {
		return fmt.Errorf("%d of %d tasks did not pass", failed, len(results))
	}
	return nil
}

func (c *command) evalOptions(args []string) (evalOptions, error) {
	var o evalOptions
	flags := flag.NewFlagSet("atelier eval", flag.ContinueOnError)
	flags.SetOutput(c.out)
	flags.StringVar(&o.tasks, "tasks", "", "a folder of tasks, instead of the built-in ones")
	flags.StringVar(&o.set, "set", "tasks", "the built-in tasks to run: tasks, first-pages, which judges how first pages look, or faults, which counts the planted mistakes that a run notices; the last two need Chromium")
	flags.StringVar(&o.only, "only", "", "the names of the tasks to run, separated by commas; of faults, project or project/change")
	flags.IntVar(&o.attempts, "n", 1, "how many times to run each task")
	flags.IntVar(&o.parallel, "parallel", 1, "how many tasks to run at a time")
	flags.DurationVar(&o.timeout, "timeout", evals.DefaultTimeout, "how long one task may take")
	flags.StringVar(&o.record, "record", "", "a folder for a recording of the exchange between Atelier and the model")
	flags.StringVar(&o.replay, "replay", "", "a recording, or the folder with one, to answer from instead of a model")
	flags.BoolVar(&o.json, "json", false, "print JSON instead of a table")
	flags.BoolVar(&o.strict, "strict", false, "fail when a task did not pass")
	err := flags.Parse(args)
	switch {
	case err != nil:
		return o, err
	case flags.NArg() > 0:
		return o, fmt.Errorf("eval takes no argument %q", flags.Arg(0))
	case o.attempts < 1 || o.parallel < 1 || o.timeout <= 0:
		return o, errors.New("-n, -parallel and -timeout must be greater than zero")
	case o.set != "tasks" && o.set != "first-pages" && o.set != faultsSet:
		return o, fmt.Errorf("-set is tasks, first-pages or faults, not %q", o.set)
	case o.record != "" && o.replay != "":
		return o, errors.New("-record and -replay cannot be combined")
	}
	return o, nil
}

// load reads the tasks to run.
func (o evalOptions) load() ([]evals.Task, error) {
	folder := os.DirFS(o.tasks)
	if o.tasks == "" {
		var err error
		if folder, err = fs.Sub(embedded.Tasks, o.set); err != nil {
			return nil, err
		}
	}
	tasks, err := evals.Load(folder)
	if err != nil {
		return nil, err
	}
	return evals.Select(tasks, o.only)
}

// evalModels opens the source of answers: the recording, or the provider of the settings.
func (c *command) evalModels(ctx context.Context, o evalOptions) (ai.Factory, func(), error) {
	if o.replay != "" {
		return c.replayed(o.replay)
	}
	if c.settings.AI.Kind == "" {
		return nil, nil, errors.New("AI_PROVIDER must name the provider to evaluate: auto, demo, ollama, openai or anthropic; or use -replay")
	}
	vendors := bootstrap.NewVendors(netguard.New(c.settings.PrivateNetworks), nil)
	if _, _, err := bootstrap.PlatformModels(ctx, c.settings, vendors); err != nil {
		return nil, nil, err
	}
	if o.record != "" {
		c.settings.Recording.Dir = o.record
	}
	return bootstrap.Models(c.settings, vendors, time.Now, c.log)
}

// replayed answers from a recording, and sets the provider and model with which it was
// made, so that prices and windows are the same.
func (c *command) replayed(path string) (ai.Factory, func(), error) {
	path, err := recordingAt(path)
	if err != nil {
		return nil, nil, fmt.Errorf("-replay: %w", err)
	}
	replayer, err := recording.Replay(path)
	if err != nil {
		return nil, nil, fmt.Errorf("-replay: %w", err)
	}
	kind := replayer.Kind()
	if kind == "" {
		return nil, nil, errors.New("-replay: the recording holds no exchange")
	}
	c.settings.AI = models.Platform{Kind: kind, Model: replayer.Model()}
	return memory.NewFactory(map[core.ProviderKind]ai.Provider{kind: replayer}), func() {}, nil
}

// recordingAt returns the recording that a path names: a file, or the only one in a
// folder of -record.
func recordingAt(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return path, err
	}
	files, err := filepath.Glob(filepath.Join(path, "*.jsonl"))
	switch {
	case err != nil:
		return "", err
	case len(files) == 0:
		return "", fmt.Errorf("there is no recording in %s", path)
	case len(files) > 1:
		return "", fmt.Errorf("there are %d recordings in %s: name one of them, such as %s", len(files), path, files[len(files)-1])
	}
	return files[0], nil
}

// report prints the results.
func (c *command) report(results []evals.Result, asJSON bool) error {
	if asJSON {
		return evals.WriteJSON(c.out, results)
	}
	return evals.WriteTable(c.out, results)
}
