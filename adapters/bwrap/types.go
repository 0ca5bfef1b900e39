package bwrap

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/typecheck"
)

// CompilerVersion is the version of TypeScript that checks types. The package typescript
// named this version's program in its optionalDependencies when this was written. From 7
// on the compiler is one static program, which needs no Node.js.
const CompilerVersion = "7.0.2"

const (
	// packagesDir is the path of the package store inside, and modulesDir that of the
	// project's packages. Both are outside the project's directory, in which nothing
	// needs to be created.
	packagesDir = "/packages"
	modulesDir  = "/node_modules"
	// maxLinked bounds the packages of one set.
	maxLinked = 2000
	// maxProcessors is how many processors one check uses.
	maxProcessors = 4
	// unstarted is the exit code of a compiler that could not be copied into place.
	unstarted = 125
)

// TypesConfig configures a TypeChecker, in addition to the Runner.
type TypesConfig struct {
	// Store is the directory that the links of packages lead into.
	Store string
	// Limits bound one check, in addition to the limits of the port. Zeros are defaults
	// that usual projects stay far below.
	Limits Limits
	// Time is how long one check may take; 0 is typecheck.MaxTime.
	Time time.Duration
	// Parallel bounds how many checks run at the same time; others wait. 0 is half the
	// number of processors.
	Parallel int
}

// TypeChecker runs the TypeScript compiler in the sandbox of the Runner's commands, where
// it can write only to memory. In ModeUnsafe it isolates the compiler as well.
type TypeChecker struct {
	runner *Runner
	config TypesConfig
	// semaphore bounds the checks that run at the same time.
	semaphore *fair.Semaphore
}

var _ typecheck.Checker = (*TypeChecker)(nil)

// NewTypeChecker returns a checker.
func NewTypeChecker(runner *Runner, config TypesConfig) *TypeChecker {
	limits := &config.Limits
	limits.MemoryBytes = orDefault(limits.MemoryBytes, typecheck.MaxMemoryBytes)
	// This is more than the compiler uses, so the supervision ends it before an
	// allocation fails.
	limits.DataBytes = orDefault(limits.DataBytes, 3*limits.MemoryBytes)
	limits.ScratchBytes = orDefault(limits.ScratchBytes, 64<<20)
	config.Limits = limits.orDefaults()
	config.Time = cmp.Or(config.Time, typecheck.MaxTime)
	if config.Parallel == 0 {
		config.Parallel = max(1, runtime.GOMAXPROCS(0)/2)
	}
	return &TypeChecker{runner: runner, config: config, semaphore: newSemaphore(config.Parallel)}
}

// Available implements typecheck.Checker.
func (c *TypeChecker) Available(context.Context) error {
	if c.runner.config.Mode == ModeOff {
		return core.Errorf(core.CodeSandboxUnavailable,
			"types cannot be checked here, because the sandbox is disabled (SANDBOX=off): the operator can install bubblewrap and set SANDBOX=auto")
	}
	if platformOf(runtime.GOARCH) == "" {
		return core.Errorf(core.CodeSandboxUnavailable, "types cannot be checked here, because there is no TypeScript compiler for this machine (%s)", runtime.GOARCH)
	}
	if err := c.runner.probe().err; err != nil {
		return core.Wrap(core.CodeSandboxUnavailable, err, "types cannot be checked here, because there is no sandbox: %s", howToInstall)
	}
	return nil
}

// Compiler implements typecheck.Checker.
func (c *TypeChecker) Compiler() map[string]string {
	return map[string]string{compilerPackage(): CompilerVersion}
}

func compilerPackage() string { return "@typescript/typescript-linux-" + platformOf(runtime.GOARCH) }

// platformOf returns npm's name of a processor architecture, "" if there is no compiler
// for it.
func platformOf(goarch string) string {
	switch goarch {
	case "amd64":
		return "x64"
	case "arm64", "arm", "loong64", "s390x", "ppc64le":
		return strings.TrimSuffix(goarch, "le")
	}
	return ""
}

