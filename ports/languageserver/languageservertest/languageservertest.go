// Package languageservertest tests a languageserver.Launcher against its port.
package languageservertest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/languageserver"
)

// Harness is a launcher with its environment.
type Harness struct {
	Launcher languageserver.Launcher
	// Project has files, none of which is TypeScript.
	Project core.ID
	// Write puts a file of the project on the disk, and Remove removes it.
	Write  func(path, content string)
	Remove func(path string)
	// Compiler is a directory with the packages of Launcher.Compiler.
	Compiler string
	// Broken returns a launcher on a machine that has no servers.
	Broken func() languageserver.Launcher
}

// Run tests a launcher against the port. open returns a new harness.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	b := open(t)
	b.Write("tsconfig.json", `{"compilerOptions": {"strict": true, "noEmit": true, "module": "esnext", "moduleResolution": "bundler"}, "include": ["src"]}`)
	b.Write("src/util.ts", utilText)
	server := b.launch(t)
	// The clauses share a server, because one that starts takes seconds where the machine is busy.
	clauses := []struct {
		name string
		test func(t *testing.T, b Harness, server languageserver.Server)
	}{
		{"names of other files are completed, with their import", completes},
		{"a completion that is not there has no description", describesNothing},
		{"a name says what it is", hovers},
		{"a definition is found in another file", defines},
		{"an error is in the text of the question, not on the disk", diagnoses},
		{"no more findings come than the limit", truncates},
		{"a document is formatted", formats},
		{"changes on the disk are known", follows},
		{"another document is as on the disk again", forgets},
		{"odd places are no failures", bears},
		{"a question that is given up leaves the server running", survives},
		{"a closed server has ended", closes},
	}
	for _, clause := range clauses {
		t.Run(clause.name, func(t *testing.T) { clause.test(t, b, server) })
	}
	t.Run("a project without files is not found", func(t *testing.T) { missesProjects(t, b) })
	t.Run("without a sandbox nothing starts", func(t *testing.T) { refuses(t, b) })
}

const utilText = "/** greet says hello. */\nexport function greet(name: string): string {\n    return name;\n}\nexport const greeting: string = \"x\";\n"

func (b Harness) launch(t *testing.T) languageserver.Server {
	t.Helper()
	if err := b.Launcher.Available(t.Context()); err != nil {
		t.Fatal(err)
	}
	server, err := b.Launcher.Launch(t.Context(), b.Project, languageserver.Task{Compiler: b.Compiler})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server
}

func document(path, text string) languageserver.Document {
	return languageserver.Document{Path: core.MustPath(path), Text: text}
}

// at is the place of the mark | in a text.
func at(path, marked string) languageserver.Place {
	before, after, _ := strings.Cut(marked, "|")
	line := strings.Count(before, "\n") + 1
	return languageserver.Place{Document: document(path, before+after), Line: line, Column: len(before) - strings.LastIndex(before, "\n")}
}

func find(items []languageserver.Completion, label string) (languageserver.Completion, bool) {
	i := slices.IndexFunc(items, func(item languageserver.Completion) bool { return item.Label == label })
	if i < 0 {
		return languageserver.Completion{}, false
	}
	return items[i], true
}

func completes(t *testing.T, _ Harness, server languageserver.Server) {
	place := at("src/a.ts", "export const x = gre|\n")
	got, err := server.Complete(t.Context(), place)
	item, found := find(got.Items, "greet")
	if err != nil || !found || item.Kind != "function" || item.Source != "./util" || got.Column != 18 {
		t.Fatalf("got %+v at column %d, %v, want greet of ./util", item, got.Column, err)
	}
	said, err := server.Describe(t.Context(), place, item.Label, item.Source)
	if err != nil || len(said.Edits) != 1 || !strings.Contains(said.Edits[0].Text, "import { greet } from") || said.Edits[0].Line != 1 {
		t.Errorf("got %+v, %v, want an import", said, err)
	}
}

