// Package typechecktest tests a typecheck.Checker against its port.
package typechecktest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/typecheck"
)

// Harness is a checker with its environment.
type Harness struct {
	Checker typecheck.Checker
	// Project has files, none of which is TypeScript.
	Project core.ID
	// Write puts a file of the project on the disk, and Files lists what is there,
	// with its content.
	Write func(path, content string)
	Files func() map[string]string
	// Compiler is a directory with the packages of Checker.Compiler.
	Compiler string
	// Broken returns a checker on a machine that cannot check.
	Broken func() typecheck.Checker
}

// Run tests a checker against the port. open returns a new harness.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	clauses := []struct {
		name string
		test func(t *testing.T, b Harness)
	}{
		{"sound types have no diagnostics", passes},
		{"a mistake is found at its place", finds},
		{"a mistake is found once it is there and gone once it is mended", follows},
		{"functions are checked as well", checksFunctions},
		{"options of older compilers hide no mistake", knowsOldOptions},
		{"no more diagnostics come than the limit", truncates},
		{"what a check reads stays as it is", changesNothing},
		{"a project without files is not found", missesProjects},
		{"without a sandbox nothing is checked", refuses},
		{"a check that is given up ends", stops},
	}
	for _, clause := range clauses {
		t.Run(clause.name, func(t *testing.T) {
			b := open(t)
			b.Write("tsconfig.json", `{"compilerOptions": {"strict": true, "noEmit": true}, "include": ["src"]}`)
			clause.test(t, b)
		})
	}
}

func (b Harness) check(t *testing.T) typecheck.Report {
	t.Helper()
	got, err := b.Checker.Check(t.Context(), b.Project, b.task())
	if err != nil || got.Ended != "" {
		t.Fatalf("got %+v, %v, want a report", got, err)
	}
	return got
}

func (b Harness) task() typecheck.Task {
	return typecheck.Task{Config: core.MustPath("tsconfig.json"), Compiler: b.Compiler}
}

const (
	soundTypes  = "export const size: number = 1;\n"
	brokenTypes = "export const name: string = \"x\";\nexport const size: number = \"wide\";\n"
)

func passes(t *testing.T, b Harness) {
	if err := b.Checker.Available(t.Context()); err != nil {
		t.Fatalf("got %v, want it available", err)
	}
	b.Write("src/a.ts", soundTypes)
	if got := b.check(t); len(got.Diagnostics) != 0 || got.Truncated {
		t.Errorf("got %+v, want nothing", got)
	}
}

func finds(t *testing.T, b Harness) {
	b.Write("src/a.ts", soundTypes)
	b.Write("src/deep (1)/b.ts", brokenTypes)
	want := core.Diagnostic{Path: "src/deep (1)/b.ts", Line: 2, Column: 14, Message: "Type 'string' is not assignable to type 'number'."}
	if got := b.check(t); len(got.Diagnostics) != 1 || got.Diagnostics[0] != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func follows(t *testing.T, b Harness) {
	for i, c := range []struct {
		source string
		want   int
	}{{soundTypes, 0}, {brokenTypes, 1}, {soundTypes, 0}} {
		b.Write("src/a.ts", c.source)
		if got := b.check(t); len(got.Diagnostics) != c.want {
			t.Errorf("time %d: got %+v, want %d", i+1, got, c.want)
		}
	}
}

func knowsOldOptions(t *testing.T, b Harness) {
	b.Write("tsconfig.json", "\uFEFF// As for years.\n"+`{"extends": "./base.json", "include": ["src"]}`)
	b.Write("base.json", `{"compilerOptions": {"noEmit": true, "baseUrl": ".", "paths": {"@/*": ["src/*"]}, "target": "es5", "moduleResolution": "node", "esModuleInterop": false,},}`)
	b.Write("src/size.ts", soundTypes)
	b.Write("src/a.ts", "import { size } from '@/size';\nimport { size as same } from 'src/size';\nexport const all = size + same;\n")
	b.Write("src/b.ts", brokenTypes)
	got, err := b.Checker.Check(t.Context(), b.Project, b.task())
	if err != nil || len(got.Diagnostics) != 1 || got.Diagnostics[0].Path != "src/b.ts" || got.Diagnostics[0].Line != 2 || got.Ended != "" {
		t.Errorf("got %+v, %v, want the mistake in src/b.ts alone", got, err)
	}
}

func checksFunctions(t *testing.T, b Harness) {
	b.Write("src/a.ts", brokenTypes)
	b.Write("functions/a.ts", "import { name } from '../src/a';\nexport default async (req: Request, ctx) => new Response(name + ctx.user);\n")
	b.Write("functions/lib/b.ts", brokenTypes)
	task := b.task()
	task.Functions = true
	got, err := b.Checker.Check(t.Context(), b.Project, task)
	var places []string
	for _, one := range got.Diagnostics {
		places = append(places, fmt.Sprint(one.Path, ":", one.Line))
	}
	slices.Sort(places)
	if want := []string{"functions/lib/b.ts:2", "src/a.ts:2"}; err != nil || got.Ended != "" || !slices.Equal(places, want) {
		t.Errorf("got %+v, %v, want %v", got, err, want)
	}
}

func truncates(t *testing.T, b Harness) {
	for _, c := range []struct {
		mistakes  int
		truncated bool
	}{{typecheck.MaxDiagnostics, false}, {typecheck.MaxDiagnostics + 1, true}} {
		var source strings.Builder
		for i := range c.mistakes {
			fmt.Fprintf(&source, "export const a%d: number = \"x\";\n", i)
		}
		b.Write("src/a.ts", source.String())
		if got := b.check(t); len(got.Diagnostics) != typecheck.MaxDiagnostics || got.Truncated != c.truncated {
			t.Errorf("%d mistakes: got %d, truncated %v, want %d, %v", c.mistakes, len(got.Diagnostics), got.Truncated, typecheck.MaxDiagnostics, c.truncated)
		}
	}
}

func changesNothing(t *testing.T, b Harness) {
	b.Write("tsconfig.json", `{"compilerOptions": {"incremental": true, "outDir": "made", "declaration": true}, "include": ["src"]}`)
	b.Write("src/a.ts", soundTypes)
	before := b.Files()
	if got := b.check(t); len(got.Diagnostics) != 0 {
		t.Errorf("got %+v, want nothing", got)
	}
	if after := b.Files(); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("got the files %v, want %v", after, before)
	}
}

func missesProjects(t *testing.T, b Harness) {
	for _, project := range []core.ID{core.NewID(), "../escape"} {
		got, err := b.Checker.Check(t.Context(), project, b.task())
		if err == nil || project != "../escape" && !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("%s: got %+v, %v, want not_found", project, got, err)
		}
	}
}

func refuses(t *testing.T, b Harness) {
	broken := b.Broken()
	_, err := broken.Check(t.Context(), b.Project, b.task())
	for _, err := range []error{err, broken.Available(t.Context())} {
		var known *core.Error
		if !errors.As(err, &known) || known.Code != core.CodeSandboxUnavailable || !strings.Contains(known.Message, "install") {
			t.Errorf("got %v, want sandbox_unavailable that says what to install", err)
		}
	}
}

func stops(t *testing.T, b Harness) {
	b.Write("src/a.ts", brokenTypes)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := b.Checker.Check(ctx, b.Project, b.task()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v, want the context's error", got, err)
	}
}
