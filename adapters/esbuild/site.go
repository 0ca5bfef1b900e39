package esbuild

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// vendors is what a site has bundled ahead: the CommonJS modules of packages that
// the project imports, and further modules inside of these that packages import
// as well, so that there is one of each.
type vendors struct {
	wanted, shared []dependency
	// none leaves everything to one bundle.
	none bool
}

func (v vendors) all() []dependency {
	if v.none {
		return nil
	}
	all := append(slices.Clone(v.wanted), v.shared...)
	slices.SortFunc(all, func(a, b dependency) int { return strings.Compare(a.name, b.name) })
	return all
}

// site bundles a project for its visitors. Packages in CommonJS form are bundled
// ahead, because nothing of them can be left out and they change seldom. Which
// these are shows only when all modules are read; so a run guesses what the last
// site on the same packages had, and one that guessed wrongly is done again. A
// guess that holds is what the project alone leads to, so the result never depends
// on it.
func (b *Builder) site(ctx context.Context, p *project, files shelf) ([]api.Message, error) {
	sheets := newHeadStart(p.styles)
	defer sheets.wait()
	p.styles = sheets.finish
	last := p.packages.key + "\x00" + p.packages.dir
	guess, known := b.vendors.get(last)
	if !known {
		wanted, messages, err := wantedVendors(ctx, p, sheets)
		if err != nil || len(messages) > 0 {
			return messages, err
		}
		guess.wanted = wanted
	}
	for {
		pre, messages, err := b.dependencies(ctx, p.mode, p.packages, guess.all())
		if err != nil || len(messages) > 0 {
			return messages, err
		}
		app := newBundle(p)
		reachVendors(app, pre, guess)
		out, messages, err := run(ctx, siteOptions(app))
		if err != nil || len(messages) > 0 {
			return messages, err
		}
		better, holds := judge(app, guess, &out, pre)
		if !holds {
			guess = better
			continue
		}
		if !guess.none {
			b.vendors.put(last, guess)
		}
		shelve(app, files, &out, pre)
		return nil, nil
	}
}

// wantedVendors reads the project's own modules to make a first guess. Style sheets
// say nothing about it, so they are only begun.
func wantedVendors(ctx context.Context, p *project, sheets *headStart) ([]dependency, []api.Message, error) {
	own := *p
	own.styles = sheets.begin
	app := newBundle(&own)
	app.reach = func(dep dependency, kind api.ResolveKind) api.OnResolveResult {
		if !dep.esm && kind != api.ResolveJSDynamicImport {
			app.use(dep)
		}
		return api.OnResolveResult{Path: dep.id(), External: true}
	}
	_, messages, err := run(ctx, siteOptions(app))
	return sortedDependencies(app.used), messages, err
}

// judge says whether a guess held, and if not, what to do next. Each step either
// settles what the project wants, adds to what is shared, or gives up bundling
// ahead, so there are few.
func judge(b *bundle, guess vendors, out *output, pre *prebuilt) (better vendors, holds bool) {
	if guess.none {
		return guess, true
	}
	if wanted := sortedDependencies(b.used); !slices.Equal(wanted, guess.wanted) {
		return vendors{wanted: wanted}, false
	}
	for _, dep := range overlap(b.packages, out, pre) {
		if dep.esm || slices.Contains(guess.shared, dep) {
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

// isBridged reports whether something reached dep.
func isBridged(b *bundle, dep dependency) bool {
	for _, reached := range b.bridges {
		if reached.name == dep.name {
			return true
		}
	}
	return false
}

func siteOptions(b *bundle) api.BuildOptions {
	options := b.options()
	options.MinifyWhitespace, options.MinifyIdentifiers, options.MinifySyntax = true, true, true
	options.EntryNames = "assets/[name]-[hash]"
	options.ChunkNames = "assets/[name]-[hash]"
	return options
}

// reachVendors leads imports of packages in CommonJS form to what was bundled
// ahead, and leaves all others to esbuild.
func reachVendors(b *bundle, pre *prebuilt, guess vendors) {
	b.reach = func(dep dependency, kind api.ResolveKind) api.OnResolveResult {
		entry, known := pre.Entries[dep.name]
		switch {
		case guess.none || dep.esm || kind == api.ResolveJSDynamicImport && !known:
			return api.OnResolveResult{}
		case kind != api.ResolveJSDynamicImport:
			b.use(dep)
		}
		return b.bridge(dep, saltOf(entry.Path))
	}
	b.elsewhere = make(map[string]bool, len(pre.Entries))
	for name := range pre.Entries {
		_, inside, _ := cutLast(name, "node_modules/")
		b.elsewhere[packageOf(inside)] = true
	}
	b.inPackages = func(file string) (api.OnResolveResult, bool) {
		name := b.packages.name(file)
		entry, known := pre.Entries[name]
		if !known {
			return api.OnResolveResult{}, false
		}
		return b.bridge(dependency{path: file, name: name}, saltOf(entry.Path)), true
	}
}

// overlap lists the modules that went both into the bundle and into what was
// bundled ahead: there would be two of each, with a state of its own.
func overlap(t *packageTree, out *output, pre *prebuilt) []dependency {
	var both []dependency
	for input := range out.inputs {
		file := filepath.Join(t.workingDir(), input)
		name := t.name(file)
		if _, found := slices.BinarySearch(pre.Inputs, name); found && !strings.Contains(input, ":") {
			both = append(both, dependency{path: file, name: name, esm: t.isESM(file)})
		}
	}
	slices.SortFunc(both, func(a, b dependency) int { return strings.Compare(a.name, b.name) })
	return both
}

// shelve puts what was built on the shelf.
func shelve(b *bundle, files shelf, out *output, pre *prebuilt) {
	out.dropStyles(b.pages)
	for name, content := range out.files {
		content = b.closeBridges(content, out.meta[name], func(dep dependency) string { return "/" + pre.Entries[dep.name].Path })
		files.put(name, withEnv(content, b.env), true)
	}
	for _, file := range append(slices.Clone(pre.Files), b.kept...) {
		files[file.Path] = file
	}
	b.renderPages(files, out, func(p *page) string {
		return links("stylesheet", pre.styles()) + links("modulepreload", preloadsOf(b, p, out, pre))
	})
}

// preloadsOf lists the modules that a page needs before it can start, besides those
// that it names.
func preloadsOf(b *bundle, p *page, out *output, pre *prebuilt) []string {
	var needed []string
	for _, ref := range p.refs {
		name, found := out.fileOf(ref.entry)
		if !found || !strings.HasSuffix(name, ".js") {
			continue
		}
		chunks := out.importedBy(name)
		for _, file := range append([]string{name}, chunks...) {
			for _, bridge := range bridgesIn(out.meta[file]) {
				entry := pre.Entries[b.bridges[bridge].name]
				needed = append(append(needed, entry.Path), entry.Preload...)
			}
		}
		needed = append(needed, chunks...)
	}
	slices.Sort(needed)
	return slices.Compact(needed)
}
