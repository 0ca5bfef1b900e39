package typecheck_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/typecheck"
	"github.com/atelierhq/atelier/ports/packages"
	port "github.com/atelierhq/atelier/ports/typecheck"
)

// studio is a project, its owner, and a stranger.
type studio struct {
	t        *testing.T
	trees    *memory.Trees
	checker  *memory.TypeChecker
	service  *typecheck.Service
	owner    core.Actor
	stranger core.Actor
	project  core.ID

	// asked are the packages that were installed; refuse is the resolver's error.
	asked  []map[string]string
	refuse error
	// missing is its error for the compiler alone.
	missing error
	// needs are the compiler's packages; answer, if set, is the result of a check.
	needs  map[string]string
	answer func(ctx context.Context, task port.Task) (port.Report, error)
}

func newStudio(t *testing.T, files map[string]string) *studio {
	t.Helper()
	s := &studio{t: t, trees: memory.NewTrees(), project: core.NewID(), needs: map[string]string{"compiler": "7.0.2"}}
	s.checker = memory.NewTypeChecker(s.trees)
	store := memory.NewStore()
	s.service = typecheck.New(typecheck.Deps{Gate: access.NewGate(store), Sources: s, Resolver: s, Checker: s})
	s.owner, s.stranger = core.Actor{UserID: core.NewID()}, core.Actor{UserID: core.NewID()}
	space, tables, ctx := core.NewID(), store.Tables(), t.Context()
	err := errors.Join(
		tables.Workspaces.Create(ctx, core.Workspace{ID: space, Slug: "space", Name: "Space"}),
		tables.Users.Create(ctx, core.User{ID: s.owner.UserID, Email: "owner@example.com"}),
		tables.Users.Create(ctx, core.User{ID: s.stranger.UserID, Email: "stranger@example.com"}),
		tables.Workspaces.PutMember(ctx, core.Membership{WorkspaceID: space, UserID: s.owner.UserID, Role: core.RoleOwner}),
		tables.Projects.Create(ctx, core.Project{
			ID: s.project, WorkspaceID: space, Slug: "shop", Name: "Shop", Visibility: core.VisibilityPublic, CreatedBy: s.owner.UserID,
		}),
		s.trees.Create(ctx, s.project),
	)
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range files {
		s.write(path, content)
	}
	return s
}

func (s *studio) write(path, content string) {
	s.t.Helper()
	tree, err := s.trees.Open(s.t.Context(), s.project)
	if err != nil {
		s.t.Fatal(err)
	}
	if made := tree.Apply(s.t.Context(), []core.FileChange{{Op: core.OpWrite, Path: core.MustPath(path), Content: []byte(content)}}); made[0].Err != nil {
		s.t.Fatal(made[0].Err)
	}
}

// View implements builds.Sources.
func (s *studio) View(ctx context.Context, project core.ID) (fs.FS, error) {
	tree, err := s.trees.Open(ctx, project)
	if err != nil {
		return nil, err
	}
	return tree.FS(), nil
}

// Install implements packages.Resolver.
func (s *studio) Install(_ context.Context, ranges map[string]string) (packages.Set, error) {
	s.asked = append(s.asked, ranges)
	if _, compiler := ranges["compiler"]; compiler && s.missing != nil {
		return packages.Set{}, s.missing
	}
	return packages.Set{Dir: "/store/" + strings.Join(slices.Sorted(maps.Keys(ranges)), "+")}, s.refuse
}

// Available implements the port.
func (s *studio) Available(ctx context.Context) error { return s.checker.Available(ctx) }

// Compiler implements the port.
func (s *studio) Compiler() map[string]string { return s.needs }

// Check implements the port.
func (s *studio) Check(ctx context.Context, project core.ID, task port.Task) (port.Report, error) {
	if s.answer != nil {
		return s.answer(ctx, task)
	}
	return s.checker.Check(ctx, project, task)
}

const (
	manifest = `{
  "dependencies": {"react": "^19.2.0"},
  "devDependencies": {"@types/react": "^19.2.0", "vite": "^8.0.0", "vitest": "^4.0.0", "typescript": "^7.0.0", "eslint": "^9.0.0"}
}`
	mistake = "const size: number = 'wide';\n"
)

func react() map[string]string {
	return map[string]string{
		"package.json": manifest, "tsconfig.json": `{"compilerOptions": {"types": ["vitest"]}}`,
		"src/vite-env.d.ts": "/// <reference types=\"vite/client\" />\n", "src/App.tsx": "import 'react';\n",
		"eslint.config.js": "import 'eslint';\n",
	}
}

