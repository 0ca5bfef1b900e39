package functions

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/calllog"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/worker"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/functions"
)

const (
	// clockPoll is the interval of looking for due functions.
	clockPoll = 10 * time.Second
	// clockLimit bounds a run with its wait for a place. clockLease is how long a function
	// does not run again if a crash prevents its end from being recorded.
	clockLimit = time.Minute
	clockLease = 2 * time.Minute
	// maxClockRuns bounds the scheduled runs in this process, maxClockRunsOfOne those of one
	// workspace.
	maxClockRuns      = 16
	maxClockRunsOfOne = 4
	// clockMethod replaces the method in the log.
	clockMethod = "SCHEDULE"
	// ScheduleHeader has the schedule of a scheduled run. It is removed from visitors' requests.
	ScheduleHeader = "Atelier-Schedule"
)

// clock runs functions by their schedules, each time once, whatever the number of
// processes. If no process ran at one or more of these times, one run makes up for them. If
// a run takes longer than its interval, the times in between are skipped. A run that a
// crash ended is not repeated.
type clock struct {
	service *Service
	stopped context.Context
	stop    context.CancelFunc
	tasks   sync.WaitGroup

	mu sync.Mutex
	// running counts the runs of each workspace.
	running map[core.ID]int
}

func newClock(s *Service) *clock {
	c := &clock{service: s, running: make(map[core.ID]int)}
	c.stopped, c.stop = context.WithCancel(context.Background())
	return c
}

// Start starts a worker that runs functions by their schedules, and one that writes what functions
// changed to the audit log. Several processes may do so with the same database.
func (s *Service) Start() {
	loop := worker.Loop{Claim: s.clock.claim, Poll: clockPoll, Concurrency: maxClockRuns}
	s.clock.tasks.Go(func() { loop.Run(s.clock.stopped) })
	s.clock.tasks.Go(func() { s.changes.run(s.clock.stopped) })
}

// Close stops the workers and waits for the runs, or until ctx ends. What the runs changed is in the
// audit log then.
func (s *Service) Close(ctx context.Context) error {
	s.clock.stop()
	err := ctxsync.Wait(ctx, &s.clock.tasks)
	s.changes.write(ctx)
	return err
}

// claim claims a due schedule and returns its run, or nil.
func (c *clock) claim(ctx context.Context) func() {
	deps := c.service.deps
	for ctx.Err() == nil {
		table, now := deps.Store.Tables().FunctionSchedules, core.At(deps.Now())
		due, err := table.Due(ctx, now, c.crowded())
		if err == nil {
			next, lease := due.Next(now), now.Add(clockLease)
			overlaps := due.BusyUntil > now
			if overlaps {
				lease = due.BusyUntil
			}
			if err = table.Take(ctx, due, next, lease); err == nil && overlaps {
				deps.Log.InfoContext(ctx, "a function is not run by its schedule, because its last run is not over", "project", due.ProjectID, "function", due.Name)
				continue
			}
			due.BusyUntil = lease
		}
		switch {
		case core.IsCode(err, core.CodeConflict): // another process was faster
		case core.IsCode(err, core.CodeNotFound):
			return nil
		case err != nil:
			if ctx.Err() == nil {
				deps.Log.WarnContext(ctx, "could not read the functions that are due", "error", err)
			}
			return nil
		default:
			return c.begin(ctx, due)
		}
	}
	return nil
}

// crowded returns the workspaces that have reached maxClockRunsOfOne.
func (c *clock) crowded() (full []core.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for workspace, count := range c.running {
		if count >= maxClockRunsOfOne {
			full = append(full, workspace)
		}
	}
	return full
}

// begin returns the run of a claimed schedule and counts it for the workspace.
func (c *clock) begin(ctx context.Context, due core.FunctionSchedule) func() {
	deps := c.service.deps
	project, err := deps.Store.Tables().Projects.ByID(ctx, due.ProjectID)
	if err != nil {
		return func() {} // it has been deleted since
	}
	c.count(project.WorkspaceID, 1)
	return func() {
		defer c.count(project.WorkspaceID, -1)
		within, cancel := context.WithTimeout(c.stopped, clockLimit)
		defer cancel()
		if c.mayRun(within, due) {
			c.service.runScheduled(within, project, due)
		}
		if err := deps.Store.Tables().FunctionSchedules.Finish(context.WithoutCancel(within), due); err != nil {
			deps.Log.WarnContext(within, "could not note the end of a function; it may miss its next time", "project", due.ProjectID, "function", due.Name, "error", err)
		}
	}
}

// mayRun reports whether a function may run by its schedule. No function of a site that an admin took
// down does: its run may send mails and call other services. The times that pass meanwhile are skipped.
func (c *clock) mayRun(ctx context.Context, due core.FunctionSchedule) bool {
	deps := c.service.deps
	_, err := deps.Store.Tables().Takedowns.Of(ctx, due.ProjectID)
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		deps.Log.WarnContext(ctx, "could not learn whether a site is taken down; its function misses a time", "project", due.ProjectID, "function", due.Name, "error", err)
	}
	return core.IsCode(err, core.CodeNotFound)
}

func (c *clock) count(workspace core.ID, change int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running[workspace] += change; c.running[workspace] == 0 {
		delete(c.running, workspace)
	}
}

// runScheduled runs a function of a live deployment by its schedule, and logs the run.
func (s *Service) runScheduled(ctx context.Context, project core.Project, due core.FunctionSchedule) {
	place, path := backend.Place{Project: project.ID, Env: core.DataLive}, Prefix+due.Name
	began := s.deps.Now()
	note := &run{began: began, place: place, call: core.BackendCall{
		Kind: core.CallFunction, CreatedAt: core.At(began), Method: clockMethod, Path: calllog.ShownPath(path), ProjectID: project.ID, Env: core.DataLive,
	}}
	result, err := s.carryOutScheduled(ctx, project, due, note)
	if err != nil {
		note.refused(ctx, err)
		s.deps.Log.WarnContext(ctx, "could not run a function by its schedule", "project", project.ID, "function", due.Name, "error", err)
	} else {
		note.ended(result)
	}
	s.log(note)
}

func (s *Service) carryOutScheduled(ctx context.Context, project core.Project, due core.FunctionSchedule, note *run) (functions.Result, error) {
	script, err := s.code.of(ctx, due.DeploymentID, due.Name)
	if err != nil {
		return functions.Result{}, err
	}
	values, err := s.deps.Environment.Values(ctx, project.ID)
	if err != nil {
		return functions.Result{}, err
	}
	address := "http://localhost"
	if site := s.deps.Address.Of(project); site != nil {
		address = *site
	}
	call := functions.Call{
		Tenant: project.WorkspaceID, Code: script.code, Secrets: values,
		Request: functions.Request{Method: http.MethodGet, URL: address + Prefix + due.Name, Header: http.Header{ScheduleHeader: {due.Schedule}}},
	}
	note.of(call)
	result, err := s.deps.Runner.Run(ctx, call, &host{deps: s.deps, place: note.place, tenant: call.Tenant, function: due.Name, changes: s.changes, limit: s.prompts})
	return script.located(ctx, result), err
}
