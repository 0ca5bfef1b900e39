package bwrap_test

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/adapters/npm"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/typecheck"
	"github.com/atelierhq/atelier/ports/typecheck/typechecktest"
)

// typesBench is a checker with the compiler of the public registry.
type typesBench struct {
	*place
	sandbox  *bwrap.Runner
	resolver *npm.Resolver
	store    string
	compiler string
}

func newTypesBench(t *testing.T) *typesBench {
	t.Helper()
	b := &typesBench{place: newPlace(t), store: t.TempDir()}
	// An operator who disabled isolation for commands has not disabled it for the
	// compiler.
	b.sandbox = b.runner(bwrap.ModeUnsafe, nil)
	resolver, err := npm.New(npm.Config{Dir: b.store, Seed: npm.BuiltIn()})
	if err != nil {
		t.Fatal(err)
	}
	b.resolver = resolver
	b.compiler = b.install(t, b.checker(bwrap.TypesConfig{}).Compiler())
	return b
}

func (b *typesBench) install(t *testing.T, ranges map[string]string) string {
	t.Helper()
	set, err := b.resolver.Install(t.Context(), ranges)
	if err != nil {
		t.Fatal(err)
	}
	return set.Dir
}

// checker gives the compiler five minutes where a test is not about its time: beside other tests
// a check may need more than the thirty seconds that people have.
func (b *typesBench) checker(config bwrap.TypesConfig) *bwrap.TypeChecker {
	config.Store, config.Time = b.store, cmp.Or(config.Time, 5*time.Minute)
	return bwrap.NewTypeChecker(b.sandbox, config)
}

