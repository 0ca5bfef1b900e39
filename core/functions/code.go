package functions

import (
	"context"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/lru"
	"github.com/atelierhq/atelier/ports/functions"
	"github.com/atelierhq/atelier/ports/sites"
)

// Bounds of the caches: the functions of a deployment, and the code of functions in bytes.
const (
	maxDeployments = 4096
	maxCodeBytes   = 64 << 20
)

// code finds the code of functions.
type code struct {
	deps Deps
	// deployments has the functions of deployments, bodies the code by its digest.
	deployments *lru.Cache[core.ID, map[string]sites.Entry]
	bodies      *lru.Cache[string, []byte]
}

func newCode(deps Deps) *code {
	return &code{
		deps:        deps,
		deployments: lru.New[core.ID](maxDeployments, func(map[string]sites.Entry) int64 { return 1 }),
		bodies:      lru.New[string](maxCodeBytes, func(body []byte) int64 { return int64(len(body)) }),
	}
}

// find returns the code of a function, or core.CodeNotFound.
func (c *code) find(ctx context.Context, project core.ID, env core.DataEnv, name string) ([]byte, error) {
	if !core.IsFunctionName(name) {
		return nil, core.NotFound("function")
	}
	if env == core.DataLive {
		return c.live(ctx, project, name)
	}
	return c.test(ctx, project, name)
}

// test returns the code of the current files, as the preview shows them.
func (c *code) test(ctx context.Context, project core.ID, name string) ([]byte, error) {
	page, err := c.deps.Previews.Page(ctx, project)
	if err != nil {
		return nil, err
	}
	if page.Build == nil {
		return nil, core.Errorf(core.CodeUnavailable, "the preview has no build")
	}
	for _, file := range page.Build.Files {
		if file.Path == core.FunctionBundle(name) {
			return file.Content, nil
		}
	}
	return nil, core.NotFound("function")
}

// live returns the code of the live deployment.
func (c *code) live(ctx context.Context, id core.ID, name string) ([]byte, error) {
	project, err := c.deps.Store.Tables().Projects.ByID(ctx, id)
	if err != nil {
		return nil, err
	}
	if project.DeletedAt != nil || project.DeploymentID == nil {
		return nil, core.NotFound("function")
	}
	deployment := *project.DeploymentID
	known, found := c.deployments.Get(deployment)
	if !found {
		if known, err = c.list(ctx, deployment); err != nil {
			return nil, err
		}
	}
	entry, found := known[core.FunctionBundle(name)]
	if !found || entry.Size > functions.MaxCodeBytes {
		return nil, core.NotFound("function")
	}
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

// list reads which functions a deployment has.
func (c *code) list(ctx context.Context, deployment core.ID) (map[string]sites.Entry, error) {
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
