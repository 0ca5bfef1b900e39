package project

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// Packages is the node_modules of a request, with cached facts about it. It outlives a
// build, because its key changes with its content. esbuild's goroutines use it
// concurrently.
type Packages struct {
	Key string
	Dir string
	// roots are the directories in which files of packages may lie, each with a trailing
	// separator.
	roots []string

	mu       sync.Mutex
	resolved map[resolveKey]Dependency
	formats  map[string]bool
}

type resolveKey struct {
	spec string
	kind api.ResolveKind
}

// Dependency is the module to which an import of a package leads.
type Dependency struct {
	// Path is the real path of a file, "" if the package is not installed.
	Path string
	// Name is the path below its root. It is the same wherever the store lies.
	Name string
	ESM  bool
}

// OpenPackages finds the directories of the packages. A request without packages
// has a tree without directories.
func OpenPackages(dir, key string) (*Packages, error) {
	tree := &Packages{Key: key, resolved: make(map[resolveKey]Dependency), formats: make(map[string]bool)}
	if dir == "" {
		return tree, nil
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	tree.Dir = real
	tree.roots = []string{real + string(filepath.Separator)}
	installed, err := installedPackages(filepath.Join(real, "node_modules"))
	if err != nil {
		return nil, err
	}
	for _, link := range installed {
		target, err := filepath.EvalSymlinks(link)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a dangling link is a package that is not installed
		}
		if err != nil {
			return nil, err
		}
		tree.addRoot(target)
	}
	return tree, nil
}

// addRoot allows the store of a linked package: the directory above the one that holds
// the package's node_modules.
func (t *Packages) addRoot(target string) {
	above, _, found := CutLast(target, string(filepath.Separator)+"node_modules"+string(filepath.Separator))
	if !found || t.rootOf(target) != "" {
		return
	}
	t.roots = append(t.roots, filepath.Dir(above)+string(filepath.Separator))
}

// CutLast is strings.Cut at the last separator.
func CutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// installedPackages lists the packages that a project depends on directly.
func installedPackages(modules string) ([]string, error) {
	entries, err := os.ReadDir(modules)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var found []string
	for _, entry := range entries {
		at := filepath.Join(modules, entry.Name())
		if !strings.HasPrefix(entry.Name(), "@") {
			found = append(found, at)
			continue
		}
		scoped, err := os.ReadDir(at)
		if err != nil {
			return nil, err
		}
		for _, inner := range scoped {
			found = append(found, filepath.Join(at, inner.Name()))
		}
	}
	return found, nil
}

// rootOf returns the root in which a real path lies, or "".
func (t *Packages) rootOf(file string) string {
	for _, root := range t.roots {
		if strings.HasPrefix(file, root) {
			return root
		}
	}
	return ""
}

// Holds reports whether a real path belongs to a package's file.
func (t *Packages) Holds(file string) bool {
	root := t.rootOf(file)
	return root != "" && strings.Contains(file[len(root)-1:], string(filepath.Separator)+"node_modules"+string(filepath.Separator))
}

// Name returns the path of a package's file below its root, with slashes.
func (t *Packages) Name(file string) string {
	return filepath.ToSlash(strings.TrimPrefix(file, t.rootOf(file)))
}

// resolve resolves an import of the project.
func (t *Packages) resolve(b api.PluginBuild, spec string, kind api.ResolveKind) Dependency {
	if t.Dir == "" {
		return Dependency{}
	}
	at := resolveKey{spec, ResolutionKind(kind)}
	t.mu.Lock()
	known, found := t.resolved[at]
	t.mu.Unlock()
	if found {
		return known
	}
	result := b.Resolve(spec, api.ResolveOptions{ResolveDir: t.Dir, Kind: kind, PluginData: NativeResolution{}})
	var dep Dependency
	if len(result.Errors) == 0 && result.Namespace == "file" && t.Holds(result.Path) {
		dep = Dependency{Path: result.Path, Name: t.Name(result.Path), ESM: t.IsESM(result.Path)}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.resolved[at] = dep
	return dep
}

// NativeResolution marks resolutions that esbuild performs itself.
type NativeResolution struct{}

// ResolutionKind merges the kinds that package.json does not distinguish.
func ResolutionKind(kind api.ResolveKind) api.ResolveKind {
	if kind == api.ResolveJSDynamicImport {
		return api.ResolveJSImportStatement
	}
	return kind
}

// IsESM reports whether a module is an ES module. esbuild parses the module, alone.
func (t *Packages) IsESM(file string) bool {
	t.mu.Lock()
	known, found := t.formats[file]
	t.mu.Unlock()
	if found {
		return known
	}
	esm := t.parseFormat(file)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.formats[file] = esm
	return esm
}

func (t *Packages) parseFormat(file string) bool {
	switch filepath.Ext(file) {
	case ".mjs", ".mts":
		return true
	case ".cjs", ".cts":
		return false
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	alone := api.Plugin{Name: "alone", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: args.Path, External: true}, nil
		})
	}}
	result := api.Build(api.BuildOptions{
		Stdin:       &api.StdinOptions{Contents: string(GuardPackage(text)), Sourcefile: "module", Loader: LoaderOf(file)},
		Bundle:      true,
		Metafile:    true,
		Format:      api.FormatESModule,
		LogLevel:    api.LogLevelSilent,
		TsconfigRaw: "{}",
		Plugins:     []api.Plugin{alone},
	})
	var meta struct {
		Inputs map[string]struct {
			Format string `json:"format"`
		} `json:"inputs"`
	}
	if len(result.Errors) > 0 || json.Unmarshal([]byte(result.Metafile), &meta) != nil {
		return false
	}
	for _, input := range meta.Inputs {
		return input.Format == "esm"
	}
	return false
}

