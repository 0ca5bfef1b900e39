package esbuild

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

// depsDir holds the pre-built dependencies in a preview.
const depsDir = "@deps"

// dependencyFormat must change whenever a change of the program changes the output for
// the same input.
const dependencyFormat = "1"

// prebuiltSet is a set of pre-bundled dependencies. It is immutable.
type prebuiltSet struct {
	Files []build.File `json:"-"`
	// Entries maps dependencies to their files.
	Entries map[string]prebuiltEntry `json:"entries"`
	// Inputs are the names of all modules inside.
	Inputs []string `json:"inputs"`
	// Sums are the digests of the files by path, for the disk cache.
	Sums map[string]string `json:"sums"`
}

// prebuiltEntry says how a page loads a dependency.
type prebuiltEntry struct {
	// Path is the module; Preload are the other modules that it imports statically.
	Path    string   `json:"path"`
	Preload []string `json:"preload,omitempty"`
	CSS     string   `json:"css,omitempty"`
}

// depsKey returns the cache key of a set of dependencies for a mode.
func depsKey(mode build.Mode, tree *project.Packages, deps []project.Dependency) string {
	digest := sha256.New()
	fmt.Fprintf(digest, "%s %s %q\n", dependencyFormat, mode, tree.Key)
	for _, dep := range deps {
		fmt.Fprintf(digest, "%q\n", dep.Name)
	}
	return hex.EncodeToString(digest.Sum(nil)[:depsKeyChars/2])
}

const depsKeyChars = 32

// sortedDependencies sorts a set by name.
func sortedDependencies(set map[string]project.Dependency) []project.Dependency {
	return slices.SortedFunc(maps.Values(set), func(a, b project.Dependency) int { return strings.Compare(a.Name, b.Name) })
}

// dependencies returns a set of dependencies from memory, from the disk, or newly
// bundled. Mistakes in the packages are messages.
func (b *Builder) dependencies(ctx context.Context, mode build.Mode, tree *project.Packages, deps []project.Dependency) (*prebuiltSet, []api.Message, error) {
	if len(deps) == 0 {
		return &prebuiltSet{}, nil, nil
	}
	key := depsKey(mode, tree, deps)
	if found, ok := b.prebuilt.Get(key); ok {
		return found, nil, nil
	}
	// Concurrent callers share one call (single flight). It goes on when its callers give
	// up, because another caller will want the result soon.
	call := b.bundling.Start(ctx, key, func(ctx context.Context) (bundledSet, error) {
		set, messages, err := b.makeDependencies(ctx, key, mode, tree, deps)
		return bundledSet{set, messages}, err
	})
	bundled, err := call.Wait(ctx)
	return bundled.set, bundled.messages, err
}

// bundledSet is the outcome of bundling a set of dependencies: the set or mistakes in it.
type bundledSet struct {
	set      *prebuiltSet
	messages []api.Message
}

func (b *Builder) makeDependencies(ctx context.Context, key string, mode build.Mode, tree *project.Packages, deps []project.Dependency) (*prebuiltSet, []api.Message, error) {
	if found, ok := b.disk.read(key); ok {
		b.prebuilt.Put(key, found)
		return found, nil, nil
	}
	result, messages, err := prebuild(ctx, key, mode, tree, deps)
	if err != nil || len(messages) > 0 {
		return nil, messages, err
	}
	if err := b.disk.write(key, result); err != nil {
		return nil, nil, core.Wrap(core.CodeUnavailable, err, "the build cache cannot be written")
	}
	b.prebuilt.Put(key, result)
	return result, nil, nil
}

