package evals

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/adapters/esbuild"
	"github.com/atelierhq/atelier/adapters/scaffold"
	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/evals/firstpage"
	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/build"
)

// Config configures a Bench.
type Config struct {
	// Settings choose the provider, as for the service. Directories, limits and the
	// sandbox in them are ignored: everything is in memory, nothing is limited, and no
	// command runs.
	Settings settings.Settings
	Models   ai.Factory
	// Timeout bounds one task; 0 is DefaultTimeout.
	Timeout time.Duration
	Log     *slog.Logger
}

// DefaultTimeout bounds one task.
const DefaultTimeout = 10 * time.Minute

// stopPatience is how long a cancelled run may take to end.
const stopPatience = 30 * time.Second

// Bench is an in-memory program that runs tasks, each in its own project. It is safe for
// concurrent use.
type Bench struct {
	app       *bootstrap.App
	maker     *builds.Maker
	by        core.Actor
	workspace core.ID
	timeout   time.Duration
	release   func() error
	// pages judges first pages. It is nil if no task asks for that.
	pages *firstpage.Judge
}

// New assembles a bench for the tasks. It must be closed.
func New(ctx context.Context, config Config, tasks []Task) (*Bench, error) {
	bundles, err := os.MkdirTemp("", "atelier-eval-")
	if err != nil {
		return nil, err
	}
	b := &Bench{timeout: config.Timeout, release: func() error { return os.RemoveAll(bundles) }}
	packages, err := b.supply(ctx, config, tasks, bundles)
	if err != nil {
		return nil, errors.Join(err, b.release())
	}
	if b.timeout <= 0 {
		b.timeout = DefaultTimeout
	}
	builder, err := esbuild.New(filepath.Join(bundles, "bundles"))
	if err != nil {
		return nil, errors.Join(err, b.release())
	}
	settings := config.Settings
	settings.Sandbox, settings.WorkspaceCreditLimit = bwrap.ModeOff, nil
	parts := inmemory.Parts{Models: config.Models, Templates: scaffold.New(), Packages: packages, Builder: builder, Syntax: builder}
	if b.app, err = inmemory.NewWith(ctx, settings, config.Log, parts); err != nil {
		return nil, errors.Join(err, b.release())
	}
	b.maker = builds.NewMaker(builds.Deps{Sources: b.app.Pipeline, Environment: b.app.Environment, Resolver: packages, Builder: builder, Tools: b.app.Tools})
	if err := b.open(ctx); err != nil {
		return nil, errors.Join(err, b.Close(ctx))
	}
	return b, nil
}

// open starts the program and creates the user who gives the tasks.
func (b *Bench) open(ctx context.Context) error {
	if err := b.app.Start(ctx); err != nil {
		return err
	}
	account := accounts.NewAccount{Email: "eval@example.com", Password: string(core.NewID())}
	_, home, err := b.app.Accounts.SignUp(ctx, core.Actor{}, account)
	b.by, b.workspace = core.Actor{UserID: home.User.ID}, home.Workspace.ID
	return err
}

// Close ends the program and removes its temporary files.
func (b *Bench) Close(ctx context.Context) error {
	return errors.Join(b.app.Close(context.WithoutCancel(ctx)), b.release())
}

// RunAll runs each of the tasks a number of times, a number of them in parallel, and
// returns the results in the order of the tasks and attempts. Attempts at a task are never
// in parallel, so that a recording answers them in their order. told is called after each,
// one call at a time.
func (b *Bench) RunAll(ctx context.Context, tasks []Task, attempts, parallel int, told func(Result)) []Result {
	attempts = max(1, attempts)
	results := make([]Result, len(tasks)*attempts)
	semaphore := make(chan struct{}, max(1, parallel))
	var running sync.WaitGroup
	var telling sync.Mutex
	tell := func(r Result) {
		telling.Lock()
		defer telling.Unlock()
		told(r)
	}
	for i, task := range tasks {
		semaphore <- struct{}{}
		running.Go(func() {
			defer func() { <-semaphore }()
			for n := range attempts {
				result := b.Run(ctx, task)
				result.Attempt = n + 1
				results[i*attempts+n] = result
				tell(result)
			}
		})
	}
	running.Wait()
	return results
}