// Check implements typecheck.Checker.
func (c *TypeChecker) Check(ctx context.Context, project core.ID, task typecheck.Task) (typecheck.Report, error) {
	if err := c.Available(ctx); err != nil {
		return typecheck.Report{}, err
	}
	dir, err := c.runner.directory(project)
	if err != nil {
		return typecheck.Report{}, err
	}
	in, err := c.cell(dir, task)
	if err != nil {
		return typecheck.Report{}, core.Wrap(core.CodeUnavailable, err, "the packages of the project cannot be read")
	}
	leave, err := c.semaphore.Enter(ctx)
	if err != nil {
		return typecheck.Report{}, err
	}
	defer leave()
	return c.run(ctx, dir, in, task.Config)
}

// cell returns what the compiler sees: the project's files and the packages, all
// read-only. Files of packages cannot be executed, so the compiler is copied first.
func (c *TypeChecker) cell(dir string, task typecheck.Task) (cell, error) {
	compiler, err := c.inside(task.Compiler)
	if err != nil {
		return cell{}, err
	}
	in := cell{limits: c.config.Limits, binds: []bind{{dir, appDir, false}}}
	for _, set := range []string{task.Packages, task.Compiler} {
		binds, err := c.linked(set)
		if err != nil {
			return cell{}, err
		}
		in.binds = append(in.binds, binds...)
	}
	if task.Packages != "" {
		modules, err := c.inside(task.Packages)
		if err != nil {
			return cell{}, err
		}
		in.mounts = []mount{{source: modulesDir, link: modules + "/node_modules"}}
	}
	in.variables = append(environment(appDir, home), [][2]string{
		{"COMPILER", compiler + "/node_modules/" + compilerPackage() + "/lib"},
		{"CONFIG", "./" + task.Config.String()},
		{"GOMAXPROCS", strconv.Itoa(min(maxProcessors, runtime.GOMAXPROCS(0)))},
		{"FUNCTIONS", configOfFunctions(task)},
		{"MARK", functionsMark},
		// The compiler then frees memory before it reaches the limit.
		{"GOMEMLIMIT", strconv.FormatInt(c.config.Limits.MemoryBytes*3/4, 10)},
	}...)
	const line = placeCompiler + `/tmp/typescript/tsc --noEmit --pretty false -p "$CONFIG"; code=$?
if [ -n "$FUNCTIONS" ] && [ $code -le 2 ]; then
	printf '\n%s\n' "$MARK"
	printf '%s' "$FUNCTIONS" > ` + functionsConfig + ` || exit 125
	/tmp/typescript/tsc --noEmit --pretty false -p ` + functionsConfig + `; more=$?
	[ $more -gt $code ] && code=$more
fi
exit $code`
	in.program = []string{"/bin/sh", "-c", c.config.Limits.inner(), "sh", line}
	return in, nil
}

// placeCompiler is the shell program that makes the compiler executable: files of the store are not.
const placeCompiler = `{ mkdir /tmp/typescript && cp "$COMPILER/tsc" /tmp/typescript/ && chmod 755 /tmp/typescript/tsc && ln -s "$COMPILER"/*.d.ts /tmp/typescript/; } || exit 125
`

// configOfFunctions is the configuration with which the compiler runs a second time, "" for none:
// the application's own, but for the files and for what would be written.
func configOfFunctions(task typecheck.Task) string {
	if !task.Functions {
		return ""
	}
	// Texts are always encoded.
	config, _ := json.Marshal(map[string]any{
		"extends": appDir + "/" + task.Config.String(),
		"include": []string{appDir + "/" + core.FunctionsDir + "/**/*"},
		"exclude": []string{},
		"compilerOptions": map[string]any{
			"noImplicitAny": false, "composite": false, "rootDir": appDir,
			// Each of these needs composite or declaration.
			"declarationDir": nil, "declarationMap": nil, "emitDeclarationOnly": nil, "isolatedDeclarations": nil, "tsBuildInfoFile": nil,
		},
	})
	return string(config)
}

