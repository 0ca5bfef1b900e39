package esbuild

import (
	"context"
	"io/fs"
	"path"
	"runtime"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/esbuild/prebuilt"
	"github.com/atelierhq/atelier/adapters/esbuild/preview"
	"github.com/atelierhq/atelier/adapters/esbuild/project"
	"github.com/atelierhq/atelier/adapters/esbuild/site"
	"github.com/atelierhq/atelier/adapters/esbuild/styles"
	"github.com/atelierhq/atelier/adapters/esbuild/viteconfig"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/core/lru"
	"github.com/atelierhq/atelier/ports/build"
)

// Builder implements build.Builder and build.SyntaxChecker. It is safe for concurrent use; as many
// builds run at the same time as there are processors.
type Builder struct {
	// semaphore has a place for each processor.
	semaphore *fair.Semaphore
	sites     *site.Builder
	previews  *preview.Builder
	trees     *lru.Cache[string, *project.Packages]
	// printed caches the plain style sheets of previews.
	printed  *lru.Cache[string, string]
	tailwind *styles.Stylist
	vite     *viteconfig.Reader
}

var _ build.Builder = (*Builder)(nil)

// The sizes of the caches in memory.
const (
	maxPrintedBytes = 16 << 20
	maxTrees        = 256
)

// New returns a Builder that keeps pre-built dependencies in cacheDir, which it creates. Several
// processes may share the directory. If it cannot be used, the error has code core.CodeUnavailable.
func New(cacheDir string) (*Builder, error) {
	sets, err := prebuilt.Open(cacheDir)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the build cache cannot be opened")
	}
	return &Builder{
		semaphore: fair.New(fair.Bounds{Capacity: int64(runtime.NumCPU()), Reserve: 1}),
		sites:     site.New(sets),
		previews:  preview.New(sets),
		trees:     lru.New[string](maxTrees, func(*project.Packages) int64 { return 1 }),
		printed:   lru.New[string](maxPrintedBytes, func(css string) int64 { return int64(len(css)) + 200 }),
		tailwind:  styles.New(),
		vite:      viteconfig.New(viteconfig.DefaultLimits()),
	}, nil
}

// Build implements build.Builder.
func (b *Builder) Build(ctx context.Context, req build.Request) (build.Result, error) {
	leave, err := b.enter(ctx)
	if err != nil {
		return build.Result{}, err
	}
	defer leave()
	src := project.NewSources(req.Files)
	p, err := b.open(ctx, req, src)
	if err != nil {
		return build.Result{}, err
	}
	files, messages, err := b.build(ctx, p, req, src)
	switch {
	case ctx.Err() != nil:
		return build.Result{}, ctx.Err()
	case src.Broken() != nil:
		return build.Result{}, core.Wrap(core.CodeUnavailable, src.Broken(), "the sources cannot be read")
	case err != nil:
		return build.Result{}, err
	case len(messages) > 0:
		return build.Result{Diagnostics: project.Diagnostics(messages, src), Warnings: p.Config.Warnings}, nil
	}
	return build.Result{Files: files.Sorted(), Warnings: p.Config.Warnings}, nil
}

// ViteConfig implements build.Builder.
func (b *Builder) ViteConfig(ctx context.Context, files fs.FS, env map[string]string) (build.ViteConfig, error) {
	leave, err := b.enter(ctx)
	if err != nil {
		return build.ViteConfig{}, err
	}
	defer leave()
	src := project.NewSources(files)
	config, err := b.vite.Read(ctx, src, env)
	switch {
	case ctx.Err() != nil:
		return build.ViteConfig{}, ctx.Err()
	case src.Broken() != nil:
		err = src.Broken()
	}
	if err != nil {
		return build.ViteConfig{}, core.Wrap(core.CodeUnavailable, err, "the configuration of Vite cannot be read")
	}
	return config, nil
}

// enter takes a place in the semaphore. The returned function releases it.
func (b *Builder) enter(ctx context.Context) (leave func(), err error) {
	return b.semaphore.Enter(ctx)
}

// open reads what a build needs to know of a project before its pages. Functions are built as for a site;
// of the compiler options, the project's own tools will tell.
func (b *Builder) open(ctx context.Context, req build.Request, src *project.Sources) (*project.Project, error) {
	tree, err := b.tree(req)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the packages cannot be read")
	}
	config := project.ReadConfig(src, tree, req.Vite.Of(req.Mode))
	if req.Mode == build.ModeFunctions {
		req.Mode, config.Warnings = build.ModeSite, nil
	}
	return &project.Project{Ctx: ctx, Mode: req.Mode, Src: src, Config: config, Env: project.ReadEnv(src, req), Packages: tree, Printed: b.printed}, nil
}

