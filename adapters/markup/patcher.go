// Package markup implements the port markup: it changes values in style sheets,
// HTML, JSX and TSX, and tells by esbuild where the elements of JSX begin.
package markup

import (
	"context"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/internal/splice"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/markup"
)

var _ markup.Patcher = (*Patcher)(nil)

// Patcher implements markup.Patcher. As many sources are parsed at the same time as there
// are processors.
type Patcher struct {
	// semaphore has a place for each processor.
	semaphore *fair.Semaphore
}

// New returns a patcher.
func New() *Patcher {
	return &Patcher{fair.New(fair.Bounds{Capacity: int64(runtime.GOMAXPROCS(0)), Reserve: 1})}
}

// Patch implements markup.Patcher.
func (p *Patcher) Patch(ctx context.Context, name string, content []byte, patches []markup.Patch) ([]markup.Edit, error) {
	leave, err := p.semaphore.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return splice.Patch(ctx, locate, name, content, patches)
}

// locate lets esbuild compile for React's development runtime, which gets each element's
// line and column. Names are shortened, because esbuild takes quadratic time to keep
// nested ones apart. The source gets a name that does not occur in it, which makes these
// places easy to find in the output.
func locate(_ context.Context, name, text string) ([]int, error) {
	if hasLongRun(text) {
		return nil, core.Errorf(core.CodeUnsupportedFile, "%s is nested too deeply", name)
	}
	mark := "place"
	for strings.Contains(text, mark) {
		mark += "_"
	}
	result := api.Transform(withoutPitfalls(text), api.TransformOptions{
		Loader: loaderOf(name), Sourcefile: mark, JSX: api.JSXAutomatic, JSXDev: true, JSXSideEffects: true,
		MinifyWhitespace: true, MinifyIdentifiers: true, TreeShaking: api.TreeShakingFalse, LogLevel: api.LogLevelSilent,
		TsconfigRaw: `{"compilerOptions":{"experimentalDecorators":true,"verbatimModuleSyntax":true}}`,
	})
	if len(result.Errors) > 0 {
		return nil, unparsed(name, result.Errors)
	}
	places := placesIn(string(result.Code), mark)
	starts := offsets(text, places)
	if len(starts) != len(places) {
		return nil, core.Errorf(core.CodeUnsupportedFile, "the elements of %s cannot be identified exactly", name)
	}
	return starts, nil
}

// loaderOf is by the extension. In TypeScript without elements a "<" may begin a type assertion.
func loaderOf(name string) api.Loader {
	switch strings.ToLower(path.Ext(name)) {
	case ".jsx":
		return api.LoaderJSX
	case ".js", ".mjs":
		return api.LoaderJS
	case ".ts", ".mts":
		return api.LoaderTS
	}
	return api.LoaderTSX
}

// maxRun bounds a run of consecutive operators, in bytes. Each takes esbuild several KiB
// of stack, and a full stack ends the process. Everything else that nests takes more of
// the source.
const maxRun = 1000

func hasLongRun(text string) bool {
	run := 0
	for i := range len(text) {
		if strings.IndexByte("!~+- \t\r\n", text[i]) < 0 {
			run = 0
		} else if text[i] > ' ' {
			if run++; run > maxRun {
				return true
			}
		}
	}
	return false
}

// withoutPitfalls blanks out what makes esbuild omit the places of elements, and keeps
// all offsets. These are the pragma for the classic runtime, and keys, which after a
// spread have the same effect.
func withoutPitfalls(text string) string {
	text = strings.ReplaceAll(text, "@jsxRuntime", "@jsxRuntim_")
	return keyName.ReplaceAllString(text, "ke_$1")
}

var keyName = regexp.MustCompile(`\bkey(\s*=)`)

// place is a line and a column as esbuild counts them.
type place struct{ line, column int }

func placesIn(code, mark string) []place {
	var all []place
	for piece := range strings.SplitSeq(code, `{fileName:"`+mark+`",lineNumber:`) {
		line, rest, isPlace := strings.Cut(piece, ",columnNumber:")
		column, _, whole := strings.Cut(rest, "}")
		if isPlace && whole {
			all = append(all, place{count(line), count(column)})
		}
	}
	slices.SortFunc(all, func(a, b place) int {
		if a.line != b.line {
			return a.line - b.line
		}
		return a.column - b.column
	})
	return slices.Compact(all)
}

// count parses a number as esbuild writes it: 1000 is 1e3. Anything else is 0.
func count(text string) int {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return int(value)
}

// offsets converts ascending places to offsets in the text, up to the first that does not
// exist.
func offsets(text string, places []place) []int {
	var all []int
	here := place{1, 1}
	for at := 0; at < len(text) && len(all) < len(places); {
		if places[len(all)] == here {
			all = append(all, at)
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		at += size
		switch {
		case r == '\r' && strings.HasPrefix(text[at:], "\n"):
			at++
			fallthrough
		case r == '\n', r == '\r', r == '\u2028', r == '\u2029':
			here = place{here.line + 1, 1}
		case r >= 0xffff:
			here.column += 2
		default:
			here.column++
		}
	}
	return all
}

// maxDiagnostics bounds the reported diagnostics of one source.
const maxDiagnostics = 20

func unparsed(name string, messages []api.Message) error {
	failure := core.Errorf(core.CodeBuildFailed, "%s cannot be parsed: %s", name, messages[0].Text)
	for _, message := range messages[:min(len(messages), maxDiagnostics)] {
		d := core.Diagnostic{Path: name, Message: message.Text}
		if at := message.Location; at != nil {
			column := utf8.RuneCountInString(at.LineText[:min(at.Column, len(at.LineText))])
			d.Line, d.Column = at.Line, column+1
		}
		failure.Diagnostics = append(failure.Diagnostics, d)
	}
	return failure
}
