package functions

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/build"
)

// Entry is a function of an environment. Path is its address on a page's host.
type Entry struct {
	Name string `json:"name"`
	Path string `json:"path"`
	// Schedule says when the function runs by the clock on the published site, nil if it does not.
	// NextAt is the next time; only live functions have one.
	Schedule *string    `json:"schedule"`
	NextAt   *core.Time `json:"nextAt"`
}

// List returns the functions that answer in an environment, by their names: those of the preview,
// or of the live deployment.
func (s *Service) List(ctx context.Context, by core.Actor, place backend.Place) ([]Entry, error) {
	project, err := s.deps.Gate.Project(ctx, by, core.ActionBackendRead, place.Project)
	if err != nil {
		return nil, err
	}
	if place.Env == core.DataLive {
		return s.listLive(ctx, project)
	}
	files, err := s.code.built(ctx, place.Project)
	switch core.CodeOf(err) {
	case core.CodeNotFound, core.CodeUnavailable:
		return nil, err
	}
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the functions could not be listed: try again")
	}
	var schedules []core.FunctionSchedule
	paths := make([]string, len(files))
	for i, file := range files {
		paths[i] = file.Path
		if file.Path == core.FunctionSchedulesPath {
			schedules = core.ParseFunctionSchedules(file.Content)
		}
	}
	return listed(paths, schedules), nil
}

// listLive returns the functions of the live deployment.
func (s *Service) listLive(ctx context.Context, project core.Project) ([]Entry, error) {
	if project.DeploymentID == nil {
		return nil, nil
	}
	known, err := s.code.deployed(ctx, *project.DeploymentID)
	if err != nil {
		return nil, err
	}
	schedules, err := s.deps.Store.Tables().FunctionSchedules.List(ctx, *project.DeploymentID)
	if err != nil {
		return nil, err
	}
	return listed(slices.Collect(maps.Keys(known)), schedules), nil
}

// listed returns the functions whose bundles are among the paths of a build.
func listed(paths []string, schedules []core.FunctionSchedule) []Entry {
	byName := make(map[string]core.FunctionSchedule, len(schedules))
	for _, schedule := range schedules {
		byName[schedule.Name] = schedule
	}
	var all []Entry
	for _, path := range paths {
		name := strings.TrimSuffix(strings.TrimPrefix(path, core.FunctionBundles+"/"), ".js")
		if !core.IsFunctionName(name) || path != core.FunctionBundle(name) {
			continue
		}
		one := Entry{Name: name, Path: Prefix + name}
		if schedule, found := byName[name]; found {
			one.Schedule = &schedule.Schedule
			if schedule.DueAt > 0 && schedule.DueAt != core.Never {
				one.NextAt = &schedule.DueAt
			}
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// built returns the files of the present build, among which are its functions.
func (c *code) built(ctx context.Context, project core.ID) ([]build.File, error) {
	page, err := c.deps.Previews.Page(ctx, project)
	if err != nil {
		return nil, err
	}
	if page.Build != nil {
		return page.Build.Files, nil
	}
	return c.bundle(ctx, project)
}