func TestMistakesAreFoundAndMended(t *testing.T) {
	s := newStudio(t, react())
	for i, c := range []struct {
		source string
		want   []core.Diagnostic
	}{
		{"", []core.Diagnostic{}},
		{mistake, []core.Diagnostic{{Path: "src/App.tsx", Line: 1, Column: 7, Message: "Type 'string' is not assignable to type 'number'."}}},
		{"", []core.Diagnostic{}},
	} {
		s.write("src/App.tsx", c.source)
		got, err := s.service.Check(t.Context(), s.owner, s.project)
		if err != nil || got.Diagnostics == nil || !slices.Equal(got.Diagnostics, c.want) || got.Truncated {
			t.Errorf("time %d: got %+v, %v, want %+v", i+1, got, err, c.want)
		}
	}
}

func TestWhatTypesAreMadeOfIsInstalled(t *testing.T) {
	s := newStudio(t, react())
	var task port.Task
	s.answer = func(_ context.Context, asked port.Task) (port.Report, error) { task = asked; return port.Report{}, nil }
	if _, err := s.service.Check(t.Context(), s.owner, s.project); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"react": "^19.2.0", "@types/react": "^19.2.0", "vite": "^8.0.0", "vitest": "^4.0.0"}
	if len(s.asked) != 2 || !maps.Equal(s.asked[0], want) || !maps.Equal(s.asked[1], s.needs) {
		t.Errorf("got %v installed, want %v and the compiler", s.asked, want)
	}
	if task.Config.String() != "tsconfig.json" || task.Packages != "/store/@types/react+react+vite+vitest" || task.Compiler != "/store/compiler" {
		t.Errorf("got %+v, want what was installed", task)
	}
}

func TestTheApplicationsOwnConfigurationComesFirst(t *testing.T) {
	s := newStudio(t, react())
	s.write("tsconfig.app.json", "{}")
	s.answer = func(_ context.Context, asked port.Task) (port.Report, error) {
		return port.Report{Diagnostics: []core.Diagnostic{{Path: asked.Config.String()}}}, nil
	}
	got, err := s.service.Check(t.Context(), s.owner, s.project)
	if err != nil || len(got.Diagnostics) != 1 || got.Diagnostics[0].Path != "tsconfig.app.json" {
		t.Errorf("got %+v, %v, want tsconfig.app.json", got, err)
	}
}

func TestFunctionsAreThoseOfABackend(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  bool
	}{
		"functions without a backend": {map[string]string{"functions/a.ts": ""}, false},
		"a backend without functions": {map[string]string{core.BackendSchemaPath: "{}", "functions/a.md": "", "src/functions/a.ts": ""}, false},
		"a backend with functions":    {map[string]string{core.BackendSchemaPath: "{}", "functions/a.ts": ""}, true},
	} {
		s := newStudio(t, react())
		for path, content := range c.files {
			s.write(path, content)
		}
		var task port.Task
		s.answer = func(_ context.Context, asked port.Task) (port.Report, error) { task = asked; return port.Report{}, nil }
		if _, err := s.service.Check(t.Context(), s.owner, s.project); err != nil || task.Functions != c.want {
			t.Errorf("%s: got %+v, %v, want %v", name, task, err, c.want)
		}
	}
}

func TestWithoutTypeScriptNothingIsChecked(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"no files":               nil,
		"no configuration":       {"src/a.ts": mistake},
		"no TypeScript":          {"tsconfig.json": "{}", "src/a.js": mistake},
		"only what is generated": {"tsconfig.json": "{}", "node_modules/a/a.ts": mistake, "dist/a.ts": mistake},
	} {
		s := newStudio(t, files)
		got, err := s.service.Check(t.Context(), s.owner, s.project)
		if err != nil || got.Diagnostics == nil || len(got.Diagnostics) != 0 || len(s.asked) != 0 {
			t.Errorf("%s: got %+v, %v with %v installed, want nothing", name, got, err, s.asked)
		}
	}
}