// inside returns the path inside of a directory of the store.
func (c *TypeChecker) inside(dir string) (string, error) {
	below, err := filepath.Rel(c.config.Store, dir)
	if err == nil && !filepath.IsLocal(below) {
		err = errors.New(dir + " is not in the store of packages")
	}
	return filepath.Join(packagesDir, below), err
}

// linked returns a set of packages and everything that its links lead to. Nothing else of
// the store is visible: the project must not learn which packages others use.
func (c *TypeChecker) linked(set string) ([]bind, error) {
	if set == "" {
		return nil, nil
	}
	var binds []bind
	seen := map[string]bool{}
	for waiting := []string{filepath.Join(set, "node_modules")}; len(waiting) > 0; waiting = waiting[1:] {
		dir := waiting[0]
		if seen[dir] {
			continue
		}
		if seen[dir] = true; len(seen) > maxLinked {
			return nil, errors.New("the set has too many packages")
		}
		to, err := c.inside(dir)
		if err != nil {
			return nil, err
		}
		binds = append(binds, bind{dir, to, false})
		beside, err := linksIn(dir)
		if err != nil {
			return nil, err
		}
		waiting = append(waiting, beside...)
	}
	return binds, nil
}

// linksIn returns the node_modules directories that the packages of one lead into.
func linksIn(modules string) ([]string, error) {
	entries, err := os.ReadDir(modules)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, entry := range entries {
		at := filepath.Join(modules, entry.Name())
		switch {
		case entry.IsDir() && strings.HasPrefix(entry.Name(), "@"):
			below, err := linksIn(at)
			if err != nil {
				return nil, err
			}
			found = append(found, below...)
		case entry.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(at)
			if err != nil {
				return nil, err
			}
			const name = "/node_modules/"
			target = filepath.Join(filepath.Dir(at), target)
			if end := strings.LastIndex(target, name); end >= 0 {
				found = append(found, target[:end+len(name)-1])
			}
		}
	}
	return found, nil
}

// run runs the compiler to its end.
func (c *TypeChecker) run(caller context.Context, dir string, in cell, config core.ProjectPath) (typecheck.Report, error) {
	timed, cancel := context.WithTimeoutCause(caller, c.config.Time, tooLong)
	defer cancel()
	ctx, end := context.WithCancelCause(timed)
	defer end(nil)
	said := &typesOutput{end: end}
	watched := supervisor{limits: c.config.Limits, disk: newDiskUse(c.config.Limits.DiskBytes, dir), every: watchEvery, log: c.runner.config.Log, about: []any{"what", "type check"}}
	how, err := watched.run(ctx, end, c.runner.probe().cage.enclose(in), said)
	if caller.Err() != nil {
		return typecheck.Report{}, caller.Err()
	}
	if err != nil {
		return typecheck.Report{}, core.Wrap(core.CodeSandboxUnavailable, err, "the TypeScript compiler could not be started")
	}
	text, full := said.lines()
	report, isTold := readRuns(text, config)
	report.Truncated = report.Truncated || full
	var limit limitError
	switch {
	case how.exited && how.code == unstarted:
		return typecheck.Report{}, core.Wrap(core.CodeUnavailable, errors.New(text), "the TypeScript compiler could not be started")
	case full, how.exited && how.code == 0, how.exited && how.code <= 2 && isTold:
	case how.exited:
		report.Ended = typecheck.EndedFailure
	case errors.As(context.Cause(ctx), &limit):
		report.Ended = endedBy(limit.limit)
	default:
		return typecheck.Report{}, core.Wrap(core.CodeSandboxUnavailable, errors.New(text), "the TypeScript compiler could not be isolated")
	}
	return report, nil
}

func endedBy(limit sandbox.Limit) typecheck.Abort {
	switch limit {
	case sandbox.LimitTime:
		return typecheck.EndedTime
	case sandbox.LimitMemory:
		return typecheck.EndedMemory
	}
	return typecheck.EndedFailure
}
