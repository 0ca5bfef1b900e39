// Package site bundles projects for their visitors.
package site

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/esbuild/prebuilt"
	"github.com/atelierhq/atelier/adapters/esbuild/project"
	"github.com/atelierhq/atelier/core/lru"
)

// vendors is the pre-bundled part of a site. It holds the CommonJS modules of packages
// that the project imports, and modules inside these that packages import as well, so
// that each exists once.
type vendors struct {
	wanted, shared []project.Dependency
	// none leaves everything to one bundle.
	none bool
}

func (v vendors) all() []project.Dependency {
	if v.none {
		return nil
	}
	all := append(slices.Clone(v.wanted), v.shared...)
	slices.SortFunc(all, func(a, b project.Dependency) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Builder bundles sites. Many goroutines may use it.
type Builder struct {
	prebuilt *prebuilt.Cache
	// vendors caches what the last site on a set of packages had pre-bundled.
	vendors *lru.Cache[string, vendors]
}

// maxVendors bounds the sets of packages whose vendors are cached.
const maxVendors = 256

// New returns a builder that has bundled nothing yet.
func New(sets *prebuilt.Cache) *Builder {
	return &Builder{prebuilt: sets, vendors: lru.New[string](maxVendors, func(vendors) int64 { return 1 })}
}

// Build bundles a project for its visitors. CommonJS packages are pre-bundled, because no
// part of them can be left out and they rarely change. Which packages these are is known
// only after all modules have been read. So a run guesses the list of the last site on
// the same packages, and runs again if the guess was wrong. A correct guess depends on
// the project alone, so the result never depends on the guess. Mistakes in the
// sources are messages.
func (b *Builder) Build(ctx context.Context, p *project.Project, files project.Files) ([]api.Message, error) {
	sheets := project.NewStylePrefetch(p.Styles)
	defer sheets.Wait()
	p.Styles = sheets.Finish
	last := p.Packages.Key + "\x00" + p.Packages.Dir
	guess, known := b.vendors.Get(last)
	if !known {
		wanted, messages, err := wantedVendors(ctx, p, sheets)
		if err != nil || len(messages) > 0 {
			return messages, err
		}
		guess.wanted = wanted
	}
	for {
		pre, messages, err := b.prebuilt.Set(ctx, p.Mode, p.Packages, guess.all())
		if err != nil || len(messages) > 0 {
			return messages, err
		}
		app := project.NewBundle(p)
		reachVendors(app, pre, guess)
		out, messages, err := project.Run(ctx, siteOptions(app))
		if err != nil || len(messages) > 0 {
			return messages, err
		}
		better, holds := judge(app, guess, &out, pre)
		if !holds {
			guess = better
			continue
		}
		if !guess.none {
			b.vendors.Put(last, guess)
		}
		addOutput(app, files, &out, pre)
		return nil, nil
	}
}

// wantedVendors reads the project's own modules to make a first guess. Style sheets do
// not affect the guess, so their compilation is only started.
func wantedVendors(ctx context.Context, p *project.Project, sheets *project.StylePrefetch) ([]project.Dependency, []api.Message, error) {
	own := *p
	own.Styles = sheets.Begin
	app := project.NewBundle(&own)
	app.Reach = func(dep project.Dependency, kind api.ResolveKind) api.OnResolveResult {
		if !dep.ESM && kind != api.ResolveJSDynamicImport {
			app.Use(dep)
		}
		return api.OnResolveResult{Path: dep.ID(), External: true}
	}
	_, messages, err := project.Run(ctx, siteOptions(app))
	return prebuilt.Sorted(app.Used), messages, err
}

// judge decides whether a guess was correct and, if not, what to try next. Each step
// either settles what the project wants, adds to what is shared, or gives up
// pre-bundling, so there are few steps.
func judge(b *project.Bundle, guess vendors, out *project.Output, pre *prebuilt.Set) (better vendors, holds bool) {
	if guess.none {
		return guess, true
	}
	if wanted := prebuilt.Sorted(b.Used); !slices.Equal(wanted, guess.wanted) {
		return vendors{wanted: wanted}, false
	}
	for _, dep := range overlap(b.Packages, out, pre) {
		if dep.ESM || slices.Contains(guess.shared, dep) {
			return vendors{none: true}, false
		}
		better.shared = append(better.shared, dep)
	}
	holds = len(better.shared) == 0
	better.wanted = guess.wanted
	for _, dep := range guess.shared {
		if isBridged(b, dep) {
			better.shared = append(better.shared, dep)
		} else {
			holds = false
		}
	}
	return better, holds
}

// isBridged reports whether dep was imported.
func isBridged(b *project.Bundle, dep project.Dependency) bool {
	for _, reached := range b.Bridges {
		if reached.Name == dep.Name {
			return true
		}
	}
	return false
}

func siteOptions(b *project.Bundle) api.BuildOptions {
	options := b.Options()
	options.MinifyWhitespace, options.MinifyIdentifiers, options.MinifySyntax = true, true, true
	options.EntryNames = "assets/[name]-[hash]"
	options.ChunkNames = "assets/[name]-[hash]"
	return options
}

// reachVendors redirects imports of CommonJS packages to the pre-bundled files, and
// leaves all others to esbuild.
func reachVendors(b *project.Bundle, pre *prebuilt.Set, guess vendors) {
	b.Reach = func(dep project.Dependency, kind api.ResolveKind) api.OnResolveResult {
		entry, known := pre.Entries[dep.Name]
		switch {
		case guess.none || dep.ESM || kind == api.ResolveJSDynamicImport && !known:
			return api.OnResolveResult{}
		case kind != api.ResolveJSDynamicImport:
			b.Use(dep)
		}
		return b.Bridge(dep, project.SaltOf(entry.Path))
	}
	b.Elsewhere = make(map[string]bool, len(pre.Entries))
	for name := range pre.Entries {
		_, inside, _ := project.CutLast(name, "node_modules/")
		b.Elsewhere[project.PackageOf(inside)] = true
	}
	b.InPackages = func(file string) (api.OnResolveResult, bool) {
		name := b.Packages.Name(file)
		entry, known := pre.Entries[name]
		if !known {
			return api.OnResolveResult{}, false
		}
		return b.Bridge(project.Dependency{Path: file, Name: name}, project.SaltOf(entry.Path)), true
	}
}

// overlap lists the modules that are both in the bundle and in the pre-bundled files.
// Each of them would exist twice, with separate states.
func overlap(t *project.Packages, out *project.Output, pre *prebuilt.Set) []project.Dependency {
	var both []project.Dependency
	for input := range out.Inputs {
		file := filepath.Join(t.WorkingDir(), input)
		name := t.Name(file)
		if _, found := slices.BinarySearch(pre.Inputs, name); found && !strings.Contains(input, ":") {
			both = append(both, project.Dependency{Path: file, Name: name, ESM: t.IsESM(file)})
		}
	}
	slices.SortFunc(both, func(a, b project.Dependency) int { return strings.Compare(a.Name, b.Name) })
	return both
}

// addOutput adds what was built to the result.
func addOutput(b *project.Bundle, files project.Files, out *project.Output, pre *prebuilt.Set) {
	out.DropStyles(b.Pages)
	for name, content := range out.Files {
		content = b.CloseBridges(content, out.Meta[name], func(dep project.Dependency) string { return "/" + pre.Entries[dep.Name].Path })
		files.Put(name, project.WithEnv(content, b.Env), true)
	}
	for _, file := range append(slices.Clone(pre.Files), b.Kept...) {
		files[file.Path] = file
	}
	b.RenderPages(files, out, func(p *project.Page) string {
		return project.Links("stylesheet", pre.Styles()) + project.Links("modulepreload", preloadsOf(b, p, out, pre))
	})
}

// preloadsOf lists the modules that a page needs before it can start, beside those that
// it names.
func preloadsOf(b *project.Bundle, p *project.Page, out *project.Output, pre *prebuilt.Set) []string {
	var needed []string
	for _, ref := range p.Refs {
		name, found := out.FileOf(ref.Entry)
		if !found || !strings.HasSuffix(name, ".js") {
			continue
		}
		chunks := out.ImportedBy(name)
		for _, file := range append([]string{name}, chunks...) {
			for _, bridge := range project.BridgesIn(out.Meta[file]) {
				entry := pre.Entries[b.Bridges[bridge].Name]
				needed = append(append(needed, entry.Path), entry.Preload...)
			}
		}
		needed = append(needed, chunks...)
	}
	slices.Sort(needed)
	return slices.Compact(needed)
}