func TestPackagesThatCannotBeHad(t *testing.T) {
	offline := core.Errorf(core.CodeUnavailable, "the registry cannot be reached for vite")
	t.Run("for want of a network are unavailable", func(t *testing.T) {
		s := newStudio(t, react())
		s.refuse = offline
		if got, err := s.service.Check(t.Context(), s.owner, s.project); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("got %+v, %v, want unavailable", got, err)
		}
	})
	t.Run("because there are none such are a diagnostic", func(t *testing.T) {
		s := newStudio(t, react())
		s.refuse = core.Errorf(core.CodeValidationFailed, "no such package: vitest")
		got, err := s.service.Check(t.Context(), s.owner, s.project)
		want := core.Diagnostic{Path: "package.json", Line: 3, Column: 68, Message: "no such package: vitest"}
		if err != nil || len(got.Diagnostics) != 1 || got.Diagnostics[0] != want {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	})
	t.Run("and are the compiler are unavailable whatever the reason", func(t *testing.T) {
		s := newStudio(t, react())
		s.missing = core.Errorf(core.CodeValidationFailed, "no such package: compiler")
		got, err := s.service.Check(t.Context(), s.owner, s.project)
		var known *core.Error
		if !errors.As(err, &known) || known.Code != core.CodeUnavailable || !strings.Contains(known.Message, "TypeScript compiler") {
			t.Errorf("got %+v, %v, want unavailable that names the compiler", got, err)
		}
	})
	t.Run("for a package.json that is broken are a diagnostic", func(t *testing.T) {
		s := newStudio(t, react())
		s.write("package.json", "{\n,")
		if got, err := s.service.Check(t.Context(), s.owner, s.project); err != nil || len(got.Diagnostics) != 1 || got.Diagnostics[0].Line != 2 {
			t.Errorf("got %+v, %v, want line 2", got, err)
		}
	})
}

func TestACheckThatDidNotEndSaysWhy(t *testing.T) {
	for ended, want := range map[port.Abort]string{port.EndedTime: "30 seconds", port.EndedMemory: "1 GiB", port.EndedFailure: "compiler failed"} {
		s := newStudio(t, react())
		s.answer = func(context.Context, port.Task) (port.Report, error) {
			return port.Report{Ended: ended, Diagnostics: make([]core.Diagnostic, port.MaxDiagnostics)}, nil
		}
		got, err := s.service.Check(t.Context(), s.owner, s.project)
		if err != nil || len(got.Diagnostics) != port.MaxDiagnostics || got.Diagnostics[0].Path != "tsconfig.json" || !strings.Contains(got.Diagnostics[0].Message, want) {
			t.Errorf("%s: got %d, %+v, %v, want %q first", ended, len(got.Diagnostics), got.Diagnostics[0], err, want)
		}
	}
}

func TestWhoMayCheck(t *testing.T) {
	s := newStudio(t, react())
	if _, err := s.service.Check(t.Context(), s.stranger, s.project); !core.IsCode(err, core.CodeForbidden) {
		t.Errorf("a reader: got %v, want forbidden", err)
	}
	if _, err := s.service.Check(t.Context(), s.owner, core.NewID()); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("no such project: got %v, want not_found", err)
	}
	s.checker.SetMissing(true)
	if _, err := s.service.Check(t.Context(), s.owner, s.project); !core.IsCode(err, core.CodeSandboxUnavailable) {
		t.Errorf("no sandbox: got %v, want sandbox_unavailable", err)
	}
}

func TestChecksOfOneProjectTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStudio(t, react())
		var running, most atomic.Int64
		proceed := make(chan struct{})
		s.answer = func(ctx context.Context, _ port.Task) (port.Report, error) {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			select {
			case <-proceed:
			case <-ctx.Done():
			}
			return port.Report{}, ctx.Err()
		}
		outcomes := make(chan error, 10)
		gone, leave := context.WithCancel(t.Context())
		start := func(ctx context.Context) {
			go func() {
				_, err := s.service.Check(ctx, s.owner, s.project)
				outcomes <- err
			}()
			synctest.Wait()
		}
		for range 4 {
			start(t.Context())
		}
		start(gone)
		start(t.Context())
		if err := <-outcomes; !core.IsCode(err, core.CodeRateLimited) {
			t.Errorf("got %v, want the one too many refused", err)
		}
		leave()
		if err := <-outcomes; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want who leaves to be gone", err)
		}
		close(proceed)
		for range 4 {
			if err := <-outcomes; err != nil {
				t.Errorf("got %v, want all others checked", err)
			}
		}
		if most.Load() != 1 {
			t.Errorf("got %d at once, want 1", most.Load())
		}
	})
}
