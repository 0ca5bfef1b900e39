package prebuilt

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
	"github.com/atelierhq/atelier/ports/build"
)

// Dir holds the pre-built dependencies in a preview.
const Dir = "@deps"

// dependencyFormat must change whenever a change of the program changes the output for
// the same input.
const dependencyFormat = "1"

// Set is a set of pre-bundled dependencies. It is immutable.
type Set struct {
	Files []build.File `json:"-"`
	// Entries maps dependencies to their files.
	Entries map[string]Entry `json:"entries"`
	// Inputs are the names of all modules inside.
	Inputs []string `json:"inputs"`
	// Sums are the digests of the files by path, for the disk cache.
	Sums map[string]string `json:"sums"`
}

// Entry says how a page loads a dependency.
type Entry struct {
	// Path is the module; Preload are the other modules that it imports statically.
	Path    string   `json:"path"`
	Preload []string `json:"preload,omitempty"`
	CSS     string   `json:"css,omitempty"`
}

// Key returns the cache key of a set of dependencies for a mode.
func Key(mode build.Mode, tree *project.Packages, deps []project.Dependency) string {
	digest := sha256.New()
	fmt.Fprintf(digest, "%s %s %q\n", dependencyFormat, mode, tree.Key)
	for _, dep := range deps {
		fmt.Fprintf(digest, "%q\n", dep.Name)
	}
	return hex.EncodeToString(digest.Sum(nil)[:KeyChars/2])
}

// KeyChars is the length of a key.
const KeyChars = 32

// Sorted sorts a set by name.
func Sorted(set map[string]project.Dependency) []project.Dependency {
	return slices.SortedFunc(maps.Values(set), func(a, b project.Dependency) int { return strings.Compare(a.Name, b.Name) })
}

// bundle bundles dependencies with code splitting, so that shared modules exist once.
func bundle(ctx context.Context, key string, mode build.Mode, tree *project.Packages, deps []project.Dependency) (*Set, []api.Message, error) {
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
		dir := Dir + "/" + key + "/"
		options.EntryNames, options.ChunkNames, options.AssetNames = dir+"[name]", dir+"shared-[hash]", dir+"[name]-[hash]"
	}
	for _, dep := range deps {
		options.EntryPointsAdvanced = append(options.EntryPointsAdvanced, api.EntryPoint{InputPath: dep.Path, OutputPath: dep.ID()})
	}
	out, messages, err := project.Run(ctx, options)
	if err != nil || len(messages) > 0 {
		return nil, messages, err
	}
	return readSet(out, tree, deps), nil, nil
}

// setupPackages is the esbuild plugin for bundles of packages alone.
func setupPackages(t *project.Packages, pb api.PluginBuild) {
	pb.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (result api.OnResolveResult, err error) {
		defer project.Contain(&err)
		if _, own := args.PluginData.(project.NativeResolution); own {
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

func readSet(out project.Output, tree *project.Packages, deps []project.Dependency) *Set {
	result := &Set{Entries: make(map[string]Entry), Sums: make(map[string]string)}
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
		result.Entries[dep.Name] = Entry{Path: name, Preload: out.ImportedBy(name), CSS: out.Meta[name].CSSBundle}
	}
	return result
}

// Styles lists the style sheets that the dependencies bring.
func (p *Set) Styles() []string {
	var styles []string
	for _, name := range slices.Sorted(maps.Keys(p.Entries)) {
		if css := p.Entries[name].CSS; css != "" {
			styles = append(styles, css)
		}
	}
	return slices.Compact(styles)
}

// size is the memory that the set takes, in bytes.
func (p *Set) size() int64 {
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
func (p *Set) encode() ([]byte, error) { return json.Marshal(p) }

func decodeSet(text []byte) (*Set, error) {
	result := new(Set)
	return result, json.Unmarshal(text, result)
}
