package memory

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

// Builder copies a project's files unchanged, in both modes: pages, scripts and assets.
// Functions come out as their sources. It bundles nothing, so a page that needs a bundler does not work, but it finds obvious
// mistakes: invalid JSON, and unmatched brackets in scripts and style sheets.
type Builder struct{}

var _ build.Builder = (*Builder)(nil)

// NewBuilder returns a Builder.
func NewBuilder() *Builder { return &Builder{} }

// ViteConfig implements build.Builder: it knows nothing of Vite.
func (b *Builder) ViteConfig(ctx context.Context, _ fs.FS, _ map[string]string) (build.ViteConfig, error) {
	return build.ViteConfig{}, ctx.Err()
}

// Build implements build.Builder. Files below public/ move to the root.
func (b *Builder) Build(ctx context.Context, req build.Request) (build.Result, error) {
	var result build.Result
	err := fs.WalkDir(req.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if skip, reason := skippedSource(name, entry); skip {
			return reason
		}
		content, err := fs.ReadFile(req.Files, name)
		if err != nil {
			return err
		}
		result.Diagnostics = append(result.Diagnostics, diagnose(name, string(content))...)
		if function, found := core.FunctionOf(name); found {
			result.Files = append(result.Files, build.File{Path: core.FunctionBundle(function), Content: content})
		}
		if strings.HasPrefix(name, core.FunctionsDir+"/") || name == core.BackendSchemaPath || name == core.BackendSeedPath {
			return nil
		}
		result.Files = append(result.Files, build.File{Path: strings.TrimPrefix(name, "public/"), Content: content})
		return nil
	})
	if ctx.Err() != nil {
		return build.Result{}, ctx.Err()
	}
	if err != nil {
		return build.Result{}, core.Wrap(core.CodeUnavailable, err, "the sources cannot be read")
	}
	if req.Mode == build.ModeFunctions {
		return onlyFunctions(result), nil
	}
	return finishBuild(result), nil
}

// onlyFunctions leaves out the pages of a build.
func onlyFunctions(result build.Result) build.Result {
	if len(result.Diagnostics) > 0 {
		return build.Result{Diagnostics: result.Diagnostics}
	}
	result.Files = slices.DeleteFunc(result.Files, func(file build.File) bool { return !strings.HasPrefix(file.Path, core.FunctionBundles+"/") })
	slices.SortFunc(result.Files, func(a, b build.File) int { return strings.Compare(a.Path, b.Path) })
	return result
}

// skippedSource reports whether an entry is no source. The error is fs.SkipDir if the
// whole directory can be skipped.
func skippedSource(name string, entry fs.DirEntry) (bool, error) {
	if name == "." {
		return true, nil
	}
	parsed, err := core.ParsePath(name)
	hidden := err != nil || parsed.Generated() || strings.HasPrefix(path.Base(name), ".")
	if hidden && entry.IsDir() {
		return true, fs.SkipDir
	}
	return hidden || !entry.Type().IsRegular(), nil
}

// finishBuild sorts the files, drops those that public/ hides, and reports a missing
// page.
func finishBuild(result build.Result) build.Result {
	byPath := make(map[string]build.File, len(result.Files))
	for _, file := range result.Files {
		byPath[file.Path] = file
	}
	if _, found := byPath["index.html"]; !found {
		result.Diagnostics = append(result.Diagnostics, core.Diagnostic{Path: "index.html", Message: "the project has no index.html"})
	}
	if len(result.Diagnostics) > 0 {
		return build.Result{Diagnostics: result.Diagnostics}
	}
	result.Files = result.Files[:0]
	for _, name := range slices.Sorted(maps.Keys(byPath)) {
		result.Files = append(result.Files, byPath[name])
	}
	return result
}

// diagnose finds obvious mistakes in a source.
func diagnose(name, text string) []core.Diagnostic {
	switch strings.ToLower(path.Ext(name)) {
	case ".json":
		return diagnoseJSON(name, text)
	case ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".jsonc":
		return diagnoseBrackets(name, text, true)
	case ".css":
		return diagnoseBrackets(name, text, false)
	}
	return nil
}

// diagnoseJSON checks only the brackets of tsconfig.json, which may have comments.
func diagnoseJSON(name, text string) []core.Diagnostic {
	if base := path.Base(name); strings.HasPrefix(base, "tsconfig") || strings.HasPrefix(base, "jsconfig") {
		return diagnoseBrackets(name, text, true)
	}
	var value any
	err := json.Unmarshal([]byte(text), &value)
	if err == nil {
		return nil
	}
	offset := len(text)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		offset = max(0, int(syntax.Offset)-1)
	}
	return []core.Diagnostic{diagnosticAt(name, text, min(offset, len(text)), "this is not valid JSON")}
}

// diagnosticAt converts an offset in bytes to a line and a column in characters.
func diagnosticAt(name, text string, offset int, message string) core.Diagnostic {
	before := text[:offset]
	start := strings.LastIndexByte(before, '\n') + 1
	return core.Diagnostic{
		Path:    name,
		Line:    strings.Count(before, "\n") + 1,
		Column:  len([]rune(before[start:])) + 1,
		Message: message,
	}
}
