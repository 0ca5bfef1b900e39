package esbuild

import (
	"bytes"
	"context"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

const (
	// appDir holds the project's own modules in a preview.
	appDir = "@app"
	// jsxPrefix marks the JSX runtime that a preview puts in front of the real one.
	jsxPrefix = "atelier-jsx:"
)

// jsxShim gives every element of the page the place of its source, for the visual
// editor.
const jsxShim = `import { jsxDEV as make, Fragment } from "%RUNTIME%";
export { Fragment };
export const jsxDEV = (type, props, key, isStatic, source, self) =>
  make(type, typeof type === "string" && source && !("data-loc" in props)
    ? { ...props, "data-loc": source.fileName.replace(/^` + nsProject + `:/, "") + ":" + source.lineNumber + ":" + source.columnNumber }
    : props, key, isStatic, source, self);
`

// keyPlaceholder stands for the key of the dependencies until it is known. It is
// as long, so that no source map has to move.
var keyPlaceholder = strings.Repeat("_", depsKeyChars)

// preview bundles the project's modules and leaves those of packages in files of
// their own.
func (b *Builder) preview(ctx context.Context, p *project, files shelf) ([]api.Message, error) {
	app := newBundle(p)
	app.reach = func(dep dependency, kind api.ResolveKind) api.OnResolveResult {
		app.use(dep)
		if dep.esm && resolutionKind(kind) == api.ResolveJSImportStatement {
			return api.OnResolveResult{Path: previewAddress(keyPlaceholder, dep), External: true}
		}
		return app.bridge(dep, "")
	}
	options := app.options()
	options.JSXDev = true
	options.JSXImportSource = jsxPrefix + p.config.jsxSource
	options.Sourcemap = api.SourceMapInline
	options.SourcesContent = api.SourcesContentInclude
	options.ChunkNames = appDir + "/[name]-[hash]"
	out, messages, err := run(ctx, options)
	if err != nil || len(messages) > 0 {
		return messages, err
	}
	deps := sortedDependencies(app.used)
	pre, messages, err := b.dependencies(ctx, p.mode, p.packages, deps)
	if err != nil || len(messages) > 0 {
		return messages, err
	}
	key := depsKey(p.mode, p.packages, deps)
	out.dropStyles(p.pages)
	for name, content := range out.files {
		content = bytes.ReplaceAll(content, []byte(keyPlaceholder), []byte(key))
		content = app.closeBridges(content, out.meta[name], func(dep dependency) string { return previewAddress(key, dep) })
		content = withEnv(content, p.env)
		files.put(name, content, strings.HasPrefix(name, "assets/"))
	}
	for _, file := range pre.Files {
		files[file.Path] = file
	}
	p.renderPages(files, &out, func(*page) string { return links("stylesheet", pre.styles()) })
	return nil, nil
}

func previewAddress(key string, dep dependency) string {
	return "/" + depsDir + "/" + key + "/" + dep.id() + ".js"
}
