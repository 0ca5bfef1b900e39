package esbuild_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/adapters/esbuild"
	"github.com/atelierhq/atelier/adapters/quickjs"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/functions"
)

// bundled builds a project with a page and its functions.
func bundled(t *testing.T, sources map[string]string) build.Result {
	t.Helper()
	builder, err := esbuild.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{"index.html": {Data: []byte("<!doctype html><title>Shop</title>")}}
	for name, text := range sources {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	made, err := builder.Build(t.Context(), build.Request{Mode: build.ModePreview, Files: files, Env: map[string]string{"VITE_NAME": "Ada"}})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestFunctionsRunAsTheyAreBundled bundles functions in TypeScript and runs them.
func TestFunctionsRunAsTheyAreBundled(t *testing.T) {
	made := bundled(t, map[string]string{
		"functions/hello.ts":     "import { greet } from './lib/greet'\nimport { punctuation } from '../src/marks'\nexport const schedule = '0 8 * * *'\nexport default async (req: Request, ctx: unknown): Promise<Response> => new Response(greet(import.meta.env.VITE_NAME) + punctuation)\n",
		"functions/lib/greet.ts": "export const greet = (name: string) => `Hello ${name}`\n",
		"functions/app.js":       "const app = { fetch: (req) => new Response('app ' + new URL(req.url).pathname) }\nexport default app\n",
		"src/marks.ts":           "export const punctuation = '!' as const\n",
	})
	if len(made.Diagnostics) > 0 {
		t.Fatal(made.Diagnostics)
	}
	runner, err := quickjs.New(quickjs.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"hello": "Hello Ada!", "app": "app /_fn/app"} {
		if got := answerOf(t.Context(), t, runner, made, name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestFunctionsAreBundledWithoutPages(t *testing.T) {
	builder, err := esbuild.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	made, err := builder.Build(t.Context(), build.Request{Mode: build.ModeFunctions, Env: map[string]string{"VITE_NAME": "Ada"}, Files: fstest.MapFS{
		"functions/hello.ts": {Data: []byte("import { greet } from '../src/greet'\nexport const schedule = '0 8 * * *'\nexport default () => new Response(greet(import.meta.env.VITE_NAME) + import.meta.env.PROD)\n")},
		"src/greet.ts":       {Data: []byte("export const greet = (name: string) => `Hello ${name} `\n")},
		"src/App.vue":        {Data: []byte("<template>")}, "src/pages/index.astro": {Data: []byte("---")}, "tsconfig.json": {Data: []byte("{ broken")},
	}})
	if err != nil || len(made.Diagnostics) > 0 {
		t.Fatal(made.Diagnostics, err)
	}
	var paths []string
	for _, file := range made.Files {
		paths = append(paths, file.Path)
	}
	if got, want := strings.Join(paths, " "), "_fn/hello.js _fn/hello.js.map _fn/schedules.json"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	runner, err := quickjs.New(quickjs.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if got := answerOf(t.Context(), t, runner, made, "hello"); got != "Hello Ada true" {
		t.Errorf("got %q", got)
	}
}

func TestSchedulesAreReadFromFunctions(t *testing.T) {
	made := bundled(t, map[string]string{
		"functions/plain.ts":     "export const schedule = '0 8 * * *'\nexport default () => new Response('')\n",
		"functions/typed.ts":     "// export const schedule = 'old'\nexport const schedule: string = `*/5 * * * *` as const;\nexport default () => new Response('')\n",
		"functions/js.js":        "export const schedule = \"0 0 1 jan *\"\nexport default () => new Response('')\n",
		"functions/none.ts":      "const schedule = 5\nexport default () => new Response(`\nexport const schedule = \"no\";\n` + schedule)\n",
		"functions/lib/other.ts": "export const schedule = 'not a function'\n",
		"public/_fn/plain.js":    "planted", "public/_fn/planted.js": "planted",
	})
	found := make(map[string]string)
	for _, file := range made.Files {
		found[file.Path] = string(file.Content)
	}
	if got, want := found[core.FunctionSchedulesPath], `{"js":"0 0 1 jan *","plain":"0 8 * * *","typed":"*/5 * * * *"}`; got != want || len(made.Diagnostics) > 0 {
		t.Errorf("got %s, %v, want %s", got, made.Diagnostics, want)
	}
	if _, planted := found["_fn/planted.js"]; planted || found["_fn/plain.js"] == "planted" {
		t.Error("a public file became a function")
	}
}

func TestWrongSchedulesAreDiagnostics(t *testing.T) {
	for schedule, want := range map[string]string{
		"export const schedule = '0 8 * *'":                         "five fields",
		"export const schedule = '61 8 * * *'":                      "no minute",
		"export const schedule = 8":                                 "as a text",
		"const hour = 8\nexport const schedule = `0 ${hour} * * *`": "as a text",
		"const a = '0 8 * * *'\nexport { a as schedule }":           "as a text",
		"export let schedule = '0 8 * * *'":                         "as a text",
		"export function schedule() {}":                             "as a text",
		"export const schedule = '\\x30 8 31 2 *'":                  "no date",
	} {
		made := bundled(t, map[string]string{"functions/a.ts": "\n" + schedule + "\nexport default () => new Response('')\n"})
		if len(made.Diagnostics) != 1 || made.Diagnostics[0].Path != "functions/a.ts" || made.Diagnostics[0].Line < 2 || made.Diagnostics[0].Line > 3 || !strings.Contains(made.Diagnostics[0].Message, want) {
			t.Errorf("%s: got %+v, want %q", schedule, made.Diagnostics, want)
		}
	}
}

func answerOf(ctx context.Context, t *testing.T, runner functions.Runner, made build.Result, name string) string {
	t.Helper()
	for _, file := range made.Files {
		if file.Path == core.FunctionBundle(name) {
			found, err := runner.Run(ctx, functions.Call{Code: file.Content, Request: functions.Request{Method: "GET", URL: "https://shop.example.com/_fn/" + name}}, nil)
			if err != nil || found.Failure != nil {
				t.Fatal(err, found.Failure)
			}
			return string(found.Response.Body)
		}
	}
	t.Fatalf("there is no function %s", name)
	return ""
}

func TestMistakesInFunctionsAreDiagnostics(t *testing.T) {
	for name, c := range map[string]struct {
		sources map[string]string
		want    string
	}{
		"a module of Node":         {map[string]string{"functions/a.ts": "import fs from 'fs'\nexport default () => fs\n"}, "Node.js"},
		"a package that is not":    {map[string]string{"functions/a.ts": "import 'stripe'\n"}, "not installed"},
		"await at the top":         {map[string]string{"functions/a.ts": "await fetch('https://a.example')\nexport default () => null\n"}, "await"},
		"a file outside":           {map[string]string{"functions/a.ts": "import '../../etc/passwd'\n"}, "outside the project"},
		"two files of one name":    {map[string]string{"functions/a.ts": "export default 1", "functions/a.js": "export default 1"}, "already"},
		"what esbuild cannot read": {map[string]string{"functions/a.ts": strings.Repeat("(", 100000)}, ""},
	} {
		made := bundled(t, c.sources)
		if len(made.Diagnostics) == 0 || !strings.Contains(made.Diagnostics[0].Message, c.want) || !strings.HasPrefix(made.Diagnostics[0].Path, "functions/a.") {
			t.Errorf("%s: got %+v, want %q in functions/a", name, made.Diagnostics, c.want)
		}
	}
}
