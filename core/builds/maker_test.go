package builds

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/packages"
)

// tree is Sources over one map of files.
type tree fstest.MapFS

func (files tree) View(_ context.Context, _ core.ID) (fs.FS, error) {
	if files == nil {
		return nil, core.NotFound("project")
	}
	return fstest.MapFS(files), nil
}

// bench is a resolver and a builder that record their requests.
type bench struct {
	installErr error
	buildErr   error
	envErr     error
	exposed    []core.Diagnostic
	asked      map[string]string
	built      *build.Request
	// vite is what a configuration of Vite says, told what it may know.
	vite build.ViteConfig
	told map[string]string
}

func (b *bench) Install(_ context.Context, dependencies map[string]string) (packages.Set, error) {
	b.asked = dependencies
	return packages.Set{Dir: "/store/x", Key: "x"}, b.installErr
}

func (b *bench) ViteConfig(_ context.Context, _ fs.FS, env map[string]string) (build.ViteConfig, error) {
	b.told = env
	return b.vite, nil
}

func (b *bench) Build(_ context.Context, req build.Request) (build.Result, error) {
	b.built = &req
	return build.Result{Files: []build.File{{Path: "index.html", Content: []byte("x")}}}, b.buildErr
}

func (b *bench) Public(context.Context, core.ID) (map[string]string, error) {
	return map[string]string{"VITE_A": "a"}, b.envErr
}

func (b *bench) Exposed(_ context.Context, _ core.ID, files []build.File) ([]core.Diagnostic, error) {
	if len(files) != 1 || files[0].Path != "index.html" {
		return nil, core.Errorf(core.CodeInternal, "got %v, want the files of the build", files)
	}
	return b.exposed, nil
}

func TestASiteThatShowsASecretDoesNotBuild(t *testing.T) {
	secrets := []core.Diagnostic{{Path: "index.html", Message: "SECRET"}}
	for mode, want := range map[build.Mode]int{build.ModeSite: 1, build.ModePreview: 0} {
		b := &bench{exposed: secrets}
		made, err := NewMaker(Deps{Sources: tree{}, Environment: b, Resolver: b, Builder: b}).Make(t.Context(), core.NewID(), mode)
		if err != nil || len(made.Diagnostics) != want || len(made.Files) != 1-want {
			t.Errorf("%s: got %+v, %v, want %d diagnostics in the place of files", mode, made, err, want)
		}
		if b.built.Env["VITE_A"] != "a" {
			t.Errorf("%s: got the environment %v, want the public values", mode, b.built.Env)
		}
	}
}

func TestMake(t *testing.T) {
	manifest := tree{"package.json": {Data: []byte("{\n  \"dependencies\": {\"react\": \"^19\"}\n}")}}
	for _, c := range []struct {
		name            string
		files           tree
		bench           bench
		code            core.Code
		line            int
		installs, built bool
	}{
		{name: "builds with the installed packages", files: manifest, installs: true, built: true},
		{name: "builds a static project", files: tree{}, built: true},
		{name: "passes on that there are no files", files: nil, code: core.CodeNotFound},
		{name: "diagnoses a broken package.json", files: tree{"package.json": {Data: []byte("\n{")}}, line: 2},
		{
			name: "diagnoses a dependency that does not exist", files: manifest, installs: true, line: 2,
			bench: bench{installErr: core.Errorf(core.CodeValidationFailed, "no such package: react")},
		},
		{
			name: "fails, and says where, when packages cannot be fetched", files: manifest, installs: true, line: 2,
			code:  core.CodeUnavailable,
			bench: bench{installErr: core.Errorf(core.CodeUnavailable, "the registry cannot be reached for react")},
		},
		{
			name: "passes on that the builder cannot work", files: manifest, installs: true, built: true,
			code: core.CodeUnavailable, bench: bench{buildErr: core.Errorf(core.CodeUnavailable, "no")},
		},
		{
			name: "passes on that the environment cannot be read", files: manifest, installs: true,
			code: core.CodeUnavailable, bench: bench{envErr: core.Errorf(core.CodeUnavailable, "no")},
		},
		{
			name: "passes on that the caller left", files: manifest, installs: true,
			code: core.CodeInternal, bench: bench{installErr: context.Canceled},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			made, err := NewMaker(Deps{Sources: c.files, Environment: &c.bench, Resolver: &c.bench, Builder: &c.bench}).Make(t.Context(), core.NewID(), build.ModeSite)
			if core.CodeOf(err) != c.code {
				t.Errorf("got %v, want code %q", err, c.code)
			}
			if errors.Is(c.bench.installErr, context.Canceled) && !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want the caller's own error", err)
			}
			if len(c.bench.asked) > 0 != c.installs {
				t.Errorf("got dependencies %v, want some: %v", c.bench.asked, c.installs)
			}
			if (c.bench.built != nil) != c.built {
				t.Errorf("got a build: %v, want %v", c.bench.built != nil, c.built)
			}
			if c.built && (c.bench.built.Mode != build.ModeSite || c.bench.built.PackagesKey != "x" || c.bench.built.Packages != "/store/x") {
				t.Errorf("got request %+v, want the mode and the packages in it", c.bench.built)
			}
			if c.line == 0 && len(made.Diagnostics) > 0 || c.line > 0 && (len(made.Diagnostics) != 1 || made.Diagnostics[0].Line != c.line) {
				t.Errorf("got diagnostics %+v, want line %d", made.Diagnostics, c.line)
			}
		})
	}
}

// TestCompilerOptionsAreInstalled has packages for development that configurations extend, and others.
func TestCompilerOptionsAreInstalled(t *testing.T) {
	files := tree{
		"package.json":  {Data: []byte(`{"dependencies": {"react": "19"}, "devDependencies": {"@tsconfig/a": "1", "b": "2", "c": "3", "vite": "8", "local": "file:local"}}`)},
		"tsconfig.json": {Data: []byte("{\n// \"extends\": none\n\"extends\" : [\"./tsconfig.base.json\", \"@tsconfig/a/x.json\",\n\"local/x\"], \"types\": [\"vite/client\"] }")}, "tsconfig.base.json": {Data: []byte(`{"extends":"b"}`)},
	}
	for _, c := range []struct {
		installErr error
		want       map[string]string
	}{
		{nil, map[string]string{"react": "19", "@tsconfig/a": "1", "b": "2"}},
		{core.Errorf(core.CodeValidationFailed, "no such package: b"), map[string]string{"react": "19"}},
		{core.Errorf(core.CodeUnavailable, "the registry cannot be reached"), map[string]string{"react": "19", "@tsconfig/a": "1", "b": "2"}},
	} {
		b := &bench{installErr: c.installErr}
		_, err := NewMaker(Deps{Sources: files, Environment: b, Resolver: b, Builder: b}).Make(t.Context(), core.NewID(), build.ModeSite)
		if !maps.Equal(b.asked, c.want) {
			t.Errorf("%v: got %v at last, %v, want %v", c.installErr, b.asked, err, c.want)
		}
	}
}