func describesNothing(t *testing.T, _ Harness, server languageserver.Server) {
	got, err := server.Describe(t.Context(), at("src/a.ts", "export const x = gre|\n"), "nobody", "./util")
	if err != nil || got.Signature != "" || len(got.Edits) != 0 {
		t.Errorf("got %+v, %v, want nothing", got, err)
	}
}

func hovers(t *testing.T, _ Harness, server languageserver.Server) {
	got, err := server.Hover(t.Context(), at("src/a.ts", "import { greet } from './util';\nexport const x = gr|eet('a');\n"))
	want := languageserver.Range{Line: 2, Column: 18, EndLine: 2, EndColumn: 23}
	if err != nil || !strings.Contains(got.Signature, "greet(name: string): string") || got.Documentation != "greet says hello." || got.Range == nil || *got.Range != want {
		t.Errorf("got %+v, %v, want the function", got, err)
	}
	if got, err := server.Hover(t.Context(), at("src/a.ts", "// no|thing\n")); err != nil || got.Range != nil || got.Signature != "" {
		t.Errorf("got %+v, %v, want nothing", got, err)
	}
}

func defines(t *testing.T, _ Harness, server languageserver.Server) {
	got, err := server.Define(t.Context(), at("src/a.ts", "import { greet } from './util';\nexport const x = gr|eet('a');\n"))
	if err != nil || len(got) != 1 || got[0].Path != "src/util.ts" || got[0].Line != 2 || got[0].Column != 17 {
		t.Errorf("got %+v, %v, want src/util.ts:2:17", got, err)
	}
}

const (
	soundText  = "export const size: number = 1;\n"
	brokenText = "export const name: string = \"x\";\nexport const size: number = \"wide\";\n"
)

func diagnoses(t *testing.T, b Harness, server languageserver.Server) {
	b.Write("src/deep (1)/b.ts", soundText)
	server.Changed([]string{"src/deep (1)/b.ts"})
	for _, text := range []string{soundText, brokenText, soundText} {
		got, err := server.Diagnose(t.Context(), document("src/deep (1)/b.ts", text))
		if err != nil || len(got) != strings.Count(text, "wide") {
			t.Fatalf("got %+v, %v, want those of %q", got, err, text)
		}
		for _, finding := range got {
			if finding.Line != 2 || finding.Column != 14 || finding.EndColumn != 18 || finding.Severity != languageserver.SeverityError ||
				finding.Message != "Type 'string' is not assignable to type 'number'." {
				t.Errorf("got %+v, want it at size", finding)
			}
		}
	}
}

func truncates(t *testing.T, _ Harness, server languageserver.Server) {
	text := strings.Repeat("{ const size: number = \"wide\"; }\n", languageserver.MaxFindings+10)
	got, err := server.Diagnose(t.Context(), document("src/many.ts", text))
	if err != nil || len(got) != languageserver.MaxFindings {
		t.Errorf("got %d, %v, want %d", len(got), err, languageserver.MaxFindings)
	}
}

func formats(t *testing.T, _ Harness, server languageserver.Server) {
	for _, c := range []struct {
		style languageserver.Style
		step  string
	}{{languageserver.Style{IndentSize: 4}, "    "}, {languageserver.Style{IndentSize: 2}, "  "}, {languageserver.Style{IndentSize: 4, Tabs: true}, "\t"}} {
		const text = "export function f() {\nreturn 1;\n}\n"
		got, err := server.Format(t.Context(), document("src/a.ts", text), c.style)
		want := languageserver.Edit{Range: languageserver.Range{Line: 2, Column: 1, EndLine: 2, EndColumn: 1}, Text: c.step}
		if err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
		got, err = server.Format(t.Context(), document("src/a.ts", strings.Replace(text, "return", c.step+"return", 1)), c.style)
		if err != nil || len(got) != 0 {
			t.Errorf("got %+v, %v, want no change", got, err)
		}
	}
}

