package storage

import (
	"cmp"
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type domains struct{ records records[core.Domain] }

func domainsOf(session conn) records[core.Domain] {
	return records[core.Domain]{
		session: session,
		noun:    "domain",
		table:   func(s *database) *table[core.ID, core.Domain] { return &s.domains },
		id:      func(d core.Domain) core.ID { return d.ID },
		copy: func(d core.Domain) core.Domain {
			d.CheckedAt, d.VerifiedAt, d.FailingSince = copyOf(d.CheckedAt), copyOf(d.VerifiedAt), copyOf(d.FailingSince)
			return d
		},
		pin: func(d *core.Domain, before core.Domain) {
			d.ID, d.ProjectID, d.CreatedAt = before.ID, before.ProjectID, before.CreatedAt
			d.Name, d.Token = before.Name, before.Token
		},
		check: checkDomain,
	}
}

func checkDomain(s *database, domain core.Domain) error {
	for _, other := range s.domains.rows {
		bothActive := domain.Status == core.DomainActive && other.Status == core.DomainActive
		switch {
		case other.ID == domain.ID:
		case bothActive && other.Name == domain.Name:
			return core.Errorf(core.CodeDomainTaken, "another project has this domain")
		case other.ProjectID == domain.ProjectID && other.Name == domain.Name:
			return core.Errorf(core.CodeConflict, "the project already has this domain")
		}
	}
	if !s.projects.has(domain.ProjectID) {
		return core.NotFound("project")
	}
	return nil
}

// Create implements storage.Domains.
func (d domains) Create(ctx context.Context, domain core.Domain) error {
	return d.records.create(ctx, domain)
}

// ByID implements storage.Domains.
func (d domains) ByID(ctx context.Context, id core.ID) (core.Domain, error) {
	return d.records.byID(ctx, id)
}

// Active implements storage.Domains.
func (d domains) Active(ctx context.Context, name string) (core.Domain, error) {
	return d.records.first(ctx, func(domain core.Domain) bool {
		return domain.Name == name && domain.Status == core.DomainActive
	})
}

// List implements storage.Domains.
func (d domains) List(ctx context.Context, project core.ID) ([]core.Domain, error) {
	ofProject := func(domain core.Domain) bool { return domain.ProjectID == project }
	return d.records.list(ctx, ofProject, func(a, b core.Domain) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// Update implements storage.Domains.
func (d domains) Update(ctx context.Context, id core.ID, change func(*core.Domain) error) (core.Domain, error) {
	return d.records.update(ctx, id, change)
}

// Delete implements storage.Domains.
func (d domains) Delete(ctx context.Context, id core.ID) error {
	return d.records.delete(ctx, id, func(state *database, id core.ID) { delete(state.domains.edit(state), id) })
}

// Claim implements storage.Domains.
func (d domains) Claim(ctx context.Context, now, until core.Time) (core.Domain, error) {
	due := func(domain core.Domain) (core.Time, bool) { return domain.CheckAt, true }
	return d.records.claimDue(ctx, now, due, func(domain *core.Domain) { domain.CheckAt = until })
}

// storedSlugHold says for which workspace a slug is reserved, and until when.
type storedSlugHold struct {
	workspace core.ID
	until     core.Time
}

type slugHolds struct{ session conn }

// Hold implements storage.SlugHolds.
func (h slugHolds) Hold(ctx context.Context, slug string, workspace core.ID, until core.Time) error {
	if !storage.Storable(slug) || !storage.Storable(string(workspace)) {
		return core.Errorf(core.CodeValidationFailed, "the hold of a slug must be text")
	}
	return h.session.change(ctx, func(state *database) error {
		state.slugHolds.edit(state)[slug] = storedSlugHold{workspace, until}
		return nil
	})
}

// Holder implements storage.SlugHolds.
func (h slugHolds) Holder(ctx context.Context, slug string, now core.Time) (core.ID, error) {
	state, err := h.session.view(ctx)
	if err != nil {
		return "", err
	}
	hold, found := state.slugHolds.rows[slug]
	if !found || hold.until < now {
		return "", core.NotFound("hold")
	}
	return hold.workspace, nil
}
