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

	"github.com/atelierhq/atelier/adapters/internal/tsoptions"
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
	report, removed, err := c.run(ctx, dir, in, task.Config)
	if err != nil || !removed {
		return report, err
	}
	translated, err := c.translated(ctx, dir, in, task)
	if err != nil || translated.program == nil {
		return report, err
	}
	report, _, err = c.run(ctx, dir, translated, task.Config)
	return report, err
}

// translated returns a cell in which the compiler checks although the configuration has options that
// it has removed. It has no program if there is none.
func (c *TypeChecker) translated(ctx context.Context, dir string, in cell, task typecheck.Task) (cell, error) {
	in.program = []string{"/bin/sh", "-c", c.config.Limits.inner(), "sh", placeCompiler + `exec /tmp/typescript/tsc --showConfig -p "$CONFIG"`}
	shown, err := c.compile(ctx, dir, in)
	if err != nil || shown.full || !shown.how.exited || shown.how.code != 0 {
		return cell{}, err
	}
	config := tsoptions.Translate([]byte(shown.text), appDir+"/"+task.Config.String())
	if config == "" {
		return cell{}, nil
	}
	in.variables = append(in.variables, [][2]string{
		{"CONFIG", translatedConfig}, {"TRANSLATED", config}, {"FUNCTIONS", configOfFunctions(task, translatedConfig)},
	}...)
	in.program = c.checks()
	return in, nil
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
		{"FUNCTIONS", configOfFunctions(task, appDir+"/"+task.Config.String())},
		{"MARK", functionsMark},
		// The compiler then frees memory before it reaches the limit.
		{"GOMEMLIMIT", strconv.FormatInt(c.config.Limits.MemoryBytes*3/4, 10)},
	}...)
	in.program = c.checks()
	return in, nil
}

// checks is the program that checks the application and then its functions.
func (c *TypeChecker) checks() []string {
	const line = placeCompiler + `if [ -n "$TRANSLATED" ]; then printf '%s' "$TRANSLATED" > "$CONFIG" || exit 125; fi
/tmp/typescript/tsc --noEmit --pretty false -p "$CONFIG"; code=$?
if [ -n "$FUNCTIONS" ] && [ $code -le 2 ]; then
	printf '\n%s\n' "$MARK"
	printf '%s' "$FUNCTIONS" > ` + functionsConfig + ` || exit 125
	/tmp/typescript/tsc --noEmit --pretty false -p ` + functionsConfig + `; more=$?
	[ $more -gt $code ] && code=$more
fi
exit $code`
	return []string{"/bin/sh", "-c", c.config.Limits.inner(), "sh", line}
}

// placeCompiler is the shell program that makes the compiler executable: files of the store are not.
const placeCompiler = `{ mkdir /tmp/typescript && cp "$COMPILER/tsc" /tmp/typescript/ && chmod 755 /tmp/typescript/tsc && ln -s "$COMPILER"/*.d.ts /tmp/typescript/; } || exit 125
`

// configOfFunctions is the configuration with which the compiler runs a second time, "" for none:
// that of the application, but for the files and for what would be written.
func configOfFunctions(task typecheck.Task, application string) string {
	if !task.Functions {
		return ""
	}
	// Texts are always encoded.
	config, _ := json.Marshal(map[string]any{
		"extends": application,
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

// compilation is the end of the compiler: how it ended, with the cause if it was ended, and its output.
type compilation struct {
	how   exitStatus
	cause error
	text  string
	full  bool
}

// compile runs a cell's program to its end.
func (c *TypeChecker) compile(caller context.Context, dir string, in cell) (compilation, error) {
	timed, cancel := context.WithTimeoutCause(caller, c.config.Time, tooLong)
	defer cancel()
	ctx, end := context.WithCancelCause(timed)
	defer end(nil)
	said := &typesOutput{end: end}
	watched := supervisor{limits: c.config.Limits, disk: newDiskUse(c.config.Limits.DiskBytes, dir), every: watchEvery, log: c.runner.config.Log, about: []any{"what", "type check"}}
	how, err := watched.run(ctx, end, c.runner.probe().cage.enclose(in), said)
	if caller.Err() != nil {
		return compilation{}, caller.Err()
	}
	if err != nil {
		return compilation{}, core.Wrap(core.CodeSandboxUnavailable, err, "the TypeScript compiler could not be started")
	}
	text, full := said.lines()
	if how.exited && how.code == unstarted {
		return compilation{}, core.Wrap(core.CodeUnavailable, errors.New(text), "the TypeScript compiler could not be started")
	}
	return compilation{how, context.Cause(ctx), text, full}, nil
}

// run runs the compiler to its end. removed says that it checked nothing, because it has removed an
// option of the configuration.
func (c *TypeChecker) run(ctx context.Context, dir string, in cell, config core.ProjectPath) (report typecheck.Report, removed bool, err error) {
	made, err := c.compile(ctx, dir, in)
	if err != nil {
		return typecheck.Report{}, false, err
	}
	report, isTold := readRuns(made.text, config)
	report.Truncated = report.Truncated || made.full
	var limit limitError
	switch {
	case made.full, made.how.exited && made.how.code == 0, made.how.exited && made.how.code <= 2 && isTold:
	case made.how.exited:
		report.Ended = typecheck.EndedFailure
	case errors.As(made.cause, &limit):
		report.Ended = endedBy(limit.limit)
	default:
		return typecheck.Report{}, false, core.Wrap(core.CodeSandboxUnavailable, errors.New(made.text), "the TypeScript compiler could not be isolated")
	}
	return report, removedOption.MatchString(made.text), nil
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