// prebuild bundles dependencies with code splitting, so that shared modules exist once.
func prebuild(ctx context.Context, key string, mode build.Mode, tree *project.Packages, deps []project.Dependency) (*prebuiltSet, []api.Message, error) {
	options := api.BuildOptions{
		AbsWorkingDir:     tree.WorkingDir(),
		Outdir:            filepath.Join(tree.WorkingDir(), project.Outdir),
		Bundle:            true,
		Splitting:         true,
		Metafile:          true,
		Format:            api.FormatESModule,
		Platform:          api.PlatformBrowser,
		Target:            api.ES2022,
		Conditions:        []string{"module", "browser", project.ModeNames[mode]},
		TsconfigRaw:       "{}",
		Define:            map[string]string{"process.env.NODE_ENV": project.JSONText(project.ModeNames[mode])},
		Loader:            project.LoaderTable(),
		MinifyWhitespace:  true,
		MinifySyntax:      true,
		MinifyIdentifiers: mode == build.ModeSite,
		LegalComments:     api.LegalCommentsEndOfFile,
		LogLevel:          api.LogLevelSilent,
		Charset:           api.CharsetUTF8,
		Plugins:           []api.Plugin{{Name: "packages", Setup: func(pb api.PluginBuild) { setupPackages(tree, pb) }}},
	}
	options.EntryNames, options.ChunkNames, options.AssetNames, options.PublicPath = "assets/[name]-[hash]", "assets/shared-[hash]", "assets/[name]-[hash]", "/"
	if mode == build.ModePreview {
		dir := depsDir + "/" + key + "/"
		options.EntryNames, options.ChunkNames, options.AssetNames = dir+"[name]", dir+"shared-[hash]", dir+"[name]-[hash]"
	}
	for _, dep := range deps {
		options.EntryPointsAdvanced = append(options.EntryPointsAdvanced, api.EntryPoint{InputPath: dep.Path, OutputPath: dep.ID()})
	}
	out, messages, err := project.Run(ctx, options)
	if err != nil || len(messages) > 0 {
		return nil, messages, err
	}
	return readPrebuilt(out, tree, deps), nil, nil
}

// setupPackages is the esbuild plugin for bundles of packages alone.
func setupPackages(t *project.Packages, pb api.PluginBuild) {
	pb.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (result api.OnResolveResult, err error) {
		defer project.Contain(&err)
		if _, own := args.PluginData.(project.Native); own {
			return result, nil
		}
		return project.ResolveBuiltin(pb, args), nil
	})
	pb.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "file"}, func(args api.OnLoadArgs) (result api.OnLoadResult, err error) {
		defer project.Contain(&err)
		return t.Load(args)
	})
	pb.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: project.NsEmpty}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
		return project.Loaded("", api.LoaderEmpty), nil
	})
}

func readPrebuilt(out project.Output, tree *project.Packages, deps []project.Dependency) *prebuiltSet {
	result := &prebuiltSet{Entries: make(map[string]prebuiltEntry), Sums: make(map[string]string)}
	for _, name := range slices.Sorted(maps.Keys(out.Files)) {
		result.Files = append(result.Files, build.File{Path: name, Content: out.Files[name], Immutable: true})
		result.Sums[name] = sumOf(out.Files[name])
	}
	for input := range out.Inputs {
		result.Inputs = append(result.Inputs, tree.Name(filepath.Join(tree.WorkingDir(), input)))
	}
	slices.Sort(result.Inputs)
	entries := make(map[string]string)
	for name, about := range out.Meta {
		if about.EntryPoint != "" && path.Ext(name) == ".js" {
			entries[tree.Name(filepath.Join(tree.WorkingDir(), about.EntryPoint))] = name
		}
	}
	for _, dep := range deps {
		name := entries[dep.Name]
		result.Entries[dep.Name] = prebuiltEntry{Path: name, Preload: out.ImportedBy(name), CSS: out.Meta[name].CSSBundle}
	}
	return result
}

// styles lists the style sheets that the dependencies bring.
func (p *prebuiltSet) styles() []string {
	var styles []string
	for _, name := range slices.Sorted(maps.Keys(p.Entries)) {
		if css := p.Entries[name].CSS; css != "" {
			styles = append(styles, css)
		}
	}
	return slices.Compact(styles)
}

// size is the memory that the set takes, in bytes.
func (p *prebuiltSet) size() int64 {
	var size int64
	for _, file := range p.Files {
		size += int64(len(file.Content))
	}
	return size
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// encode and decode convert a set to its form on the disk, without its files.
func (p *prebuiltSet) encode() ([]byte, error) { return json.Marshal(p) }

func decodePrebuilt(text []byte) (*prebuiltSet, error) {
	result := new(prebuiltSet)
	return result, json.Unmarshal(text, result)
}
