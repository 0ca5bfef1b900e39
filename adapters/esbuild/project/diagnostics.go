package project

import (
	"bytes"
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/core"
)

// MessageAt returns a message about an offset of a source.
func MessageAt(name string, text []byte, offset int, problem string) api.Message {
	start := bytes.LastIndexByte(text[:offset], '\n') + 1
	line, _, _ := bytes.Cut(text[start:], []byte("\n"))
	return api.Message{Text: problem, Location: &api.Location{
		File: name, Namespace: NsProject,
		Line: bytes.Count(text[:offset], []byte("\n")) + 1, Column: offset - start, LineText: string(line),
	}}
}

// Diagnostics translates esbuild's messages into the project's terms, sorted by place,
// without duplicates.
func Diagnostics(messages []api.Message, src *Sources) []core.Diagnostic {
	var result []core.Diagnostic
	for _, message := range messages {
		result = append(result, src.within(DiagnosticOf(message)))
	}
	slices.SortFunc(result, func(a, b core.Diagnostic) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), strings.Compare(a.Message, b.Message))
	})
	result = slices.Compact(result)
	return result[:min(len(result), MaxDiagnostics)]
}

// DiagnosticOf translates a message of esbuild, with its place in the project if it has
// one.
func DiagnosticOf(message api.Message) core.Diagnostic {
	result := core.Diagnostic{Path: "package.json", Message: PlainText(message.Text)}
	at := message.Location
	if at == nil {
		return result
	}
	result.Path = plainPath(at)
	if at.Line == 0 {
		return result
	}
	result.Line = at.Line
	column := min(at.Column, len(at.LineText))
	result.Column = utf8.RuneCountInString(at.LineText[:column]) + 1
	return result
}

// within moves a place after the end of a source, where only the builder has added text,
// to the end.
func (s *Sources) within(d core.Diagnostic) core.Diagnostic {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, read := s.content[d.Path]
	if lines := bytes.Count(text, []byte("\n")) + 1; read && d.Line > lines {
		d.Line = lines
		d.Column = utf8.RuneCount(text[bytes.LastIndexByte(text, '\n')+1:]) + 1
	}
	return d
}

// plainPath returns the name of a file as people know it.
func plainPath(at *api.Location) string {
	if name, own := projectFile(at); own {
		return name
	}
	_, inside, found := CutLast(filepath.ToSlash(at.File), "node_modules/")
	if found {
		return "node_modules/" + inside
	}
	return "package.json"
}

// projectFile returns the file of the project in which a place lies. esbuild prefixes the
// name with the namespace.
func projectFile(at *api.Location) (name string, own bool) {
	name, own = strings.CutPrefix(at.File, NsProject+":")
	name, _, _ = strings.Cut(name, "?")
	return name, own || at.Namespace == NsProject
}

var (
	projectName    = regexp.MustCompile(`"` + NsProject + `:([^"?]*)[^"]*"`)
	packageName    = regexp.MustCompile(`"[^"]*node_modules/([^"]*)"`)
	couldNotFollow = regexp.MustCompile(`^Could not resolve "([^"]+)"$`)
)

// PlainText removes esbuild's own file names from a message.
func PlainText(text string) string {
	if match := couldNotFollow.FindStringSubmatch(text); match != nil && !strings.HasPrefix(match[1], ".") && !strings.HasPrefix(match[1], "/") {
		return MissingError(PackageOf(match[1])).Error()
	}
	text = projectName.ReplaceAllString(text, `"$1"`)
	return packageName.ReplaceAllString(text, `"node_modules/$1"`)
}

// brokenCSS returns the warnings about the project's style sheets that mean a lost rule:
// a bracket or a comment without its other half.
func brokenCSS(warnings []api.Message) []api.Message {
	var broken []api.Message
	for _, warning := range warnings {
		if warning.Location == nil {
			continue
		}
		if _, own := projectFile(warning.Location); own && warning.ID == "css-syntax-error" && Brackets.MatchString(warning.Text) {
			broken = append(broken, warning)
		}
	}
	return broken
}

// Brackets are the messages about unclosed brackets, strings and comments.
var Brackets = regexp.MustCompile(`^(Expected "[\]})]"|Unexpected "[\]})]"|Unterminated|Expected "\*/")`)
