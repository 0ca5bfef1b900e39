package builds

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/toolchain"
)

// workbench is a scripted toolchain.
type workbench struct {
	toolchain.Toolchain
	installs toolchain.Outcome
	says     string
	built    toolchain.BuildOutput
	err      error
	// task is the task of the last build.
	task toolchain.BuildTask
	key  string
}

func (w *workbench) Install(_ context.Context, _ core.ID, key string, task toolchain.Task) (toolchain.Outcome, error) {
	w.key = key
	w.tell(task)
	return w.installs, w.err
}

func (w *workbench) Build(_ context.Context, _ core.ID, task toolchain.BuildTask) (toolchain.BuildOutput, error) {
	w.task = task
	w.tell(task.Task)
	return w.built, w.err
}

// values is an environment with one public value.
type values struct{ exposed []core.Diagnostic }

func (values) Public(context.Context, core.ID) (map[string]string, error) {
	return map[string]string{"VITE_NAME": "x"}, nil
}

func (v values) Exposed(context.Context, core.ID, []build.File) ([]core.Diagnostic, error) {
	return v.exposed, nil
}

func (w *workbench) tell(task toolchain.Task) {
	for line := range strings.SplitSeq(w.says, "\n") {
		task.Say(line)
	}
}

const nodeManifest = `{
  "scripts": {"build": "vite build"},
  "dependencies": {
    "vue": "^3.5.0",
    "@scope/gone": "1"
  }
}`

// makeNode builds a site of a project with a toolchain.
func makeNode(t *testing.T, w *workbench, v values, manifest string) (build.Result, error) {
	t.Helper()
	files := tree{"package.json": &fstest.MapFile{Data: []byte(manifest)}}
	return NewMaker(Deps{Sources: files, Environment: v, Tools: w}).Make(t.Context(), core.NewID(), build.ModeSite)
}

func page() toolchain.BuildOutput {
	return toolchain.BuildOutput{Output: "dist", Files: []toolchain.File{
		{Path: "assets/index-DDqW3uXo.js", Content: []byte("1")}, {Path: "index.html", Content: []byte("<p>")},
	}}
}

func TestASiteOfAProjectsOwnToolsHasItsFunctions(t *testing.T) {
	files := tree{"package.json": &fstest.MapFile{Data: []byte(nodeManifest)}, "functions/hello.ts": &fstest.MapFile{Data: []byte("hello")}, "src/App.vue": &fstest.MapFile{Data: []byte("<template>")}}
	w := &workbench{built: page()}
	w.built.Files = append(w.built.Files, toolchain.File{Path: "_fn/planted.js", Content: []byte("planted")})
	maker := NewMaker(Deps{Sources: files, Environment: values{}, Tools: w, Builder: memory.NewBuilder(), Resolver: memory.NewPackages()})
	site, err := maker.Make(t.Context(), core.NewID(), build.ModeSite)
	var paths []string
	for _, file := range site.Files {
		paths = append(paths, file.Path)
	}
	if got, want := strings.Join(paths, " "), "_fn/hello.js assets/index-DDqW3uXo.js index.html"; err != nil || got != want {
		t.Errorf("got %s, %v, %v, want %s", got, site.Diagnostics, err, want)
	}
	made, err := maker.Functions(t.Context(), core.NewID())
	if err != nil || len(made.Files) != 1 || string(made.Files[0].Content) != "hello" {
		t.Errorf("got %+v, %v, want the function alone", made, err)
	}
	delete(files, "package.json")
	if _, err := maker.Functions(t.Context(), core.NewID()); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v for a project without tools of its own, want %s", err, core.CodeUnavailable)
	}
}

