package functions

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/lru"
	"github.com/atelierhq/atelier/core/sourcemap"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/functions"
	"github.com/atelierhq/atelier/ports/sites"
)

// Bounds of the caches: the functions of a deployment, and the bytes of code.
const (
	maxDeployments = 4096
	maxCodeBytes   = 64 << 20
)

// code finds the code of functions.
type code struct {
	deps Deps
	// deployments caches the functions of deployments, bodies the code by its digest.
	deployments *lru.Cache[core.ID, map[string]sites.Entry]
	bodies      *lru.Cache[string, []byte]
	// bundles caches the functions of projects without a build.
	bundles *lru.Cache[core.ID, bundle]
}

// bundle has a project's functions at a revision of its files.
type bundle struct {
	revision int64
	made     build.Result
}

func (b bundle) bytes() (size int64) {
	for _, file := range b.made.Files {
		size += int64(len(file.Content))
	}
	return size + 1
}

func newCode(deps Deps) *code {
	return &code{
		deps:        deps,
		deployments: lru.New[core.ID](maxDeployments, func(map[string]sites.Entry) int64 { return 1 }),
		bodies:      lru.New[string](maxCodeBytes, func(body []byte) int64 { return int64(len(body)) }),
		bundles:     lru.New[core.ID](maxCodeBytes, bundle.bytes),
	}
}

// script is the code of a function.
type script struct {
	code []byte
	// sourceMap reads the source map; empty without one.
	sourceMap func(ctx context.Context) []byte
}

// inScript matches a place in a function's code, as in functions.Failure.
var inScript = regexp.MustCompile(`(` + regexp.QuoteMeta(functions.ScriptName) + `):(\d+)(?::(\d+))?`)

// located returns a result whose places refer to the sources.
func (s script) located(ctx context.Context, result functions.Result) functions.Result {
	inCode := func(text string) bool { return strings.Contains(text, functions.ScriptName) }
	spoken := slices.ContainsFunc(result.Console, func(line functions.Line) bool { return inCode(line.Text) })
	if s.sourceMap == nil || !spoken && (result.Failure == nil || !inCode(result.Failure.Stack)) {
		return result
	}
	code := sourcemap.Parse(s.sourceMap(ctx))
	locate := func(text string) string {
		return sourcemap.Locate(text, inScript, func(string) *sourcemap.Map { return code })
	}
	result.Console = slices.Clone(result.Console)
	for i, line := range result.Console {
		result.Console[i].Text = locate(line.Text)
	}
	if result.Failure != nil {
		failure := *result.Failure
		failure.Stack = locate(failure.Stack)
		result.Failure = &failure
	}
	return result
}

// find returns the code of a function, or core.CodeNotFound.
func (c *code) find(ctx context.Context, project core.ID, env core.DataEnv, name string) (script, error) {
	if !core.IsFunctionName(name) {
		return script{}, core.NotFound("function")
	}
	if env == core.DataLive {
		return c.live(ctx, project, name)
	}
	return c.test(ctx, project, name)
}

// test returns the code of the current files, as the preview shows them.
func (c *code) test(ctx context.Context, project core.ID, name string) (script, error) {
	files, err := c.built(ctx, project)
	if err != nil {
		return script{}, err
	}
	content := func(path string) []byte {
		for _, file := range files {
			if file.Path == path {
				return file.Content
			}
		}
		return nil
	}
	found := content(core.FunctionBundle(name))
	if found == nil {
		return script{}, core.NotFound("function")
	}
	return script{found, func(context.Context) []byte { return content(core.FunctionSourceMap(name)) }}, nil
}

// bundle returns the functions in the current files of a project without a build, whose
// pages come from a development server.
func (c *code) bundle(ctx context.Context, project core.ID) ([]build.File, error) {
	state, err := c.deps.Store.Tables().Files.State(ctx, project)
	if err != nil {
		return nil, err
	}
	known, found := c.bundles.Get(project)
	if !found || known.revision != state.Revision {
		known.revision = state.Revision
		if known.made, err = c.deps.Bundler.Functions(ctx, project); err != nil {
			return nil, err
		}
		c.bundles.Put(project, known)
	}
	if wrong := known.made.Diagnostics; len(wrong) > 0 {
		return nil, core.Errorf(core.CodeUnavailable, "the functions cannot be bundled: %s:%d: %s", wrong[0].Path, wrong[0].Line, wrong[0].Message)
	}
	return known.made.Files, nil
}

// live returns the code of the live deployment.
func (c *code) live(ctx context.Context, id core.ID, name string) (script, error) {
	project, err := c.deps.Store.Tables().Projects.ByID(ctx, id)
	if err != nil {
		return script{}, err
	}
	if project.DeletedAt != nil || project.DeploymentID == nil {
		return script{}, core.NotFound("function")
	}
	return c.of(ctx, *project.DeploymentID, name)
}

// of returns the code of a deployment.
func (c *code) of(ctx context.Context, deployment core.ID, name string) (found script, err error) {
	known, err := c.deployed(ctx, deployment)
	if err != nil {
		return script{}, err
	}
	entry, isFunction := known[core.FunctionBundle(name)]
	if !isFunction || entry.Size > functions.MaxCodeBytes {
		return script{}, core.NotFound("function")
	}
	found.sourceMap = func(ctx context.Context) []byte {
		entry, hasMap := known[core.FunctionSourceMap(name)]
		if !hasMap || entry.Size > sourcemap.MaxBytes {
			return nil
		}
		text, err := c.read(ctx, deployment, entry)
		if err != nil {
			c.deps.Log.WarnContext(ctx, "could not read the source map of a function", "deployment", deployment, "function", name, "error", err)
		}
		return text
	}
	found.code, err = c.read(ctx, deployment, entry)
	return found, err
}

// read reads a file of a deployment, from the cache if possible.
func (c *code) read(ctx context.Context, deployment core.ID, entry sites.Entry) ([]byte, error) {
	if body, found := c.bodies.Get(entry.Digest); found {
		return body, nil
	}
	body, err := c.deps.Sites.Read(ctx, deployment, entry)
	if err != nil {
		return nil, err
	}
	c.bodies.Put(entry.Digest, body)
	return body, nil
}

// deployed returns the files of a deployment's functions by their paths.
func (c *code) deployed(ctx context.Context, deployment core.ID) (map[string]sites.Entry, error) {
	if known, isKnown := c.deployments.Get(deployment); isKnown {
		return known, nil
	}
	entries, err := c.deps.Sites.List(ctx, deployment)
	if err != nil {
		return nil, err
	}
	known := make(map[string]sites.Entry)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Path, core.FunctionBundles+"/") {
			known[entry.Path] = entry
		}
	}
	c.deployments.Put(deployment, known)
	return known, nil
}
