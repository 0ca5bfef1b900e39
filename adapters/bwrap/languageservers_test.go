package bwrap_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/languageserver"
	"github.com/atelierhq/atelier/ports/languageserver/languageservertest"
)

func TestLanguageServers(t *testing.T) {
	b := newTypesBench(t)
	t.Run("the port's suite", func(t *testing.T) { b.playLanguageSuite(t) })
	t.Run("know packages, and show nothing else", func(t *testing.T) { b.playLanguagePackages(t) })
	t.Run("that take too long or too much are ended", func(t *testing.T) { b.playLanguageLimits(t) })
}

func (b *typesBench) languages(config bwrap.LanguagesConfig) *bwrap.LanguageServers {
	return bwrap.NewLanguageServers(b.checker(bwrap.TypesConfig{}), config)
}

func (b *typesBench) playLanguageSuite(t *testing.T) {
	languageservertest.Run(t, func(t *testing.T) languageservertest.Harness {
		project := b.project()
		return languageservertest.Harness{
			Launcher: b.languages(bwrap.LanguagesConfig{}), Project: project, Compiler: b.compiler,
			Write: func(path, content string) { b.write(t, project, path, content) },
			Remove: func(path string) {
				if err := os.Remove(filepath.Join(b.dir(project), path)); err != nil {
					t.Fatal(err)
				}
			},
			Broken: func() languageserver.Launcher {
				runner := b.runner(bwrap.ModeAuto, func(c *bwrap.Config) { c.Program = "/no/such/bwrap" })
				return bwrap.NewLanguageServers(bwrap.NewTypeChecker(runner, bwrap.TypesConfig{Store: b.store}), bwrap.LanguagesConfig{})
			},
		}
	})
}

// launch starts a server of a project with these files.
func (b *typesBench) launch(t *testing.T, config bwrap.LanguagesConfig, packages string, files map[string]string) languageserver.Server {
	t.Helper()
	project := b.project()
	for path, content := range files {
		b.write(t, project, path, content)
	}
	server, err := b.languages(config).Launch(t.Context(), project, languageserver.Task{Packages: packages, Compiler: b.compiler})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server
}

func document(text string) languageserver.Document {
	return languageserver.Document{Path: core.MustPath("src/App.tsx"), Text: text}
}

func (b *typesBench) playLanguagePackages(t *testing.T) {
	mine := b.install(t, map[string]string{"@types/react": "^19.2.0"})
	server := b.launch(t, bwrap.LanguagesConfig{}, mine, map[string]string{
		"tsconfig.json": `{"compilerOptions": {"strict": true, "jsx": "react-jsx", "moduleResolution": "bundler", "module": "esnext", "paths": {"@/*": ["/etc/*"]}}}`,
	})
	const text = "import { useState } from 'react';\nexport const App = () => { const [n] = useState(1); return <b title={n}>x</b>; };\n"
	found, err := server.Diagnose(t.Context(), document(text))
	if err != nil || len(found) != 1 || found[0].Line != 2 || !strings.HasPrefix(found[0].Message, "Type 'number' is not assignable to type 'string'.") {
		t.Errorf("got %+v, %v, want the title alone", found, err)
	}
	defined, err := server.Define(t.Context(), languageserver.Place{Document: document(text), Line: 1, Column: 12})
	if err != nil || len(defined) == 0 || defined[0].Path != "" || defined[0].Package != "@types/react" {
		t.Errorf("got %+v, %v, want the package of useState", defined, err)
	}
	defined, err = server.Define(t.Context(), languageserver.Place{Document: document("new Set();\n"), Line: 1, Column: 6})
	if err != nil || len(defined) == 0 || defined[0].Package != "typescript" {
		t.Errorf("got %+v, %v, want the language itself", defined, err)
	}
	got, err := server.Complete(t.Context(), languageserver.Place{Document: document("import '@/"), Line: 1, Column: 11})
	for _, item := range got.Items {
		if strings.Contains(item.Label, "passwd") || strings.Contains(item.Label, "shadow") {
			t.Errorf("got %+v, want nothing of the machine", item)
		}
	}
	if err != nil {
		t.Error(err)
	}
}

func (b *typesBench) playLanguageLimits(t *testing.T) {
	for name, config := range map[string]bwrap.LanguagesConfig{
		"time":   {Time: 3 * time.Second},
		"memory": {Limits: bwrap.Limits{MemoryBytes: 48 << 20}, Time: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			project := b.project()
			server, err := b.languages(config).Launch(t.Context(), project, languageserver.Task{Compiler: b.compiler})
			if err == nil {
				defer server.Close()
				_, err = server.Diagnose(t.Context(), document(endlessType()))
			}
			if !core.IsCode(err, core.CodeUnavailable) {
				t.Fatalf("got %v, want unavailable", err)
			}
			if server != nil {
				<-server.Done()
			}
		})
	}
	t.Run("packages of elsewhere", func(t *testing.T) {
		_, err := b.languages(bwrap.LanguagesConfig{}).Launch(t.Context(), b.project(), languageserver.Task{Compiler: t.TempDir()})
		var known *core.Error
		if !errors.As(err, &known) || known.Code != core.CodeUnavailable {
			t.Errorf("got %v, want unavailable", err)
		}
	})
}
