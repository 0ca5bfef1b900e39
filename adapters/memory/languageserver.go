package memory

import (
	"context"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/languageserver"
	"github.com/atelierhq/atelier/ports/typecheck"
	"github.com/atelierhq/atelier/ports/worktree"
)

// LanguageServers knows the names that a project exports with export const or export function at
// the beginning of a line, the type errors that TypeChecker finds, and indentation by braces.
type LanguageServers struct {
	trees worktree.Trees

	mu       sync.Mutex
	missing  bool
	launched int
}

var _ languageserver.Launcher = (*LanguageServers)(nil)

// NewLanguageServers returns a launcher over the projects' files.
func NewLanguageServers(trees worktree.Trees) *LanguageServers { return &LanguageServers{trees: trees} }

// SetMissing makes the launcher behave like a machine without a sandbox, or undoes that.
func (l *LanguageServers) SetMissing(missing bool) *LanguageServers {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.missing = missing
	return l
}

// Launched is how many servers were started.
func (l *LanguageServers) Launched() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.launched
}

// Available implements languageserver.Launcher.
func (l *LanguageServers) Available(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.missing {
		return core.Errorf(core.CodeSandboxUnavailable, "types cannot be checked here: install bubblewrap")
	}
	return nil
}

// Compiler implements languageserver.Launcher.
func (l *LanguageServers) Compiler() map[string]string { return nil }

// Launch implements languageserver.Launcher.
func (l *LanguageServers) Launch(ctx context.Context, project core.ID, _ languageserver.Task) (languageserver.Server, error) {
	if err := l.Available(ctx); err != nil {
		return nil, err
	}
	tree, err := l.trees.Open(ctx, project)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.launched++
	return &languageServer{tree: tree, done: make(chan struct{})}, nil
}

// languageServer reads all files for each answer.
type languageServer struct {
	tree worktree.Tree
	once sync.Once
	done chan struct{}
}

// export is a name that a file exports.
type export struct {
	file, name, kind, signature, documentation string
	at                                         languageserver.Range
}

// exported matches an export, its comment before it.
var exported = regexp.MustCompile(`(?m)^(?:/\*\* (.*) \*/\n)?export (const|function) (\w+)([^{=\n]*)`)

// exports returns the names that a file exports.
func exports(file, text string) []export {
	var all []export
	for _, at := range exported.FindAllStringSubmatchIndex(text, -1) {
		part := func(n int) string {
			if at[2*n] < 0 {
				return ""
			}
			return text[at[2*n]:at[2*n+1]]
		}
		kind := "variable"
		if part(2) == "function" {
			kind = "function"
		}
		all = append(all, export{
			file: file, name: part(3), kind: kind, documentation: part(1),
			signature: strings.TrimSpace(part(2) + " " + part(3) + part(4)), at: rangeIn(text, at[6], at[7]),
		})
	}
	return all
}

// rangeIn is the range of a part of a line.
func rangeIn(text string, from, to int) languageserver.Range {
	line := strings.Count(text[:from], "\n") + 1
	column := utf8.RuneCountInString(text[strings.LastIndexByte(text[:from], '\n')+1:from]) + 1
	return languageserver.Range{Line: line, Column: column, EndLine: line, EndColumn: column + to - from}
}

// all returns the exports of the project, with the text of a question in the place of its file.
func (s *languageServer) all(ctx context.Context, asked languageserver.Document) ([]export, error) {
	select {
	case <-s.done:
		return nil, core.Errorf(core.CodeUnavailable, "the language server has ended: try again")
	default:
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	found := exports(asked.Path.String(), asked.Text)
	files := s.tree.FS()
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		file, wrong := core.ParsePath(name)
		if err != nil || wrong != nil || !entry.Type().IsRegular() || !languageserver.Speaks(file) || file == asked.Path {
			return err
		}
		text, err := fs.ReadFile(files, name)
		found = append(found, exports(name, string(text))...)
		return err
	})
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the sources cannot be read")
	}
	return found, nil
}