func (b *typesBench) write(t *testing.T, project core.ID, path, content string) {
	t.Helper()
	file := filepath.Join(b.dir(project), path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// playFunctions checks functions with configurations that the application's sources do with, and
// functions could not.
func (b *typesBench) playFunctions(t *testing.T) {
	for name, config := range map[string]string{
		"only the sources are included": `{"compilerOptions": {"strict": true}, "include": ["src"]}`,
		"everything is included":        `{"compilerOptions": {"strict": true}}`,
		"another root, for references":  `{"compilerOptions": {"strict": true, "composite": true, "rootDir": "src", "tsBuildInfoFile": "made/x.tsbuildinfo"}, "include": ["src"]}`,
		"declarations are made":         `{"compilerOptions": {"strict": true, "composite": true, "declarationMap": true, "declarationDir": "made", "isolatedDeclarations": true, "emitDeclarationOnly": true}, "include": ["src"]}`,
		"functions are left out":        `{"compilerOptions": {"strict": true}, "exclude": ["functions"]}`,
		"a file is named":               `{"compilerOptions": {"strict": true, "noUnusedLocals": true}, "files": ["src/a.ts"]}`,
		"options of older compilers":    `{"compilerOptions": {"strict": true, "baseUrl": ".", "target": "es5"}, "include": ["src"]}`,
	} {
		project := b.project()
		b.write(t, project, "tsconfig.json", config)
		b.write(t, project, "src/a.ts", "export interface Context { user: string | null }\n")
		b.write(t, project, "functions/a.ts", "import type { Context } from '../src/a';\nexport default async (req: Request, ctx: Context) => new Response(req.url + ctx.user.length);\n")
		task := typecheck.Task{Config: core.MustPath("tsconfig.json"), Compiler: b.compiler, Functions: true}
		got, err := b.checker(bwrap.TypesConfig{}).Check(t.Context(), project, task)
		if err != nil || len(got.Diagnostics) != 1 || got.Diagnostics[0].Path != "functions/a.ts" || got.Diagnostics[0].Line != 2 || got.Ended != "" {
			t.Errorf("%s: got %+v, %v, want the user alone", name, got, err)
		}
	}
}

// playOptions checks with options that the compiler refuses, and without which the sources of older
// projects mean something else.
func (b *typesBench) playOptions(t *testing.T) {
	packages := b.install(t, map[string]string{"@tsconfig/create-react-app": "1.0.2"})
	for options, config := range map[string]string{
		"bare names below a baseUrl": `{"compilerOptions": {"baseUrl": "src"}, "include": ["src"]}`,
		"everything is included":     `{"compilerOptions": {"baseUrl": "./src", "strict": true}}`,
		"files are named":            `{"compilerOptions": {"baseUrl": "src"}, "files": ["src/a.ts"]}`,
		"what a package says":        `{"extends": "@tsconfig/create-react-app/tsconfig.json", "compilerOptions": {"baseUrl": "src"}, "include": ["src"]}`,
		"old values": `{"compilerOptions": {"baseUrl": "src", "target": "ES5", "lib": ["dom", "es2020"], "module": "AMD", "moduleResolution": "Classic", "outFile": "all.js",
			"downlevelIteration": true, "alwaysStrict": false, "esModuleInterop": false, "allowSyntheticDefaultImports": false, "importsNotUsedAsValues": "error", "charset": "utf8"}, "include": ["src"]}`,
	} {
		got := b.check(t, bwrap.TypesConfig{}, packages, map[string]string{
			"tsconfig.json": config, "src/a.ts": "import { wide } from 'deep/b';\nexport const size: number = wide;\n", "src/deep/b.ts": "export const wide = 'x';\n",
		})
		if len(got.Diagnostics) != 1 || got.Diagnostics[0].Path != "src/a.ts" || got.Diagnostics[0].Line != 2 || got.Ended != "" {
			t.Errorf("%s: got %+v, want the mistake in src/a.ts alone", options, got)
		}
	}
}

// check checks a project of these files and of those packages.
func (b *typesBench) check(t *testing.T, bounds bwrap.TypesConfig, packages string, files map[string]string) typecheck.Report {
	t.Helper()
	project := b.project()
	for path, content := range files {
		b.write(t, project, path, content)
	}
	config := core.MustPath("tsconfig.json")
	got, err := b.checker(bounds).Check(t.Context(), project, typecheck.Task{Config: config, Packages: packages, Compiler: b.compiler})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// text is all that a report says.
func text(report typecheck.Report) string { return fmt.Sprintf("%+v", report) }

func TestTypes(t *testing.T) {
	b := newTypesBench(t)
	t.Run("the port's suite", func(t *testing.T) { t.Parallel(); b.playSuite(t) })
	t.Run("of packages are seen", func(t *testing.T) { t.Parallel(); b.playPackages(t) })
	t.Run("of functions are those of the application", func(t *testing.T) { t.Parallel(); b.playFunctions(t) })
	t.Run("know the options of older compilers", func(t *testing.T) { t.Parallel(); b.playOptions(t) })
	t.Run("by hostile configurations reach nothing", func(t *testing.T) { t.Parallel(); b.playHostileConfigurations(t) })
	t.Run("that are hostile are ended", func(t *testing.T) { t.Parallel(); b.playHostileTypes(t) })
}

func (b *typesBench) playSuite(t *testing.T) {
	typechecktest.Run(t, func(t *testing.T) typechecktest.Harness {
		project := b.project()
		return typechecktest.Harness{
			Checker: b.checker(bwrap.TypesConfig{}), Project: project, Compiler: b.compiler,
			Write: func(path, content string) { b.write(t, project, path, content) },
			Files: func() map[string]string {
				found := map[string]string{}
				files := os.DirFS(b.dir(project))
				err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
					if err != nil || entry.IsDir() {
						return err
					}
					content, err := fs.ReadFile(files, name)
					found[name] = string(content)
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				return found
			},
			Broken: func() typecheck.Checker {
				runner := b.runner(bwrap.ModeAuto, func(c *bwrap.Config) { c.Program = "/no/such/bwrap" })
				return bwrap.NewTypeChecker(runner, bwrap.TypesConfig{Store: b.store})
			},
		}
	})
}

func (b *typesBench) playPackages(t *testing.T) {
	mine := b.install(t, map[string]string{"@types/react": "^19.2.0"})
	b.install(t, map[string]string{"@types/semver": "^7.0.0"})
	const config = `{"compilerOptions": {"strict": true, "jsx": "react-jsx", "moduleResolution": "bundler", "module": "esnext"}, "include": ["src"]}`
	const source = "import { useState } from 'react';\nexport const App = () => { const [n] = useState(1); return <b title={n}>x</b>; };\n"
	t.Run("a mistake against them is one", func(t *testing.T) {
		got := b.check(t, bwrap.TypesConfig{}, mine, map[string]string{"tsconfig.json": config, "src/App.tsx": source})
		if len(got.Diagnostics) != 1 || got.Diagnostics[0].Path != "src/App.tsx" || got.Diagnostics[0].Line != 2 || !strings.HasPrefix(got.Diagnostics[0].Message, "Type 'number' is not assignable to type 'string'.") {
			t.Errorf("got %+v, want the title alone", got)
		}
	})
	t.Run("without them they are missed", func(t *testing.T) {
		got := b.check(t, bwrap.TypesConfig{}, "", map[string]string{"tsconfig.json": config, "src/App.tsx": source})
		if !strings.Contains(text(got), "Cannot find module 'react'") {
			t.Errorf("got %+v, want react missed", got)
		}
	})
	t.Run("those of other projects are not there", func(t *testing.T) {
		got := b.check(t, bwrap.TypesConfig{}, mine, map[string]string{
			"tsconfig.json": `{"compilerOptions": {"typeRoots": ["/packages/v", "/packages/sets", "/packages/locks"], "types": ["*"], "skipLibCheck": true}, "include": ["src", "/packages/**/*"]}`,
			"src/a.ts":      "export {};\n",
		})
		if said := text(got); strings.Contains(said, "semver") || strings.Contains(said, b.store) || !strings.Contains(said, "csstype") {
			t.Errorf("got %s, want its own and nothing of what others have", said)
		}
	})
	t.Run("packages of elsewhere are refused", func(t *testing.T) {
		project := b.project()
		for _, task := range []typecheck.Task{{Packages: t.TempDir(), Compiler: b.compiler}, {Compiler: t.TempDir()}, {Compiler: filepath.Join(b.store, "sets", "gone")}, {}} {
			if got, err := b.checker(bwrap.TypesConfig{}).Check(t.Context(), project, task); !core.IsCode(err, core.CodeUnavailable) {
				t.Errorf("%+v: got %+v, %v, want unavailable", task, got, err)
			}
		}
	})
}

func (b *typesBench) playHostileConfigurations(t *testing.T) {
	const source = "export const size: number = \"wide\";\n"
	for name, config := range map[string]string{
		"extending a file of the machine": `{"extends": "/etc/passwd", "include": ["src"]}`,
		"extending what is above":         `{"extends": "../../../etc/hostname", "include": ["src"]}`,
		"extending the repository":        `{"extends": "./.git/config", "include": ["src"]}`,
		"plugins":                         `{"compilerOptions": {"plugins": [{"name": "../../x"}, {"transform": "./src/a.ts"}]}, "include": ["src"]}`,
		"paths outside":                   `{"compilerOptions": {"paths": {"@/*": ["../../../../etc/*", "/root/*"]}, "rootDirs": ["/", "/root"]}, "include": ["src"]}`,
		"writing outside":                 `{"compilerOptions": {"noEmit": false, "outDir": "/tmp/out", "incremental": true, "tsBuildInfoFile": "/packages/x"}, "include": ["src"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			got := b.check(t, bwrap.TypesConfig{}, "", map[string]string{"tsconfig.json": config, "src/a.ts": source})
			said := text(got)
			if !strings.Contains(said, "src/a.ts") || strings.Contains(said, "root:") || strings.Contains(said, "bare") || strings.Contains(said, b.root) || got.Ended != "" {
				t.Errorf("got %s, want the mistake and nothing of the machine", said)
			}
			for _, found := range got.Diagnostics {
				if found.Path != "src/a.ts" && found.Path != "tsconfig.json" {
					t.Errorf("got %+v, want places in the project", found)
				}
			}
		})
	}
}

func (b *typesBench) playHostileTypes(t *testing.T) {
	const config = `{"compilerOptions": {"strict": true}, "include": ["src"]}`
	t.Run("ten thousand files are checked", func(t *testing.T) {
		t.Parallel()
		files := map[string]string{"tsconfig.json": config}
		for i := range 10_000 {
			files[fmt.Sprintf("src/d%d/f%d.ts", i%100, i)] = fmt.Sprintf("export const a%d: number = %d;\n", i, i)
		}
		files["src/last.ts"] = "export const a: number = 'x';\n"
		if got := b.check(t, bwrap.TypesConfig{}, "", files); len(got.Diagnostics) != 1 || got.Diagnostics[0].Path != "src/last.ts" || got.Ended != "" {
			t.Errorf("got %+v, want the one mistake", got)
		}
	})
	t.Run("a type that needs too much memory is ended", func(t *testing.T) {
		t.Parallel()
		if got := b.check(t, bwrap.TypesConfig{Limits: bwrap.Limits{MemoryBytes: 48 << 20}}, "", map[string]string{"tsconfig.json": config, "src/a.ts": endlessType()}); got.Ended != typecheck.EndedMemory {
			t.Errorf("got %+v, want it ended for its memory", got)
		}
	})
	t.Run("a type that computes for ever is ended", func(t *testing.T) {
		t.Parallel()
		if got := b.check(t, bwrap.TypesConfig{Time: 3 * time.Second}, "", map[string]string{"tsconfig.json": config, "src/a.ts": endlessType()}); got.Ended != typecheck.EndedTime {
			t.Errorf("got %+v, want it ended for its time", got)
		}
	})
	t.Run("mistakes without number are cut", func(t *testing.T) {
		t.Parallel()
		var source strings.Builder
		for i := range 20_000 {
			fmt.Fprintf(&source, "export const a%d: number = '';\n", i)
		}
		if got := b.check(t, bwrap.TypesConfig{}, "", map[string]string{"tsconfig.json": config, "src/a.ts": source.String()}); !got.Truncated || len(got.Diagnostics) != typecheck.MaxDiagnostics || got.Ended != "" {
			t.Errorf("got %d, truncated %v, ended %q, want the first %d", len(got.Diagnostics), got.Truncated, got.Ended, typecheck.MaxDiagnostics)
		}
	})
}

// endlessType walks all orders of ten letters, in which the compiler finds nothing
// wrong for many seconds, and does so again and again.
func endlessType() string {
	var source strings.Builder
	source.WriteString("type Walk<T extends string, Seen extends string = ''> = { [K in T]: [K] extends [never] ? Seen : Walk<Exclude<T, K>, `${Seen}${K}`> }[T];\n")
	for i := range 20 {
		fmt.Fprintf(&source, "export const all%d: Walk<'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | '%d'> = 1;\n", i, i)
	}
	return source.String()
}

func TestTypesAreSwitchedOffWithTheSandbox(t *testing.T) {
	p := newPlace(t)
	checker := bwrap.NewTypeChecker(p.runner(bwrap.ModeOff, nil), bwrap.TypesConfig{Store: t.TempDir()})
	if err := checker.Available(t.Context()); !core.IsCode(err, core.CodeSandboxUnavailable) || !strings.Contains(err.Error(), "install bubblewrap") {
		t.Errorf("got %v, want sandbox_unavailable that says what to install", err)
	}
}
