package esbuild

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// site bundles a project for its visitors. Packages in CommonJS form are bundled
// ahead, because nothing of them can be left out and they change seldom. Which
// these are shows only when the project's modules are read; so the first run
// guesses what the last site on the same packages had, and a run that guessed
// wrongly is done again. The result never depends on the guess.
func (b *Builder) site(ctx context.Context, p *project, files shelf) ([]api.Message, error) {
	guess := p.packages.key + "\x00" + p.packages.dir
	ahead, _ := b.vendors.get(guess)
	for split := true; ; {
		pre, messages, err := b.dependencies(ctx, p.mode, p.packages, ahead)
		if err != nil || len(messages) > 0 {
			return messages, err
		}
		app := newBundle(p)
		app.reachVendors(pre, split)
		out, messages, err := run(ctx, app.siteOptions())
		if err != nil || len(messages) > 0 {
			return messages, err
		}
		wanted := sortedDependencies(app.used)
		switch {
		case !slices.Equal(wanted, ahead):
			ahead = wanted
			continue
		case split && p.packages.overlap(&out, pre):
			ahead, split = nil, false
			continue
		}
		if split {
			b.vendors.put(guess, ahead)
		}
		app.shelve(files, &out, pre)
		return nil, nil
	}
}

func (b *bundle) siteOptions() api.BuildOptions {
	options := b.options()
	options.MinifyWhitespace, options.MinifyIdentifiers, options.MinifySyntax = true, true, true
	options.EntryNames = "assets/[name]-[hash]"
	options.ChunkNames = "assets/[name]-[hash]"
	return options
}

// reachVendors leads imports of packages in CommonJS form to what was bundled
// ahead, and leaves all others to esbuild. Without split, all are left to it.
func (b *bundle) reachVendors(pre *prebuilt, split bool) {
	b.reach = func(dep dependency, kind api.ResolveKind) api.OnResolveResult {
		if !split || dep.esm {
			return api.OnResolveResult{}
		}
		entry, known := pre.Entries[dep.name]
		if kind == api.ResolveJSDynamicImport && !known {
			return api.OnResolveResult{}
		}
		b.use(dep)
		return b.bridge(dep, saltOf(entry.Path))
	}
	if len(pre.Entries) == 0 {
		return
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

func saltOf(address string) string {
	sum := sha256.Sum256([]byte(address))
	return hex.EncodeToString(sum[:8])
}

// overlap reports whether a module went both into the bundle and into what was
// bundled ahead: there would be two of it, with a state each.
func (t *packageTree) overlap(out *output, pre *prebuilt) bool {
	for input := range out.inputs {
		name := t.name(filepath.Join(t.workingDir(), input))
		if _, found := slices.BinarySearch(pre.Inputs, name); found && !strings.Contains(input, ":") {
			return true
		}
	}
	return false
}

// shelve puts what was built on the shelf.
func (b *bundle) shelve(files shelf, out *output, pre *prebuilt) {
	for name, content := range out.files {
		content = b.closeBridges(content, out.meta[name], func(dep dependency) string { return "/" + pre.Entries[dep.name].Path })
		files.put(name, content, true)
	}
	for _, file := range pre.Files {
		files[file.Path] = file
	}
	b.renderPages(files, out, func(p *page) string {
		return links("stylesheet", pre.styles()) + links("modulepreload", b.preloads(p, out, pre))
	})
}

// preloads lists the modules that a page needs before it can start, besides those
// that it names.
func (b *bundle) preloads(p *page, out *output, pre *prebuilt) []string {
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
