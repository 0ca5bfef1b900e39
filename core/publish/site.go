package publish

import (
	"context"
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Site is the live site under a slug.
type Site struct {
	Project core.ID
	// Live is the deployment that is served; "" if SiteAt found none.
	Live core.ID
	// Primary is the domain to which the requested one redirects, "" if SiteAt was
	// asked for the primary one itself.
	Primary string
	// Earlier are the deployments that were live in the last 24 hours, the newest
	// first. Pages that a browser loaded then still request their assets.
	Earlier []core.ID
	// Settings are those of the project's site. Nobody changes them.
	Settings *core.SiteSettings
	// TakenDown says why an admin took the site down, "" for one that is up. Nothing of it is live then.
	TakenDown string
	// URL is the address of the site, without a final slash.
	URL string
}

const (
	// keepAssets is how long the assets of a deployment are served after another
	// replaced it.
	keepAssets = 24 * time.Hour
	// maxEarlier bounds the deployments that one request may search.
	maxEarlier = 50
)

// Site returns the live site under slug, or core.CodeNotFound. A deleted project
// has no site.
//
// The answer includes all changes by this process before the call, and those by
// others that the bus has delivered. If the bus loses a notice, the answer is at
// most 2 seconds old.
func (s *Service) Site(ctx context.Context, slug string) (Site, error) {
	// A site that was published before its slug was reserved stays there.
	if core.CheckSlug(slug) != nil {
		return Site{}, core.NotFound("site")
	}
	return s.sites.get(ctx, slug)
}

// SiteAt returns the live site under a custom domain, in lower case and without a
// final dot. A name that no project holds has code core.CodeNotFound. If its
// project is deleted or not published, the site has no live deployment. The answer
// is as fresh as Site's.
func (s *Service) SiteAt(ctx context.Context, name string) (Site, error) {
	return s.domains.get(ctx, name)
}

// readDomain is the siteReader behind SiteAt.
func readDomain(ctx context.Context, deps Deps, name string) (Site, error) {
	tables := deps.Store.Tables()
	domain, err := tables.Domains.Active(ctx, name)
	if err != nil {
		return Site{}, err
	}
	project, err := tables.Projects.ByID(ctx, domain.ProjectID)
	if err != nil {
		return Site{}, err
	}
	site, err := readSiteOf(ctx, deps, project)
	if core.IsCode(err, core.CodeNotFound) {
		return Site{Project: project.ID}, nil
	}
	if primary := project.CustomDomain; err == nil && primary != nil && *primary != name {
		site.Primary = *primary
	}
	return site, err
}

// readSite is the siteReader behind Site.
func readSite(ctx context.Context, deps Deps, slug string) (Site, error) {
	project, err := deps.Store.Tables().Projects.ByPublishedSlug(ctx, slug)
	if err != nil {
		return Site{}, err
	}
	return readSiteOf(ctx, deps, project)
}

func readSiteOf(ctx context.Context, deps Deps, project core.Project) (Site, error) {
	if project.DeletedAt != nil || project.DeploymentID == nil || project.PublishedAt == nil {
		return Site{}, core.NotFound("site")
	}
	taken, err := deps.Store.Tables().Takedowns.Of(ctx, project.ID)
	if err == nil {
		return Site{Project: project.ID, TakenDown: taken.Reason}, nil
	}
	if !core.IsCode(err, core.CodeNotFound) {
		return Site{}, err
	}
	deployments, err := deps.Store.Tables().Deployments.List(ctx, project.ID)
	if err != nil {
		return Site{}, err
	}
	settings, err := deps.Store.Tables().SiteSettings.Of(ctx, project.ID)
	if err != nil {
		return Site{}, err
	}
	since := core.At(deps.Now()).Add(-keepAssets)
	site := Site{Project: project.ID, Live: *project.DeploymentID, Earlier: earlier(deployments, project, since), Settings: &settings}
	if address := deps.Address.Of(project); address != nil {
		site.URL = *address
	}
	return site, nil
}

// earlier returns the deployments that were live after since. A deployment stopped
// being live at the latest when the next one was made. If a rollback made it live
// again, only the last switch is a bound: the time when the project was last
// published.
func earlier(deployments []core.Deployment, project core.Project, since core.Time) []core.ID {
	rolledBack := slices.ContainsFunc(deployments, func(d core.Deployment) bool { return d.Status == core.DeploymentRolledBack })
	var found []core.ID
	for i, deployment := range deployments {
		ended := *project.PublishedAt
		if i > 0 && !rolledBack {
			ended = deployments[i-1].CreatedAt
		}
		if deployment.ID != *project.DeploymentID && ended >= since && len(found) < maxEarlier {
			found = append(found, deployment.ID)
		}
	}
	return found
}