func follows(t *testing.T, b Harness, server languageserver.Server) {
	use := at("src/a.ts", "import { added } from './new';\nexport const x = add|ed;\n")
	defined := func() int {
		t.Helper()
		found, err := server.Define(t.Context(), use)
		if err != nil {
			t.Fatal(err)
		}
		return len(slices.DeleteFunc(found, func(one languageserver.Location) bool { return one.Path != "src/new.ts" }))
	}
	for i, step := range []struct {
		text string
		want int
	}{{"", 0}, {"export const added = 1;\n", 1}, {"export const other = 1;\n", 0}, {"\n\nexport const added = 1;\n", 1}} {
		if step.text != "" {
			b.Write("src/new.ts", step.text)
			server.Changed([]string{"src/new.ts"})
		}
		if got := defined(); got != step.want {
			t.Errorf("step %d: got %d, want %d", i, got, step.want)
		}
	}
	b.Remove("src/new.ts")
	server.Changed([]string{"src/new.ts"})
	if got := defined(); got != 0 {
		t.Errorf("removed: got %d, want none", got)
	}
}

func forgets(t *testing.T, _ Harness, server languageserver.Server) {
	if _, err := server.Diagnose(t.Context(), document("src/util.ts", "export const unsaved = 1;\n")); err != nil {
		t.Fatal(err)
	}
	got, err := server.Complete(t.Context(), at("src/a.ts", "export const x = |\n"))
	if _, found := find(got.Items, "greet"); err != nil || !found {
		t.Errorf("got %d items, %v, want greet, which is on the disk", len(got.Items), err)
	}
	if _, found := find(got.Items, "unsaved"); found {
		t.Error("got what another question's text had")
	}
}

func bears(t *testing.T, _ Harness, server languageserver.Server) {
	for _, place := range []languageserver.Place{
		{Document: document("src/a.ts", ""), Line: 1, Column: 1}, {Document: document("src/a.ts", "x\n"), Line: 900, Column: 900},
		{Document: document("src/a.ts", "\uFEFFconst 𝒳 = '\r\n"), Line: 1, Column: 9}, {Document: document("nowhere/b.jsx", "<a"), Line: 1, Column: 900},
	} {
		_, err := server.Complete(t.Context(), place)
		_, more := server.Hover(t.Context(), place)
		_, again := server.Define(t.Context(), place)
		_, last := server.Diagnose(t.Context(), place.Document)
		if err := errors.Join(err, more, again, last); err != nil {
			t.Errorf("%+v: got %v", place, err)
		}
	}
}

func survives(t *testing.T, _ Harness, server languageserver.Server) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := server.Diagnose(ctx, document("src/a.ts", brokenText)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want it canceled", err)
	}
	if got, err := server.Diagnose(t.Context(), document("src/a.ts", brokenText)); err != nil || len(got) != 1 {
		t.Errorf("got %+v, %v, want an answer", got, err)
	}
}

func closes(t *testing.T, _ Harness, server languageserver.Server) {
	select {
	case <-server.Done():
		t.Fatal("got an ended server, want a running one")
	default:
	}
	server.Close()
	server.Close()
	<-server.Done()
	if _, err := server.Diagnose(t.Context(), document("src/a.ts", soundText)); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v, want unavailable", err)
	}
	server.Changed([]string{"src/a.ts"})
}

func missesProjects(t *testing.T, b Harness) {
	for _, project := range []core.ID{core.NewID(), "../escape"} {
		_, err := b.Launcher.Launch(t.Context(), project, languageserver.Task{Compiler: b.Compiler})
		if err == nil || project != "../escape" && !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("%s: got %v, want not_found", project, err)
		}
	}
}

func refuses(t *testing.T, b Harness) {
	broken := b.Broken()
	_, err := broken.Launch(t.Context(), b.Project, languageserver.Task{Compiler: b.Compiler})
	for _, err := range []error{err, broken.Available(t.Context())} {
		var known *core.Error
		if !errors.As(err, &known) || known.Code != core.CodeSandboxUnavailable || !strings.Contains(known.Message, "install") {
			t.Errorf("got %v, want sandbox_unavailable with a way out", err)
		}
	}
}
