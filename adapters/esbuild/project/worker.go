package project

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/ports/build"
)

// NsWorker holds modules that start workers.
const NsWorker = "worker"

// The suffixes of imports that yield only the address of a worker's script. Without
// classic, the script is a module.
const (
	workerAddress       = "?worker&url&classic"
	moduleWorkerAddress = "?worker&url"
)

// maxWorkerDepth bounds how many workers may start one another.
const maxWorkerDepth = 4

// workerRequest is the parsed suffix of an import, after the "?".
type workerRequest struct {
	shared, inline, address, classic bool
}

// workerOf parses a suffix. The second result is false if it is not about workers.
func workerOf(suffix string) (request workerRequest, is bool) {
	words := strings.Split(strings.TrimPrefix(suffix, "?"), "&")
	request.shared = slices.Contains(words, "sharedworker")
	request.inline, request.address = slices.Contains(words, "inline"), slices.Contains(words, "url")
	request.classic = slices.Contains(words, "classic")
	return request, request.shared || slices.Contains(words, "worker")
}

// loadWorker loads the module that starts a worker. The worker's script is one file with
// all its imports, because a worker shares no module with the page.
func (b *Bundle) loadWorker(args api.OnLoadArgs) (api.OnLoadResult, error) {
	request, _ := workerOf(args.Suffix)
	if slices.Contains(b.workers, args.Path) || len(b.workers) >= maxWorkerDepth {
		return api.OnLoadResult{}, fmt.Errorf("workers start one another more than %d levels deep, or in a cycle", maxWorkerDepth)
	}
	script, messages, err := b.bundleWorker(args.Path, request)
	if err != nil || len(messages) > 0 {
		return api.OnLoadResult{Errors: messages}, err
	}
	return Loaded(request.module(args.Path, script, b.keepFile), api.LoaderJS), nil
}

// module returns the text of the module. keep adds a file to the result and returns its
// address.
func (r workerRequest) module(name string, script []byte, keep func(name string, content []byte) string) string {
	kind, options := "Worker", "{ type: \"module\", name: options?.name }"
	if r.shared {
		kind = "SharedWorker"
	}
	if r.classic {
		options = "options"
	}
	address := "URL.createObjectURL(new Blob([" + JSONText(string(script)) + "], { type: \"text/javascript\" }))"
	if !r.inline {
		address = JSONText(keep(name, script))
	}
	if r.address {
		return "export default " + address + ";\n"
	}
	return fmt.Sprintf("export default function WorkerOfFile(options) {\n  return new %s(%s, %s);\n}\n", kind, address, options)
}

// keepFile adds a file to the bundle beside esbuild's output.
func (b *Bundle) keepFile(name string, content []byte) string {
	stem := strings.TrimSuffix(path.Base(name), path.Ext(name))
	sum := sha256.Sum256(content)
	file := build.File{Path: fmt.Sprintf("assets/%s-%X.js", UnsafeInName.ReplaceAllString(stem, "_"), sum[:4]), Content: content, Immutable: true}
	b.keep(file)
	return "/" + file.Path
}

func (b *Bundle) keep(files ...build.File) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Kept = append(b.Kept, files...)
}

// bundleWorker bundles a worker's script together with the modules of packages.
func (b *Bundle) bundleWorker(name string, request workerRequest) ([]byte, []api.Message, error) {
	own := *b.Project
	own.workers = append(slices.Clone(b.workers), name)
	worker := NewBundle(&own)
	worker.whole = true
	worker.Reach = func(Dependency, api.ResolveKind) api.OnResolveResult { return api.OnResolveResult{} }
	options := worker.Options()
	options.EntryPointsAdvanced = []api.EntryPoint{{InputPath: EntryPrefix + entryOfWorker, OutputPath: Transformed}}
	options.Splitting = false
	if request.classic {
		options.Format = api.FormatIIFE
	}
	if b.Mode == build.ModeSite {
		options.MinifyWhitespace, options.MinifyIdentifiers, options.MinifySyntax = true, true, true
	} else {
		options.Sourcemap = api.SourceMapInline
	}
	out, messages, err := Run(b.Ctx, options)
	if err != nil || len(messages) > 0 {
		return nil, messages, err
	}
	b.keep(worker.Kept...)
	for _, at := range slices.Sorted(maps.Keys(out.Files)) {
		if strings.HasPrefix(at, "assets/") {
			b.keep(build.File{Path: at, Content: out.Files[at], Immutable: true})
		}
	}
	return WithEnv(out.Files[Transformed+".js"], b.Env), nil, nil
}

// entryOfWorker is the entry point of the worker that is being bundled.
const entryOfWorker = "worker"

// beginWorker resolves the entry point to the worker's script.
func (b *Bundle) beginWorker() api.OnResolveResult {
	return b.moduleAt(filepath.ToSlash(b.workers[len(b.workers)-1]), "")
}

// loadWebAssembly loads the module that creates an instance of a WebAssembly file.
func loadWebAssembly(name string) api.OnLoadResult {
	return Loaded(fmt.Sprintf(`import address from %s;
export default async (imports = {}) => (await WebAssembly.instantiateStreaming(fetch(address), imports)).instance;
`, JSONText("./"+path.Base(name)+"?url")), api.LoaderJS)
}

// Transformed is the path that esbuild gives its output.
const Transformed = "module"