// Run runs one task in a new project and judges it. The result's Error says what kept a
// task from being run or judged.
func (b *Bench) Run(ctx context.Context, task Task) Result {
	result := Result{Task: task.Name, Checks: make([]CheckResult, len(task.Checks))}
	for i, check := range task.Checks {
		result.Checks[i] = CheckResult{Check: check.Label(), Why: "the task was not run"}
	}
	if err := b.run(ctx, task, &result); err != nil {
		result.Error = err.Error()
	}
	result.Passed = result.passed()
	return result
}

func (b *Bench) run(ctx context.Context, task Task, result *Result) error {
	project, err := b.prepare(ctx, task)
	if err != nil {
		return err
	}
	var left outcome
	if left.before, err = b.snapshot(ctx, project); err != nil {
		return err
	}
	var events tally
	began := time.Now()
	err = b.converse(ctx, project, task, &events)
	result.count(&events, time.Since(began))
	if err != nil {
		return err
	}
	if left.after, err = b.snapshot(ctx, project); err != nil {
		return err
	}
	made, err := b.maker.Make(ctx, project, build.ModeSite)
	if err != nil {
		return fmt.Errorf("could not check whether the project builds: %w", err)
	}
	left.pages, left.problem, left.answer = pagesOf(made.Files), firstProblem(made.Diagnostics), events.answer
	if left.faults, err = b.lookAt(ctx, task, made.Files); err != nil {
		return err
	}
	result.judge(task, left, &events)
	return nil
}

func firstProblem(diagnostics []core.Diagnostic) string {
	if len(diagnostics) == 0 {
		return ""
	}
	first := diagnostics[0]
	return fmt.Sprintf("%s:%d:%d: %s", first.Path, first.Line, first.Column, first.Message)
}

// prepare makes the task's project.
func (b *Bench) prepare(ctx context.Context, task Task) (core.ID, error) {
	made, err := b.app.Projects.Create(ctx, b.by, b.workspace, projects.Draft{Name: task.Name, Template: &task.Template})
	if err != nil || len(task.files) == 0 {
		return made.ID, err
	}
	encoding := "base64"
	var writes []files.Operation
	for _, path := range slices.Sorted(maps.Keys(task.files)) {
		content := base64.StdEncoding.EncodeToString(task.files[path])
		writes = append(writes, files.Operation{Op: core.OpWrite, Path: &path, Content: &content, Encoding: &encoding})
	}
	done, err := b.app.Files.Bulk(ctx, b.by, made.ID, files.Batch{Operations: writes})
	for _, write := range done.Results {
		if write.Status != files.StatusOK {
			return made.ID, fmt.Errorf("%s cannot be written: %s", write.Path, write.Message)
		}
	}
	return made.ID, err
}

// snapshot reads all files of a project.
func (b *Bench) snapshot(ctx context.Context, project core.ID) (map[string][]byte, error) {
	listing, err := b.app.Pipeline.List(ctx, project)
	if err != nil {
		return nil, err
	}
	view, err := b.app.Pipeline.View(ctx, project)
	if err != nil {
		return nil, err
	}
	all := make(map[string][]byte, len(listing.Entries))
	for _, entry := range listing.Entries {
		if all[entry.Path.String()], err = fs.ReadFile(view, entry.Path.String()); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// converse sends the task's message and reads the events until the run has ended.
func (b *Bench) converse(ctx context.Context, project core.ID, task Task, events *tally) error {
	chats, err := b.app.Chats.List(ctx, b.by, project)
	if err != nil {
		return err
	}
	talk := chats[0].ID
	if _, err := b.app.Chats.Update(ctx, b.by, project, talk, chat.Changes{Mode: &task.Mode}); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	err = b.app.Runs.Send(bounded, b.by, project, chat.Message{ChatID: talk, Text: task.Prompt}, events.add)
	if err == nil || bounded.Err() == nil {
		return err
	}
	// The run was cancelled with its stream; its work is judged once it has ended.
	patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopPatience)
	defer cancel()
	rest, failed := b.app.Followers.Follow(patient, b.by, project, talk, events.last)
	if failed == nil {
		failed = rest.Run(patient, events.add)
	}
	if ctx.Err() == nil {
		err = fmt.Errorf("the task took longer than %s and was stopped", b.timeout)
	}
	return errors.Join(err, failed)
}
