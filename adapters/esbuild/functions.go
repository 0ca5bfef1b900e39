package esbuild

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

// maxFunctionBytes bounds the code of one function: what a runner accepts.
const maxFunctionBytes = 8 << 20

// functions adds the code of the project's functions to the result: one CommonJS script each, with
// everything that it imports. It has no top-level await then, which no function needs.
//
// Their packages are resolved without a browser's conditions, so they have a tree of their own,
// because a tree remembers what it resolved.
func (b *Builder) functions(p *project.Project, src *project.Sources, req build.Request, files project.Files) ([]api.Message, error) {
	sources, messages := functionSources(src)
	maps.DeleteFunc(files, func(name string, _ build.File) bool { return strings.HasPrefix(name, core.FunctionBundles+"/") })
	if len(sources) == 0 || len(messages) > 0 {
		return messages, nil
	}
	req.PackagesKey += "\x00functions"
	tree, err := b.tree(req)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the packages cannot be read")
	}
	own := *p
	own.Config.Define = nil // Vite does not make functions
	own.Mode, own.Packages, own.Pages = build.ModeSite, tree, []*project.Page{project.PageOf(sources)}
	bundle := project.NewBundle(&own)
	bundle.Reach = func(project.Dependency, api.ResolveKind) api.OnResolveResult { return api.OnResolveResult{} }
	out, messages, err := project.Run(p.Ctx, functionOptions(bundle))
	if err != nil || len(messages) > 0 {
		return messages, err
	}
	written := make(map[string]string)
	for _, source := range sources {
		name, _ := core.FunctionOf(source)
		code := project.WithEnv(out.Files[name+".js"], own.Env)
		if len(code) > maxFunctionBytes {
			messages = append(messages, about(source, fmt.Sprintf("the function has more than %d MiB with all that it imports", maxFunctionBytes>>20)))
		}
		files.Put(core.FunctionBundle(name), code, false)
		files.Put(core.FunctionSourceMap(name), withPlainSources(out.Files[name+".js.map"]), false)
		schedule, wrong := scheduleOf(src, source)
		messages = append(messages, wrong...)
		if schedule != "" {
			written[name] = schedule
		}
	}
	if len(written) > 0 {
		text, err := json.Marshal(written)
		if err != nil {
			return nil, err
		}
		files.Put(core.FunctionSchedulesPath, text, false)
	}
	return messages, nil
}

// functionSources returns the files that are functions.
func functionSources(src *project.Sources) (sources []string, messages []api.Message) {
	seen := make(map[string]string)
	deeper := func(name string) bool { _, found := core.FunctionOf(name); return !found }
	for _, file := range src.Walk(core.FunctionsDir, deeper) {
		name, _ := core.FunctionOf(file)
		if first := seen[name]; first != "" {
			messages = append(messages, about(file, fmt.Sprintf("%s is the function %q already: rename one of them", first, name)))
			continue
		}
		seen[name] = file
		sources = append(sources, file)
	}
	if len(sources) > core.MaxFunctions {
		messages = append(messages, about(core.FunctionsDir, fmt.Sprintf("the project has more than %d functions", core.MaxFunctions)))
	}
	return sources, messages
}

func about(file, problem string) api.Message {
	return api.Message{Text: problem, Location: &api.Location{File: file, Namespace: project.NsProject}}
}

// functionOptions are for an engine that is neither a browser nor Node.
func functionOptions(b *project.Bundle) api.BuildOptions {
	options := b.Options()
	options.Splitting, options.Format, options.Platform = false, api.FormatCommonJS, api.PlatformNeutral
	options.MainFields = []string{"module", "main"}
	options.Conditions = []string{"worker", "module", "production"}
	// What pages have in place of Node's globals is not for programs.
	maps.DeleteFunc(options.Define, func(name string, _ string) bool {
		return name == "global" || strings.HasPrefix(name, "process.env") && name != "process.env.NODE_ENV"
	})
	options.EntryNames = "[name]"
	options.Sourcemap, options.SourcesContent = api.SourceMapExternal, api.SourcesContentExclude
	return options
}
