package esbuild

import (
	"context"
	"path"
	"runtime"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"golang.org/x/sync/singleflight"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/build"
)

// Builder implements build.Builder and build.SyntaxChecker. It may be used by many goroutines; as many
// builds run at once as there are processors.
type Builder struct {
	slots    *fair.Semaphore
	disk     diskCache
	prebuilt *recent[*prebuilt]
	trees    *recent[*packageTree]
	// vendors remembers what the last site on a set of packages had bundled ahead.
	vendors *recent[vendors]
	// modules remembers what previews made of modules.
	modules *recent[*module]
	// printed remembers what previews made of plain style sheets.
	printed  *recent[string]
	tailwind *stylist
	flights  singleflight.Group
}

var _ build.Builder = (*Builder)(nil)

// What the caches in memory may hold.
const (
	maxPrebuiltBytes = 256 << 20
	maxPrintedBytes  = 16 << 20
	maxTrees         = 256
)

// New returns a Builder that keeps pre-built dependencies in cacheDir, which it
// makes. Several processes may share one. A directory that cannot be used has
// code core.CodeUnavailable.
func New(cacheDir string) (*Builder, error) {
	disk, err := openDiskCache(cacheDir)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the build cache cannot be opened")
	}
	return &Builder{
		slots:    fair.New(fair.Bounds{Places: int64(runtime.NumCPU()), Kept: 1}),
		disk:     disk,
		prebuilt: newRecent(maxPrebuiltBytes, (*prebuilt).size),
		trees:    newRecent(maxTrees, func(*packageTree) int64 { return 1 }),
		vendors:  newRecent(maxTrees, func(vendors) int64 { return 1 }),
		modules:  newRecent(maxModulesBytes, (*module).size),
		printed:  newRecent(maxPrintedBytes, func(css string) int64 { return int64(len(css)) + 200 }),
		tailwind: newStylist(),
	}, nil
}

// Build implements build.Builder.
func (b *Builder) Build(ctx context.Context, req build.Request) (build.Result, error) {
	leave, err := b.enter(ctx)
	if err != nil {
		return build.Result{}, err
	}
	defer leave()
	src := newSources(req.Files)
	files, messages, err := b.build(ctx, req, src)
	switch {
	case ctx.Err() != nil:
		return build.Result{}, ctx.Err()
	case src.broken() != nil:
		return build.Result{}, core.Wrap(core.CodeUnavailable, src.broken(), "the sources cannot be read")
	case err != nil:
		return build.Result{}, err
	case len(messages) > 0:
		return build.Result{Diagnostics: diagnostics(messages, src)}, nil
	}
	return build.Result{Files: files.sorted()}, nil
}

// enter waits for a processor. What it returns gives the processor back.
func (b *Builder) enter(ctx context.Context) (leave func(), err error) {
	return b.slots.Enter(ctx)
}

func (b *Builder) build(ctx context.Context, req build.Request, src *sources) (shelf, []api.Message, error) {
	tree, err := b.tree(req)
	if err != nil {
		return nil, nil, core.Wrap(core.CodeUnavailable, err, "the packages cannot be read")
	}
	config := readConfig(src)
	pages, messages := readPages(src)
	if messages = append(config.messages, messages...); len(messages) > 0 {
		return nil, messages, nil
	}
	p := &project{ctx: ctx, mode: req.Mode, src: src, config: config, env: readEnv(src, req), packages: tree, pages: pages, printed: b.printed}
	styles := &styleFailure{}
	p.styles = styles.bind(ctx, b.tailwind)
	files := make(shelf)
	if messages := copyAssets(p, files); len(messages) > 0 {
		return nil, messages, nil
	}
	if len(entriesOf(pages)) == 0 {
		p.renderPages(files, &output{}, func(*page) string { return "" })
		return files, nil, nil
	}
	if req.Mode == build.ModeSite {
		messages, err = b.site(ctx, p, files)
	} else {
		messages, err = b.preview(ctx, p, files)
	}
	if failed := styles.failure(); failed != nil && err == nil {
		return nil, nil, failed
	}
	return files, messages, err
}

// tree returns what is known of the request's packages.
func (b *Builder) tree(req build.Request) (*packageTree, error) {
	key := req.PackagesKey + "\x00" + req.Packages
	if tree, found := b.trees.get(key); found {
		return tree, nil
	}
	tree, err := openPackages(req.Packages, req.PackagesKey)
	if err == nil {
		b.trees.put(key, tree)
	}
	return tree, err
}

// copyAssets puts what needs no bundling on the shelf: public files, files that
// pages name, and all files of a project that has no other build than its pages.
func copyAssets(p *project, files shelf) []api.Message {
	var messages []api.Message
	copyFile := func(from, to string) {
		content, err := p.src.read(from, maxAssetBytes)
		if err != nil {
			messages = append(messages, api.Message{Text: err.Error(), Location: &api.Location{File: from, Namespace: nsProject}})
			return
		}
		files.put(to, content, false)
	}
	for _, name := range p.src.walk("public", func(string) bool { return false }) {
		copyFile(name, strings.TrimPrefix(name, "public/"))
	}
	if isPlain(p) {
		for _, name := range p.src.walk(".", func(name string) bool { return hidden(name) || name == "public" }) {
			if !isTooling(name) {
				copyFile(name, name)
			}
		}
	}
	for _, page := range p.pages {
		for _, name := range page.assets {
			copyFile(name, name)
		}
	}
	return messages
}

// isPlain reports whether a project is pages and files as a web server would serve
// them: no dependencies, and nothing that only a bundler understands.
func isPlain(p *project) bool {
	for _, e := range entriesOf(p.pages) {
		switch path.Ext(e.name) {
		case ".ts", ".tsx", ".jsx", ".mts":
			return false
		}
	}
	return p.packages.dir == ""
}

// rulesFile is what a project tells agents.
const rulesFile = "AGENTS.md"

// isTooling tells the files that are for development from those for visitors.
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
