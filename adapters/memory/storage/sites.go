package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type siteSettings struct{ session conn }

// Of implements storage.SiteSettings.
func (s siteSettings) Of(ctx context.Context, project core.ID) (core.SiteSettings, error) {
	state, err := s.session.view(ctx)
	if err != nil {
		return core.SiteSettings{}, err
	}
	if settings, found := state.sites.rows[project]; found {
		return settings, nil
	}
	return core.NewSiteSettings(project), nil
}

// Put implements storage.SiteSettings.
func (s siteSettings) Put(ctx context.Context, settings core.SiteSettings) error {
	if err := storage.CheckText(settings); err != nil {
		return err
	}
	return s.session.change(ctx, func(state *database) error {
		if !state.projects.has(settings.ProjectID) {
			return core.NotFound("project")
		}
		state.sites.edit(state)[settings.ProjectID] = settings
		return nil
	})
}

type takedowns struct {
	records records[core.Takedown]
}

func takedownsOf(session conn) records[core.Takedown] {
	return records[core.Takedown]{
		session: session,
		noun:    "takedown",
		table:   func(s *database) *table[core.ID, core.Takedown] { return &s.takedowns },
		id:      func(t core.Takedown) core.ID { return t.ProjectID },
		copy:    func(t core.Takedown) core.Takedown { return t },
	}
}

// Create implements storage.Takedowns.
func (t takedowns) Create(ctx context.Context, takedown core.Takedown) error {
	if err := storage.CheckText(takedown); err != nil {
		return err
	}
	return t.records.session.change(ctx, func(state *database) error {
		if !state.projects.has(takedown.ProjectID) {
			return core.NotFound("project")
		}
		if state.takedowns.has(takedown.ProjectID) {
			return core.Errorf(core.CodeConflict, "this takedown already exists")
		}
		state.takedowns.edit(state)[takedown.ProjectID] = takedown
		return nil
	})
}

// Of implements storage.Takedowns.
func (t takedowns) Of(ctx context.Context, project core.ID) (core.Takedown, error) {
	return t.records.byID(ctx, project)
}

// List implements storage.Takedowns.
func (t takedowns) List(ctx context.Context) ([]core.Takedown, error) {
	return t.records.list(ctx, func(core.Takedown) bool { return true }, func(a, b core.Takedown) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.ProjectID, a.ProjectID))
	})
}

// Delete implements storage.Takedowns.
func (t takedowns) Delete(ctx context.Context, project core.ID) error {
	return t.records.delete(ctx, project, func(state *database, id core.ID) { delete(state.takedowns.edit(state), id) })
}

// siteCountKey is the key of a count.
type siteCountKey struct {
	project core.ID
	day     int64
	kind    core.SiteCountKind
	name    string
}

type siteCounts struct{ session conn }

// Add implements storage.SiteCounts.
func (s siteCounts) Add(ctx context.Context, counts []core.SiteCount) error {
	for _, count := range counts {
		if err := storage.CheckText(count); err != nil {
			return err
		}
	}
	return s.session.change(ctx, func(state *database) error {
		for _, count := range counts {
			if !state.projects.has(count.ProjectID) {
				return core.NotFound("project")
			}
		}
		for _, count := range counts {
			key := siteCountKey{count.ProjectID, count.Day, count.Kind, count.Name}
			count.Count += state.siteCounts.rows[key].Count
			state.siteCounts.edit(state)[key] = count
		}
		return nil
	})
}

// List implements storage.SiteCounts.
func (s siteCounts) List(ctx context.Context, project core.ID, since int64) ([]core.SiteCount, error) {
	state, err := s.session.view(ctx)
	if err != nil {
		return nil, err
	}
	var found []core.SiteCount
	for _, count := range state.siteCounts.rows {
		if count.ProjectID == project && count.Day >= since {
			found = append(found, count)
		}
	}
	slices.SortFunc(found, func(a, b core.SiteCount) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return found, nil
}

// Prune implements storage.SiteCounts.
func (s siteCounts) Prune(ctx context.Context, before int64) error {
	return s.session.change(ctx, func(state *database) error {
		state.siteCounts.drop(state, func(c core.SiteCount) bool { return c.Day < before })
		return nil
	})
}
