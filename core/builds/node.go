package builds

import (
	"context"
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/toolchain"
)

// Available returns nil if projects of RuntimeNode can be made here, else
// core.CodeSandboxUnavailable with what to install.
func (m *Maker) Available(ctx context.Context) error { return m.deps.Tools.Available(ctx) }

// Install installs the packages of a plan of RuntimeNode. Errors that the project's
// members can fix are diagnostics. say gets the lines of output.
func (m *Maker) Install(ctx context.Context, project core.ID, plan Plan, say func(string)) ([]core.Diagnostic, error) {
	var heard OutputTail
	outcome, err := m.deps.Tools.Install(ctx, project, plan.Tools.Packages, toolchain.Task{
		Line: plan.Tools.Install,
		Say:  func(line string) { heard.Add(line); say(line) },
	})
	if err != nil || outcome.Good() {
		return nil, err
	}
	return m.blameInstall(ctx, project, outcome, heard.Since(0)), nil
}

// blameInstall says why packages could not be installed, at the entry of package.json
// for the missing one.
func (m *Maker) blameInstall(ctx context.Context, project core.ID, how toolchain.Outcome, said []string) []core.Diagnostic {
	var told []string
	for _, line := range said {
		if text, found := strings.CutPrefix(line, "npm error "); found && !strings.HasPrefix(text, "A complete log") {
			told = append(told, text)
		}
	}
	if len(told) == 0 {
		told = said
	}
	blamed := ExplainFailure("npm install", how, nil)
	if told = told[:min(len(told), maxQuoted)]; len(told) > 0 {
		blamed[0].Message = cutMessage(blamed[0].Message + ":\n" + strings.Join(told, "\n"))
	}
	blamed[0].Path, blamed[0].Line, blamed[0].Column = ManifestPath, 1, 1
	files, err := m.deps.Sources.View(ctx, project)
	if err != nil {
		return blamed
	}
	asked, err := readManifest(files)
	if err != nil || asked.source == nil {
		return blamed
	}
	if name := asked.longestIn(strings.ReplaceAll(strings.Join(told, "\n"), "%2f", "/")); name != "" {
		return []core.Diagnostic{diagnosticAt(asked.source, asked.offsetOfEntry(name), blamed[0].Message)}
	}
	return blamed
}

// longestIn returns the longest name of a package that a text has: "react" is part of
// "react-dom".
func (m manifest) longestIn(text string) string {
	longest := ""
	for _, name := range slices.Sorted(slices.Values(m.packages)) {
		if len(name) > len(longest) && strings.Contains(text, name) {
			longest = name
		}
	}
	return longest
}

// Serve starts the development server of a plan of RuntimeNode, whose packages are
// installed. A project without a server has diagnostics.
func (m *Maker) Serve(ctx context.Context, project core.ID, plan Plan, say func(string)) (toolchain.Server, []core.Diagnostic, error) {
	if plan.Tools.Serve == "" {
		return nil, []core.Diagnostic{{Path: ManifestPath, Line: 1, Column: 1, Message: `package.json has no script "dev" or "start": add one that starts a development server`}}, nil
	}
	server, err := m.deps.Tools.Serve(ctx, project, toolchain.Task{Line: plan.Tools.Serve, Env: serverEnv(plan.Tools.Env), Say: say})
	return server, nil, err
}

// makeSite builds a site with the project's own tools, within a time limit.
func (m *Maker) makeSite(ctx context.Context, project core.ID, plan Plan) (build.Result, error) {
	made, err := m.runBuild(ctx, project, plan)
	if errors.Is(err, context.DeadlineExceeded) {
		err = core.Wrap(core.CodeUnavailable, err, "the project's own tools did not finish in time: try again when the machine is less busy")
	}
	return made, err
}

func (m *Maker) runBuild(ctx context.Context, project core.ID, plan Plan) (build.Result, error) {
	if plan.Tools.Build == "" {
		return failed(core.Diagnostic{Path: ManifestPath, Line: 1, Column: 1, Message: `package.json has no script "build": add one that builds the site`}), nil
	}
	wrong, err := m.Install(ctx, project, plan, func(string) {})
	if err != nil || len(wrong) > 0 {
		return failed(wrong...), err
	}
	files, err := m.deps.Sources.View(ctx, project)
	if err != nil {
		return build.Result{}, err
	}
	env, err := m.publicEnv(ctx, project, plan.asked)
	if err != nil {
		return build.Result{}, err
	}
	var heard OutputTail
	built, err := m.deps.Tools.Build(ctx, project, toolchain.BuildTask{
		Task: toolchain.Task{Line: plan.Tools.Build, Env: env, Say: heard.Add}, Files: files, Outputs: plan.Tools.Outputs,
	})
	switch {
	case err != nil:
		return build.Result{}, err
	case !built.Good():
		return failed(ExplainFailure("the build", built.Outcome, heard.Since(0))...), nil
	case built.TooLarge:
		return failed(core.Diagnostic{Path: built.Output, Message: "the build produced more than a site may have: 20,000 files, 256 MiB in total"}), nil
	case built.Output == "":
		return failed(core.Diagnostic{Message: "the build produced no site: none of " + strings.Join(plan.Tools.Outputs, ", ") +
			" has an index.html. A site consists of static files: configure a project that needs a server at run time for static output (SvelteKit: adapter-static, Next: output \"export\", Nuxt: nuxt generate)"}), nil
	}
	return build.Result{Files: siteFiles(built.Files)}, nil
}

func failed(wrong ...core.Diagnostic) build.Result { return build.Result{Diagnostics: wrong} }

// hashed matches names that change with their content: bundlers append eight or more
// characters of a digest to the name, or replace it, in a directory of their own.
var hashed = regexp.MustCompile(`(?:^|/)(?:assets|_astro|_nuxt|_next/static(?:/[\w-]+)*|_app/immutable(?:/[\w-]+)*|static/(?:js|css|media)|chunks)/(?:[^/]*[.-])?[A-Za-z0-9_-]{8,}\.[a-z0-9.]+$`)

// digest distinguishes a digest from a word.
var digest = regexp.MustCompile(`[0-9A-Z_]`)

func siteFiles(files []toolchain.File) []build.File {
	site := make([]build.File, len(files))
	for i, file := range files {
		site[i] = build.File{Path: file.Path, Content: file.Content, Immutable: isHashed(file.Path)}
	}
	return site
}

// isHashed reports whether a name has a digest of the content. In doubt it returns
// false: browsers then only revalidate the file.
func isHashed(name string) bool {
	if !hashed.MatchString(name) {
		return false
	}
	base, _, _ := strings.Cut(path.Base(name), path.Ext(name))
	if len(base) > 8 {
		base = base[len(base)-8:]
	}
	return digest.MatchString(base)
}