// wordAt returns the word at a place, and its range.
func wordAt(at languageserver.Place) (string, languageserver.Range) {
	lines := strings.Split(at.Text, "\n")
	number := min(max(1, at.Line), len(lines))
	line := []rune(lines[number-1])
	column := min(max(0, at.Column-1), len(line))
	from, to := column, column
	isWord := func(r rune) bool {
		return r == '_' || r == '$' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	for from > 0 && isWord(line[from-1]) {
		from--
	}
	for to < len(line) && isWord(line[to]) {
		to++
	}
	return string(line[from:to]), languageserver.Range{Line: number, Column: from + 1, EndLine: number, EndColumn: to + 1}
}

// source is the module from which a file imports another.
func source(from, to string) string {
	if from == to {
		return ""
	}
	module := strings.TrimSuffix(to, path.Ext(to))
	if path.Dir(from) == path.Dir(to) {
		return "./" + path.Base(module)
	}
	return module
}

// Complete implements languageserver.Server.
func (s *languageServer) Complete(ctx context.Context, at languageserver.Place) (languageserver.Completions, error) {
	found, err := s.all(ctx, at.Document)
	_, where := wordAt(at)
	made := languageserver.Completions{Column: where.Column}
	for _, one := range found {
		made.Items = append(made.Items, languageserver.Completion{Label: one.name, Kind: one.kind, Source: source(at.Path.String(), one.file)})
	}
	return made, err
}

// Describe implements languageserver.Server.
func (s *languageServer) Describe(ctx context.Context, at languageserver.Place, label, from string) (languageserver.Description, error) {
	made := languageserver.Description{Edits: []languageserver.Edit{}}
	found, err := s.all(ctx, at.Document)
	for _, one := range found {
		if one.name != label || source(at.Path.String(), one.file) != from {
			continue
		}
		made.Signature, made.Documentation = one.signature, one.documentation
		if from != "" {
			start := languageserver.Range{Line: 1, Column: 1, EndLine: 1, EndColumn: 1}
			made.Edits = append(made.Edits, languageserver.Edit{Range: start, Text: "import { " + label + " } from \"" + from + "\";\n\n"})
		}
		break
	}
	return made, err
}

// Hover implements languageserver.Server.
func (s *languageServer) Hover(ctx context.Context, at languageserver.Place) (languageserver.Hover, error) {
	found, err := s.all(ctx, at.Document)
	word, where := wordAt(at)
	for _, one := range found {
		if one.name == word {
			return languageserver.Hover{Signature: one.signature, Documentation: one.documentation, Range: &where}, nil
		}
	}
	return languageserver.Hover{}, err
}

// Define implements languageserver.Server.
func (s *languageServer) Define(ctx context.Context, at languageserver.Place) ([]languageserver.Location, error) {
	found, err := s.all(ctx, at.Document)
	word, _ := wordAt(at)
	made := []languageserver.Location{}
	for _, one := range found {
		if one.name == word {
			made = append(made, languageserver.Location{Path: one.file, Range: one.at})
		}
	}
	return made, err
}

// Diagnose implements languageserver.Server.
func (s *languageServer) Diagnose(ctx context.Context, document languageserver.Document) ([]languageserver.Finding, error) {
	if _, err := s.all(ctx, document); err != nil {
		return nil, err
	}
	var report typecheck.Report
	for i, line := range strings.Split(document.Text, "\n") {
		addMistakes(&report, document.Path.String(), i+1, line)
	}
	made := []languageserver.Finding{}
	for _, one := range report.Diagnostics {
		place := languageserver.Place{Document: document, Line: one.Line, Column: one.Column}
		_, where := wordAt(place)
		made = append(made, languageserver.Finding{Range: where, Severity: languageserver.SeverityError, Code: 2322, Message: one.Message})
	}
	return made, nil
}

// Format implements languageserver.Server.
func (s *languageServer) Format(ctx context.Context, document languageserver.Document, style languageserver.Style) ([]languageserver.Edit, error) {
	if _, err := s.all(ctx, document); err != nil {
		return nil, err
	}
	step := strings.Repeat(" ", style.IndentSize)
	if style.Tabs {
		step = "\t"
	}
	made := []languageserver.Edit{}
	depth := 0
	for i, line := range strings.Split(document.Text, "\n") {
		text := strings.TrimLeft(line, " \t")
		here := depth
		if strings.HasPrefix(text, "}") {
			here--
		}
		depth = max(0, depth+strings.Count(text, "{")-strings.Count(text, "}"))
		if wanted := strings.Repeat(step, max(0, here)); text != "" && line != wanted+text {
			where := languageserver.Range{Line: i + 1, Column: 1, EndLine: i + 1, EndColumn: len(line) - len(text) + 1}
			made = append(made, languageserver.Edit{Range: where, Text: wanted})
		}
	}
	return slices.Clip(made), nil
}

// Changed implements languageserver.Server.
func (s *languageServer) Changed([]string) {}

// Done implements languageserver.Server.
func (s *languageServer) Done() <-chan struct{} { return s.done }

// Close implements languageserver.Server.
func (s *languageServer) Close() { s.once.Do(func() { close(s.done) }) }
