package typecheck

import (
	"context"
	"errors"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/packages"
	"github.com/atelierhq/atelier/ports/typecheck"
)

// Checker runs the compiler for a Service.
type Checker interface{ typecheck.Checker }

// Deps has the dependencies of a Service.
type Deps struct {
	Gate     *access.Gate
	Sources  builds.Sources
	Resolver packages.Resolver
	Checker  Checker
}

// maxAtOnce bounds the checks of one project: the running one plus the waiting ones.
const maxAtOnce = 5

// retryTime is when a refused check should be tried again.
const retryTime = 5 * time.Second

// Service is the use case. It may be used by many goroutines.
type Service struct {
	deps  Deps
	locks ctxsync.KeyedMutex[core.ID]
}

// New returns a service.
func New(deps Deps) *Service {
	return &Service{deps: deps, locks: ctxsync.KeyedMutex[core.ID]{MaxCallers: maxAtOnce}}
}

// Result has the type errors of a project.
type Result struct {
	// Diagnostics has at most typecheck.MaxDiagnostics entries; it is never nil.
	Diagnostics []core.Diagnostic `json:"diagnostics"`
	// Truncated says that there were more.
	Truncated bool `json:"truncated,omitempty"`
}

// Check checks the types of a project's current files. A project without
// TypeScript, or without a tsconfig.json, has no type errors. The diagnostics
// include mistakes in package.json and a check that reached a limit.
//
// One check of a project runs at a time. Errors are ctx's or those of
// access.Gate.Project, or have code core.CodeSandboxUnavailable without a sandbox
// for the compiler, core.CodeUnavailable if packages cannot be fetched or the disk
// fails, or core.CodeRateLimited if too many wait for the same project.
func (s *Service) Check(ctx context.Context, by core.Actor, project core.ID) (Result, error) {
	found, err := s.deps.Gate.Project(ctx, by, core.ActionTypeCheck, project)
	if err != nil {
		return Result{}, err
	}
	ctx = fair.WithTenant(ctx, found.WorkspaceID)
	if err := s.deps.Checker.Available(ctx); err != nil {
		return Result{}, err
	}
	unlock, err := s.locks.Lock(ctx, project)
	if errors.Is(err, ctxsync.ErrFull) {
		full := core.Errorf(core.CodeRateLimited, "too many type checks of this project are waiting: try again in a moment")
		full.RetryAfter = retryTime
		return Result{}, full
	}
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	report, err := s.check(ctx, project)
	if err != nil {
		return Result{}, err
	}
	return Result{Diagnostics: append([]core.Diagnostic{}, report.Diagnostics...), Truncated: report.Truncated}, nil
}

func (s *Service) check(ctx context.Context, project core.ID) (typecheck.Report, error) {
	files, err := s.deps.Sources.View(ctx, project)
	if err != nil {
		return typecheck.Report{}, err
	}
	found, err := readSources(ctx, files)
	if err != nil || !found.typed {
		return typecheck.Report{}, err
	}
	set, mistakes, err := builds.InstallTypes(ctx, files, s.deps.Resolver, found.mention)
	if err != nil || len(mistakes) > 0 {
		return typecheck.Report{Diagnostics: mistakes}, err
	}
	compiler, err := installCompiler(ctx, s.deps.Resolver, s.deps.Checker.Compiler())
	if err != nil {
		return typecheck.Report{}, err
	}
	report, err := s.deps.Checker.Check(ctx, project, typecheck.Task{
		Config: core.MustPath(found.config), Packages: set.Dir, Compiler: compiler.Dir, Functions: found.functions,
	})
	if message := whyEnded(report.Ended); message != "" {
		end := core.Diagnostic{Path: found.config, Message: message}
		report.Diagnostics = append([]core.Diagnostic{end}, report.Diagnostics[:min(len(report.Diagnostics), typecheck.MaxDiagnostics-1)]...)
	}
	return report, err
}

// whyEnded tells people why the result may be incomplete, "" if it is complete.
func whyEnded(ended typecheck.Abort) string {
	switch ended {
	case "":
		return ""
	case typecheck.EndedTime:
		return "The type check did not finish: it took longer than 30 seconds. A recursive type may be the reason."
	case typecheck.EndedMemory:
		return "The type check did not finish: it took more than 1 GiB of memory. A very large or recursive type may be the reason."
	}
	return "The type check did not finish: the TypeScript compiler failed."
}