func (b *Builder) build(ctx context.Context, p *project.Project, req build.Request, src *project.Sources) (project.Files, []api.Message, error) {
	files := make(project.Files)
	if req.Mode == build.ModeFunctions {
		messages, err := b.functions(p, src, req, files)
		return files, messages, err
	}
	pages, messages := project.ReadPages(src)
	if messages = append(p.Config.Messages, messages...); len(messages) > 0 {
		return nil, messages, nil
	}
	p.Pages = pages
	styles := &styles.Failure{}
	p.Styles = styles.Bind(ctx, b.tailwind)
	if messages := copyAssets(p, files); len(messages) > 0 {
		return nil, messages, nil
	}
	messages, err := b.pages(ctx, p, files)
	if failed := styles.Failure(); failed != nil && err == nil {
		return nil, nil, failed
	}
	if err != nil {
		return nil, nil, err
	}
	wrong, err := b.functions(p, src, req, files)
	return files, append(messages, wrong...), err
}

// pages adds a project's pages, with all that they load, to the result.
func (b *Builder) pages(ctx context.Context, p *project.Project, files project.Files) ([]api.Message, error) {
	switch {
	case len(project.EntriesOf(p.Pages)) == 0:
		p.RenderPages(files, &project.Output{}, func(*project.Page) string { return "" })
		return nil, nil
	case p.Mode == build.ModeSite:
		return b.sites.Build(ctx, p, files)
	}
	return b.previews.Build(ctx, p, files)
}

// tree returns the packages of the request, from the cache if possible.
func (b *Builder) tree(req build.Request) (*project.Packages, error) {
	key := req.PackagesKey + "\x00" + req.Packages
	if tree, found := b.trees.Get(key); found {
		return tree, nil
	}
	tree, err := project.OpenPackages(req.Packages, req.PackagesKey)
	if err == nil {
		b.trees.Put(key, tree)
	}
	return tree, err
}

// copyAssets adds what needs no bundling to the result: public files, files that pages name, and
// all files of a plain project.
func copyAssets(p *project.Project, files project.Files) []api.Message {
	var messages []api.Message
	copyFile := func(from, to string) {
		content, err := p.Src.Read(from, project.MaxAssetBytes)
		if err != nil {
			messages = append(messages, api.Message{Text: err.Error(), Location: &api.Location{File: from, Namespace: project.NsProject}})
			return
		}
		files.Put(to, content, false)
	}
	for _, name := range p.Src.Walk("public", func(string) bool { return false }) {
		copyFile(name, strings.TrimPrefix(name, "public/"))
	}
	if isPlain(p) {
		for _, name := range p.Src.Walk(".", func(name string) bool { return project.Hidden(name) || name == "public" || name == core.FunctionsDir }) {
			if !isTooling(name) && name != core.BackendSchemaPath && name != core.BackendSeedPath {
				copyFile(name, name)
			}
		}
	}
	for _, page := range p.Pages {
		for _, name := range page.Assets {
			copyFile(name, name)
		}
	}
	return messages
}

// isPlain reports whether a project consists of pages and files as a web server would serve them:
// no dependencies, and nothing that needs a bundler.
func isPlain(p *project.Project) bool {
	for _, e := range project.EntriesOf(p.Pages) {
		switch path.Ext(e.Name) {
		case ".ts", ".tsx", ".jsx", ".mts":
			return false
		}
	}
	return p.Packages.Dir == ""
}

// rulesFile holds a project's instructions for agents.
const rulesFile = "AGENTS.md"

// isTooling reports whether a file is for development and not for visitors.
func isTooling(name string) bool {
	switch base := path.Base(name); {
	case base == "package.json", base == "package-lock.json", base == "bun.lockb", strings.HasPrefix(base, "tsconfig"), strings.HasPrefix(base, "README"), base == rulesFile:
		return true
	case strings.HasSuffix(base, ".lock"), strings.HasPrefix(base, "pnpm-"), strings.HasPrefix(base, "vite.config."), strings.HasPrefix(base, "eslint.config."):
		return true
	}
	switch path.Ext(name) {
	case ".ts", ".tsx", ".jsx", ".html":
		return true
	}
	return false
}
