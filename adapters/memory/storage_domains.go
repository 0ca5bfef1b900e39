package memory

import (
	"cmp"
	"context"

	"github.com/atelierhq/atelier/core"
)

type storeDomains struct{ records storeRecords[core.Domain] }

func domainsOf(session storeSession) storeRecords[core.Domain] {
	return storeRecords[core.Domain]{
		session: session,
		noun:    "domain",
		table:   func(s *storeState) *storeTable[core.ID, core.Domain] { return &s.domains },
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

func checkDomain(s *storeState, domain core.Domain) error {
	for _, other := range s.domains.rows {
		bothActive := domain.Status == core.DomainActive && other.Status == core.DomainActive
		switch {
		case other.ID == domain.ID:
		case bothActive && other.Name == domain.Name:
			return core.Errorf(core.CodeDomainTaken, "another project holds this domain")
		case other.ProjectID == domain.ProjectID && other.Name == domain.Name:
			return core.Errorf(core.CodeConflict, "the project claims this domain already")
		}
	}
	if !s.projects.has(domain.ProjectID) {
		return core.NotFound("project")
	}
	return nil
}

func (d storeDomains) Create(ctx context.Context, domain core.Domain) error {
	return d.records.create(ctx, domain)
}

func (d storeDomains) ByID(ctx context.Context, id core.ID) (core.Domain, error) {
	return d.records.byID(ctx, id)
}

func (d storeDomains) Active(ctx context.Context, name string) (core.Domain, error) {
	return d.records.first(ctx, func(domain core.Domain) bool {
		return domain.Name == name && domain.Status == core.DomainActive
	})
}

func (d storeDomains) List(ctx context.Context, project core.ID) ([]core.Domain, error) {
	ofProject := func(domain core.Domain) bool { return domain.ProjectID == project }
	return d.records.list(ctx, ofProject, func(a, b core.Domain) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

func (d storeDomains) Update(ctx context.Context, id core.ID, change func(*core.Domain) error) (core.Domain, error) {
	return d.records.update(ctx, id, change)
}

func (d storeDomains) Delete(ctx context.Context, id core.ID) error {
	return d.records.delete(ctx, id, func(state *storeState, id core.ID) { delete(state.domains.edit(state), id) })
}

func (d storeDomains) Claim(ctx context.Context, now, until core.Time) (domain core.Domain, err error) {
	err = d.records.session.change(ctx, func(state *storeState) error {
		domain, err = d.records.in(state, longestUnchecked(state, now))
		if err != nil {
			return err
		}
		domain.CheckAt = until
		return d.records.put(state, domain)
	})
	if err != nil {
		return core.Domain{}, err
	}
	return domain, nil
}

// longestUnchecked returns "" when no domain is due.
func longestUnchecked(state *storeState, now core.Time) core.ID {
	var longest core.Domain
	for _, domain := range state.domains.rows {
		if domain.CheckAt <= now && (longest.ID == "" || cmp.Or(cmp.Compare(domain.CheckAt, longest.CheckAt), cmp.Compare(domain.ID, longest.ID)) < 0) {
			longest = domain
		}
	}
	return longest.ID
}