func TestASiteOfAProjectsOwnTools(t *testing.T) {
	t.Run("is what they leave", func(t *testing.T) {
		w := &workbench{built: page()}
		got, err := makeNode(t, w, values{}, nodeManifest)
		if err != nil || len(got.Diagnostics) > 0 || len(got.Files) != 2 || !got.Files[0].Immutable || got.Files[1].Immutable {
			t.Errorf("got %+v, %v, want two files, the first for ever", got, err)
		}
		if w.task.Line != "vite build" || w.task.Files == nil || w.key == "" {
			t.Errorf("got %+v, want the script on the files", w.task)
		}
		if len(w.task.Env) != 1 || w.task.Env["VITE_NAME"] != "x" {
			t.Errorf("got %v in the environment, want what is for everybody alone", w.task.Env)
		}
	})

	t.Run("does not build with a value that is not for everybody", func(t *testing.T) {
		exposed := []core.Diagnostic{{Path: "index.html", Message: "shows a secret"}}
		got, err := makeNode(t, &workbench{built: page()}, values{exposed}, nodeManifest)
		if err != nil || len(got.Files) != 0 || len(got.Diagnostics) != 1 || got.Diagnostics[0] != exposed[0] {
			t.Errorf("got %+v, %v, want what is exposed", got, err)
		}
	})

	for name, c := range map[string]struct {
		manifest string
		bench    workbench
		want     core.Diagnostic
	}{
		"has no build": {`{"atelier":{"runtime":"node"}}`, workbench{}, core.Diagnostic{Path: "package.json", Line: 1, Column: 1, Message: `no script "build"`}},
		"does not build": {nodeManifest, workbench{built: toolchain.BuildOutput{Outcome: toolchain.Outcome{ExitCode: 1}}, says: "src/a.ts(5,7): error TS1005: 'x' expected."},
			core.Diagnostic{Path: "src/a.ts", Line: 5, Column: 7, Message: "TS1005: 'x' expected."}},
		"does not say why": {nodeManifest, workbench{built: toolchain.BuildOutput{Outcome: toolchain.Outcome{ExitCode: 9}}, says: "hm"},
			core.Diagnostic{Message: "the build ended with exit code 9:\nhm"}},
		"takes too much": {nodeManifest, workbench{built: toolchain.BuildOutput{Outcome: toolchain.Outcome{Ended: "memory"}}, says: ""},
			core.Diagnostic{Message: "the build was stopped because it took too much memory"}},
		"is no site":   {nodeManifest, workbench{}, core.Diagnostic{Message: "adapter-static"}},
		"is too large": {nodeManifest, workbench{built: toolchain.BuildOutput{Output: "dist", TooLarge: true}}, core.Diagnostic{Path: "dist", Message: "more than a site may have"}},
		"lacks a package": {nodeManifest, workbench{installs: toolchain.Outcome{ExitCode: 1}, says: "npm error code E404\nnpm error 404 Not Found - GET http://127.0.0.1:4873/@scope%2fgone - there is no package\nnpm error A complete log of this run"},
			core.Diagnostic{Path: "package.json", Line: 5, Column: 5, Message: "npm install ended with exit code 1:\ncode E404\n404 Not Found"}},
		"cannot install": {nodeManifest, workbench{installs: toolchain.Outcome{Ended: "time"}, says: "slow"},
			core.Diagnostic{Path: "package.json", Line: 1, Column: 1, Message: "too much time"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := makeNode(t, &c.bench, values{}, c.manifest)
			if err != nil || len(got.Files) != 0 || len(got.Diagnostics) != 1 {
				t.Fatalf("got %+v, %v, want one diagnostic", got, err)
			}
			is := got.Diagnostics[0]
			if is.Path != c.want.Path || is.Line != c.want.Line || is.Column != c.want.Column || !strings.Contains(is.Message, c.want.Message) {
				t.Errorf("got %+v, want %+v", is, c.want)
			}
		})
	}

	t.Run("is not known when the time is over", func(t *testing.T) {
		if _, err := makeNode(t, &workbench{err: context.DeadlineExceeded}, values{}, nodeManifest); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("got %v, want unavailable", err)
		}
	})

	t.Run("is not known without tools", func(t *testing.T) {
		none := core.Errorf(core.CodeSandboxUnavailable, "none")
		if _, err := makeNode(t, &workbench{err: none}, values{}, nodeManifest); !core.IsCode(err, core.CodeSandboxUnavailable) {
			t.Errorf("got %v, want sandbox_unavailable", err)
		}
	})
}
