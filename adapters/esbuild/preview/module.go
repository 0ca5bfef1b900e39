package preview

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"sync/atomic"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

// module is what a preview makes of one module of the project, before the versions of its
// imports are known. It is immutable, except for written.
type module struct {
	id      moduleID
	address string
	// code is the script, or the style sheet if a page links it.
	code []byte
	// sourceMap maps the code to the source; nil if there is none.
	sourceMap []byte
	// style is the style sheet that the module puts into the page.
	style *string
	// imports are the project's modules that this one imports, without duplicates.
	imports []moduleID
	// needed are the packages' modules that it imports, by name. bridges are those that
	// it refers to by a free name.
	needed  map[string]project.Dependency
	bridges map[string]project.Dependency
	// files are the files that it refers to by addresses that change with their content.
	files []build.File
	// exports are the names that it exports, except those of export *.
	exports []string
	// lenient modules may re-export names that do not exist, because those may be types.
	lenient bool
	links   linkage
	refresh refresh
	// footer registers the module with the page's runtime.
	footer string
	// sum is the digest of all other fields.
	sum    []byte
	madeOf *project.Trace
	// written caches the last text that was written of the module.
	written atomic.Pointer[moduleText]
}

// moduleText is the text of a module that imports certain versions of other modules.
type moduleText struct {
	key  string
	text []byte
}

// maxMapBytes bounds the source map of a module, which contains its source. A larger
// module has no map: nobody reads such a file line by line.
const maxMapBytes = 2 << 20

// maxModulesBytes bounds the cached modules.
const maxModulesBytes = 96 << 20

// size is the memory that the module takes, in bytes.
func (m *module) size() int64 {
	size := int64(2*len(m.code)+len(m.sourceMap)) + m.madeOf.Size() + 1000
	if m.style != nil {
		size += int64(len(*m.style))
	}
	for _, file := range m.files {
		size += int64(len(file.Content))
	}
	return size
}

// module makes a module, or takes it from the cache if the sources still give the answers
// that its trace recorded. Mistakes in the sources are messages; the module then has only
// its imports.
func (b *Builder) module(ctx context.Context, p *project.Project, id moduleID) (made *module, messages []api.Message, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = core.Wrap(core.CodeUnavailable, fmt.Errorf("%v", cause), "the builder failed")
		}
	}()
	key, messages := moduleKey(p, id)
	if len(messages) > 0 {
		return nil, messages, nil
	}
	if known, found := b.modules.Get(key); found && known.madeOf.Holds(p.Src) {
		return known, nil, nil
	}
	traced := project.NewTrace(p.Src, id.name)
	own := *p
	own.Src = traced
	made, messages, err = makeModule(ctx, &own, id)
	if err != nil || len(messages) > 0 {
		return made, messages, err
	}
	traced.Rest()
	made.madeOf, made.sum = traced, made.digest()
	b.modules.Put(key, made)
	return made, nil, nil
}

// moduleKey is the cache key of a module. It changes with everything that affects the
// module and that its trace does not record.
func moduleKey(p *project.Project, id moduleID) (string, []api.Message) {
	digest := sha256.New()
	fmt.Fprintf(digest, "%q %q %q %q %q %q\n", id.namespace, id.name, id.suffix, p.Packages.Key, p.Packages.Dir, p.Settings)
	switch script, inline := project.InlineScript(p.Pages, id.name, id.suffix); {
	case inline:
		digest.Write([]byte(script))
	case id.namespace != project.NsJSX && id.namespace != nsPackage:
		content, err := p.Src.Read(id.name, limitOf(p, id))
		if err != nil {
			return "", []api.Message{{Text: err.Error(), Location: &api.Location{File: id.name, Namespace: project.NsProject}}}
		}
		digest.Write(content)
	}
	return hex.EncodeToString(digest.Sum(nil)), nil
}

// digestSettings returns a digest of the settings that all modules of a project share.
func digestSettings(p *project.Project) {
	p.Settings = project.SaltOf(fmt.Sprintf("%q %q %+v %q %s %q %q", p.Config.Raw(), p.Config.JSXSource, p.Config.Aliases, p.Config.BaseURLs, project.JSONText(p.Env), p.Config.Define, p.Config.Renames))
}

// limitOf returns the maximum size of a source: sources that are parsed must be smaller
// than those that are copied.
func limitOf(p *project.Project, id moduleID) int64 {
	switch project.LoaderOf(id.name) {
	case api.LoaderFile, api.LoaderNone:
		return project.MaxAssetBytes
	}
	if id.namespace == project.NsAddress {
		return project.MaxAssetBytes
	}
	return project.MaxModuleBytes
}

