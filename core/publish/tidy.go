package publish

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

const (
	// keepDeployments is how many deployments of a project are kept. Those that were
	// live in the last 24 hours are kept besides, for their assets.
	keepDeployments = 50
	// tidyLimit bounds what goes on behind one answer.
	tidyLimit = 5 * time.Minute
)

// tidying is the work behind answers.
type tidying struct {
	life context.Context
	end  context.CancelFunc

	mu      sync.Mutex
	running sync.WaitGroup
}

func newTidying() *tidying {
	life, end := context.WithCancel(context.Background())
	return &tidying{life: life, end: end}
}

func (t *tidying) close() {
	t.mu.Lock()
	t.end()
	t.mu.Unlock()
	t.running.Wait()
}

// begin starts work, unless the service is closed.
func (t *tidying) begin(work func(ctx context.Context)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.life.Err() != nil {
		return
	}
	t.running.Go(func() {
		ctx, cancel := context.WithTimeout(t.life, tidyLimit)
		defer cancel()
		work(ctx)
	})
}

// tidy has the compressed forms of the live deployment made, and removes
// deployments that are beyond what is kept. Nobody waits for either: what fails is
// tried again after the next publish.
func (s *Service) tidy(project core.Project) {
	live := *project.DeploymentID
	s.tidying.begin(func(ctx context.Context) {
		log := s.deps.Log.With("project", project.ID)
		if err := s.deps.Sites.Pack(ctx, live); err != nil && ctx.Err() == nil && !core.IsCode(err, core.CodeNotFound) {
			log.WarnContext(ctx, "deployment not compressed", "deployment", live, "error", err)
		}
		if err := s.prune(ctx, project.ID); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "old deployments not removed", "error", err)
		}
	})
}

// prune removes a project's oldest deployments. The record goes first: a deployment
// without files could be rolled back to, files without a record only take up room.
func (s *Service) prune(ctx context.Context, id core.ID) error {
	done, err := s.turns.take(ctx, id)
	if err != nil {
		return err
	}
	defer done()
	for {
		old, err := s.forgetOne(ctx, id)
		if err != nil || old == "" {
			return err
		}
		if err := s.deps.Sites.Remove(ctx, old); err != nil {
			return err
		}
	}
}

// forgetOne removes the record of a deployment that nobody needs, and returns its id, ""
// when there is none. Turns are this process's: another may roll back to any deployment
// until the transaction that picks it.
func (s *Service) forgetOne(ctx context.Context, id core.ID) (old core.ID, err error) {
	err = s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		project, err := tables.Projects.ByID(ctx, id)
		if err != nil {
			return err
		}
		deployments, err := tables.Deployments.List(ctx, id)
		if err != nil {
			return err
		}
		old = ""
		if found := s.dispensable(project, deployments); len(found) > 0 {
			old = found[0].ID
			return tables.Deployments.Delete(ctx, old)
		}
		return nil
	})
	return old, err
}

// dispensable picks the deployments that nobody needs any more, of a list whose
// newest comes first.
func (s *Service) dispensable(project core.Project, deployments []core.Deployment) []core.Deployment {
	if len(deployments) <= keepDeployments {
		return nil
	}
	var needed []core.ID
	if project.PublishedAt != nil && project.DeploymentID != nil {
		since := core.At(s.deps.Now()).Add(-keepAssets)
		needed = append(earlier(deployments, project, since), *project.DeploymentID)
	}
	return slices.DeleteFunc(slices.Clone(deployments[keepDeployments:]), func(d core.Deployment) bool {
		return slices.Contains(needed, d.ID)
	})
}