// UnsafeInName matches characters that names of result files must not contain.
var UnsafeInName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// ID returns the name of a dependency in addresses and identifiers.
func (d Dependency) ID() string {
	_, inside, found := CutLast(d.Name, "node_modules/")
	if !found {
		inside = d.Name
	}
	inside = strings.TrimSuffix(inside, path.Ext(inside))
	sum := sha256.Sum256([]byte(d.Name))
	return strings.Trim(UnsafeInName.ReplaceAllString(inside, "_"), "._") + "-" + hex.EncodeToString(sum[:4])
}

// isModule distinguishes modules, which can be pre-bundled, from assets and style sheets.
func (d Dependency) isModule() bool {
	switch LoaderOf(d.Path) {
	case api.LoaderJS, api.LoaderJSX, api.LoaderTS, api.LoaderTSX:
		return true
	}
	return false
}

// PackageOf returns the name of the package that an import refers to.
func PackageOf(spec string) string {
	parts := strings.SplitN(spec, "/", 3)
	if strings.HasPrefix(spec, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// builtins are the modules of Node.
var builtins = []string{
	"assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram", "diagnostics_channel",
	"dns", "domain", "events", "fs", "http", "http2", "https", "inspector", "module", "net", "os", "path", "perf_hooks", "process",
	"punycode", "querystring", "readline", "repl", "stream", "string_decoder", "sys", "timers", "tls", "trace_events", "tty", "url",
	"util", "v8", "vm", "wasi", "worker_threads", "zlib",
}

// IsBuiltin reports whether spec names a module of Node.
func IsBuiltin(spec string) bool {
	name, marked := strings.CutPrefix(spec, "node:")
	return marked || slices.Contains(builtins, PackageOf(name))
}

// packageAddress is the prefix of addresses of packages' files in a style sheet that was
// moved out of its package.
const packageAddress = "atelier-package:"

// AssetAddress writes the address of a file that a sheet in dir names.
func (t *Packages) AssetAddress(dir, address string) string {
	name, suffix := address, ""
	if i := strings.IndexAny(address, "?#"); i > 0 {
		name, suffix = address[:i], address[i:]
	}
	file := filepath.Join(dir, filepath.FromSlash(name))
	for i, root := range t.roots {
		if below, inside := strings.CutPrefix(file, root); inside {
			return packageAddress + strconv.Itoa(i) + "/" + filepath.ToSlash(below) + suffix
		}
	}
	return address
}

// resolveAddress finds the file of an address that AssetAddress wrote. A hand-written
// address can only reach files of the packages.
func (t *Packages) resolveAddress(address string) (api.OnResolveResult, error) {
	name, _, _ := strings.Cut(strings.TrimPrefix(address, packageAddress), "?")
	name, _, _ = strings.Cut(name, "#")
	number, below, _ := strings.Cut(name, "/")
	root, err := strconv.Atoi(number)
	if err != nil || root < 0 || root >= len(t.roots) {
		return api.OnResolveResult{}, fmt.Errorf("%q does not exist", below)
	}
	file, err := filepath.EvalSymlinks(filepath.Join(t.roots[root], filepath.FromSlash(below)))
	if err != nil || !t.Holds(file) {
		return api.OnResolveResult{}, fmt.Errorf("%q does not exist", below)
	}
	return api.OnResolveResult{Path: file, Namespace: "file"}, nil
}

// ReadFile reads a file of a package by its real path.
func (t *Packages) ReadFile(file string) ([]byte, error) {
	info, err := os.Lstat(file)
	if !t.Holds(file) || err != nil || !info.Mode().IsRegular() || info.Size() > MaxModuleBytes {
		return nil, fmt.Errorf("a file of a package cannot be read")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("a file of a package cannot be read")
	}
	return text, nil
}

// Some modules of Node need nothing that browsers lack. Projects get these from here, unless
// a package of the name is installed; the others cannot exist in a page.
//
//go:embed node/*.js
var nodeModules embed.FS

// nodeDir is where sources seem to have them: no project has files in node_modules.
const nodeDir = "node_modules/.node"

// nodeModule returns the file that replaces a module of Node.
func nodeModule(spec string) (string, bool) {
	name := strings.TrimPrefix(spec, "node:")
	name = strings.TrimSuffix(strings.TrimSuffix(name, "/"), "/posix")
	_, err := nodeModules.Open("node/" + name + ".js")
	return path.Join(nodeDir, name+".js"), err == nil && !strings.Contains(name, "/")
}

// ownModule returns the text of a file in nodeDir.
func ownModule(name string) ([]byte, bool) {
	if path.Dir(name) != nodeDir {
		return nil, false
	}
	text, err := nodeModules.ReadFile("node/" + path.Base(name))
	return text, err == nil
}