// makeModule makes a module of any kind.
func makeModule(ctx context.Context, p *project.Project, id moduleID) (*module, []api.Message, error) {
	loader := api.LoaderJS
	_, inline := project.InlineScript(p.Pages, id.name, id.suffix)
	switch {
	case id.namespace == nsLink:
		return makeStyle(ctx, p, id)
	case id.namespace == project.NsAddress:
		loader = api.LoaderFile
	case id.namespace == project.NsWorker:
		return makeScript(ctx, p, id, loader)
	case id.namespace != project.NsJSX && !inline:
		var err error
		if loader, err = project.SuffixLoader(id.name, id.suffix, project.LoaderOf(id.name)); err != nil {
			return nil, []api.Message{{Text: err.Error(), Location: &api.Location{File: id.name, Namespace: id.namespace}}}, nil
		}
	}
	switch loader {
	case api.LoaderCSS, api.LoaderLocalCSS:
		return makeStyle(ctx, p, id)
	case api.LoaderFile:
		return makeAsset(p, id)
	}
	return makeScript(ctx, p, id, loader)
}

// makeAsset makes a module that exports a file's address.
func makeAsset(p *project.Project, id moduleID) (*module, []api.Message, error) {
	content, err := contentOf(p, id)
	if err != nil {
		return nil, []api.Message{{Text: err.Error(), Location: &api.Location{File: id.name, Namespace: id.namespace}}}, nil
	}
	sum := sha256.Sum256(content)
	ext := path.Ext(id.name)
	stem := project.UnsafeInName.ReplaceAllString(path.Base(id.name[:len(id.name)-len(ext)]), "_")
	name := fmt.Sprintf("assets/%s-%X%s", stem, sum[:4], project.UnsafeInName.ReplaceAllString(ext, "_"))
	return &module{
		id: id, address: addressOf(p, id), exports: []string{"default"},
		code:  fmt.Appendf(nil, "export default %s;\n", project.JSONText("/"+name)),
		files: []build.File{{Path: name, Content: content, Immutable: true}},
	}, nil, nil
}

func contentOf(p *project.Project, id moduleID) ([]byte, error) {
	if id.namespace != nsPackage {
		return p.Src.Read(id.name, project.MaxAssetBytes)
	}
	result, err := p.Packages.Load(api.OnLoadArgs{Path: id.name, Suffix: id.suffix})
	if err != nil {
		return nil, err
	}
	return []byte(*result.Contents), nil
}

// makeScript makes a module from a source that esbuild parses.
func makeScript(ctx context.Context, p *project.Project, id moduleID, loader api.Loader) (*module, []api.Message, error) {
	t := newTransform(p, id)
	out, messages, err := project.Run(ctx, t.scriptOptions())
	if err != nil || len(messages) > 0 {
		return &module{id: id, imports: t.imports}, messages, err
	}
	about := out.Meta[project.Transformed+".js"]
	made := &module{
		id: id, address: addressOf(p, id), code: out.Files[project.Transformed+".js"], sourceMap: plainMap(p, id, out.Files[project.Transformed+".js.map"]),
		imports: t.imports, needed: t.Used, bridges: make(map[string]project.Dependency), exports: about.Exports,
		files:   t.Kept,
		lenient: loader == api.LoaderTS || loader == api.LoaderTSX,
	}
	for _, name := range project.BridgesIn(about) {
		made.bridges[name] = t.Bundle.Bridges[name]
	}
	slices.Sort(made.exports)
	if id.namespace == project.NsProject && loader != api.LoaderJSON && loader != api.LoaderText && loader != api.LoaderDataURL {
		read := outline(made.code)
		made.refresh, made.links = readRefresh(read, made.exports, t.react), readLinkage(made.code, read)
		made.footer = made.refresh.footer(made.address)
	}
	return made, nil, nil
}

// digest covers the whole module, except the versions of other modules.
func (m *module) digest() []byte {
	digest := sha256.New()
	if m.style != nil {
		fmt.Fprintf(digest, "%q\n", *m.style)
	}
	fmt.Fprintf(digest, "%s\n", m.footer)
	digest.Write(m.code)
	return digest.Sum(nil)
}

// plainMap gives a source map's sources their names in the project, and puts the original
// text of the module into it.
func plainMap(p *project.Project, id moduleID, text []byte) []byte {
	var parsed struct {
		Version        int      `json:"version"`
		Sources        []string `json:"sources"`
		SourcesContent []string `json:"sourcesContent"`
		Mappings       string   `json:"mappings"`
		Names          []string `json:"names"`
	}
	if len(text) > maxMapBytes || json.Unmarshal(text, &parsed) != nil {
		return nil
	}
	for i, source := range parsed.Sources {
		parsed.Sources[i] = plainSource(source)
		if content, err := p.Src.Read(id.name, project.MaxModuleBytes); err == nil && source == project.NsProject+":"+id.name && i < len(parsed.SourcesContent) {
			parsed.SourcesContent[i] = string(content)
		}
	}
	// The header of a module takes one line.
	parsed.Mappings = ";" + parsed.Mappings
	result, err := json.Marshal(parsed)
	if err != nil {
		return nil
	}
	return result
}
