package esbuild

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

var _ build.SyntaxChecker = (*Builder)(nil)

// Syntax implements build.SyntaxChecker. As many checks and builds run at the same time
// as there are processors.
func (b *Builder) Syntax(ctx context.Context, name string, content []byte) ([]core.Diagnostic, error) {
	leave, err := b.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	var result []core.Diagnostic
	for _, message := range syntaxMessages(name, core.WithoutMark(content)) {
		d := project.DiagnosticOf(message)
		d.Path = name
		result = append(result, d)
	}
	return result[:min(len(result), project.MaxDiagnostics)], nil
}

func syntaxMessages(name string, text []byte) []api.Message {
	if len(text) > project.MaxModuleBytes {
		return []api.Message{{Text: fmt.Sprintf("the file is larger than %d bytes", project.MaxModuleBytes)}}
	}
	ext := strings.ToLower(path.Ext(name))
	if problem, at := project.TooDeep(text); problem != "" && (ext == ".css" || project.Loaders[ext] != api.LoaderNone) {
		return []api.Message{project.MessageAt(name, text, at, problem)}
	}
	switch {
	case ext == ".html" || ext == ".htm":
		return markupMessages(name, text)
	case mayHaveComments(name):
		return jsonMessages(name, text, project.PlainJSON(text))
	case ext == ".json":
		return jsonMessages(name, text, text)
	case ext == ".css":
		return styleMessages(name, text)
	}
	if loader, known := project.Loaders[ext]; known {
		return scriptMessages(name, text, loader)
	}
	return nil
}

// mayHaveComments distinguishes JSON as TypeScript and editors read it from strict JSON.
func mayHaveComments(name string) bool {
	base := strings.ToLower(path.Base(name))
	config := strings.HasPrefix(base, "tsconfig") || strings.HasPrefix(base, "jsconfig")
	return strings.HasSuffix(base, ".jsonc") || config && strings.HasSuffix(base, ".json")
}

// scriptMessages parses a script. It accepts both kinds of decorators, because the kind
// does not affect the syntax.
func scriptMessages(name string, text []byte, loader api.Loader) []api.Message {
	return api.Transform(string(text), api.TransformOptions{
		Loader: loader, Sourcefile: name, JSX: api.JSXPreserve,
		TsconfigRaw: `{"compilerOptions":{"experimentalDecorators":true}}`,
	}).Errors
}

// styleMessages parses a style sheet. Of esbuild's warnings it reports unmatched brackets
// and everything that the end of the file truncates.
func styleMessages(name string, text []byte) []api.Message {
	parsed := api.Transform(string(text), api.TransformOptions{Loader: api.LoaderCSS, Sourcefile: name})
	messages := parsed.Errors
	last := lastPlace(text)
	for _, warning := range parsed.Warnings {
		at := warning.Location
		if warning.ID != "css-syntax-error" || at == nil {
			continue
		}
		cutOff := at.Line > last.Line || at.Line == last.Line && at.Column >= last.Column
		if cutOff || project.Brackets.MatchString(warning.Text) || unclosedFunction.MatchString(warning.Text) {
			messages = append(messages, warning)
		}
	}
	slices.SortStableFunc(messages, func(a, b api.Message) int {
		if a.Location == nil || b.Location == nil || a.Location.Line != b.Location.Line {
			return lineOf(a) - lineOf(b)
		}
		return a.Location.Column - b.Location.Column
	})
	return messages
}

var unclosedFunction = regexp.MustCompile(`^Expected "\)"`)

func lineOf(message api.Message) int {
	if message.Location == nil {
		return 0
	}
	return message.Location.Line
}

// lastPlace returns the offset after the last byte that is not white space.
func lastPlace(text []byte) api.Location {
	text = bytes.TrimRight(text, " \t\r\n\f")
	return api.Location{Line: bytes.Count(text, []byte("\n")) + 1, Column: len(text) - 1 - bytes.LastIndexByte(text, '\n')}
}

// jsonMessages parses plain, whose offsets are those of text.
func jsonMessages(name string, text, plain []byte) []api.Message {
	var value json.RawMessage
	err := json.Unmarshal(plain, &value)
	if err == nil {
		return nil
	}
	offset := len(bytes.TrimRight(text, " \t\r\n"))
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && syntax.Error() != "unexpected end of JSON input" {
		offset = int(syntax.Offset) - 1
	}
	return []api.Message{project.MessageAt(name, text, min(offset, len(text)), "this is not valid JSON: "+err.Error())}
}
