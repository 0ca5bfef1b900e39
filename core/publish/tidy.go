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
	// keepDeployments is how many deployments of a project are kept, in addition to
	// those that were live in the last 24 hours, for their assets.
	keepDeployments = 50
	// tidyLimit bounds the background work after one publish.
	tidyLimit = 5 * time.Minute
)

// cleanup is the work in the background after answers.
type cleanup struct {
	life context.Context
	end  context.CancelFunc

	mu      sync.Mutex
	running sync.WaitGroup
}

func newTidying() *cleanup {
	life, end := context.WithCancel(context.Background())
	return &cleanup{life: life, end: end}
}

func (t *cleanup) close() {
	t.mu.Lock()
	t.end()
	t.mu.Unlock()
	t.running.Wait()
}

// begin starts work, unless the service is closed.
func (t *cleanup) begin(work func(ctx context.Context)) {
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

// tidy makes the compressed forms of the live deployment, and removes superfluous
// deployments. It runs in the background: a failure is retried after the next publish.
func (s *Service) tidy(project core.Project) {
	live := *project.DeploymentID
	s.tidying.begin(func(ctx context.Context) {
		log := s.deps.Log.With("project", project.ID)
		if err := s.deps.Sites.Pack(ctx, live); err != nil && ctx.Err() == nil && !core.IsCode(err, core.CodeNotFound) {
			log.WarnContext(ctx, "could not compress a deployment", "deployment", live, "error", err)
		}
		if err := s.prune(ctx, project.ID); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "could not remove old deployments", "error", err)
		}
	})
}

// prune removes a project's oldest deployments. It removes the record first: a record
// without files would allow a broken rollback, but files without a record only take up
// space.
func (s *Service) prune(ctx context.Context, id core.ID) error {
	done, err := s.lock(ctx, id)
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

// forgetOne removes the record of a superfluous deployment, and returns its id, "" if
// there is none. It picks one inside the transaction, because the lock only covers
// this process: another may roll back to any deployment until then.
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

// dispensable returns the superfluous deployments of a list, which is sorted newest
// first.
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
