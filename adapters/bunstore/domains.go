package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type domainRow struct {
	bun.BaseModel `bun:"table:domains,alias:dm"`
	core.Domain
	CheckedAt    *int64
	VerifiedAt   *int64
	FailingSince *int64
}

func rowOfDomain(domain core.Domain) *domainRow {
	return &domainRow{
		Domain:    domain,
		CheckedAt: (*int64)(domain.CheckedAt), VerifiedAt: (*int64)(domain.VerifiedAt), FailingSince: (*int64)(domain.FailingSince),
	}
}

func (r domainRow) domain() core.Domain {
	r.Domain.CheckedAt, r.Domain.VerifiedAt = (*core.Time)(r.CheckedAt), (*core.Time)(r.VerifiedAt)
	r.Domain.FailingSince = (*core.Time)(r.FailingSince)
	return r.Domain
}

type domains struct{ session }

// Create implements storage.Domains.
func (d domains) Create(ctx context.Context, domain core.Domain) error {
	if err := storage.CheckText(domain); err != nil {
		return err
	}
	return insert(ctx, d.session, "domain", rowOfDomain(domain))
}

// ByID implements storage.Domains.
func (d domains) ByID(ctx context.Context, id core.ID) (core.Domain, error) {
	row, err := find[domainRow](ctx, d.session, "domain", "id", string(id))
	return row.domain(), err
}

// activeDomain is the key of Active's lookup.
type activeDomain struct{}

// Active implements storage.Domains.
func (d domains) Active(ctx context.Context, name string) (core.Domain, error) {
	var row domainRow
	err := d.look(ctx, "domain", lookup{activeDomain{}, func(db bun.IDB, value func(int) any) *bun.SelectQuery {
		return db.NewSelect().Model((*domainRow)(nil)).Where("dm.name = ? AND dm.status = 'active'", value(0))
	}}, &row, name)
	return row.domain(), err
}

// List implements storage.Domains.
func (d domains) List(ctx context.Context, project core.ID) ([]core.Domain, error) {
	rows, err := list[domainRow](ctx, d.session, "project_id", string(project), "dm.created_at, dm.id")
	return each(rows, domainRow.domain), err
}

// Update implements storage.Domains.
func (d domains) Update(ctx context.Context, id core.ID, change func(*core.Domain) error) (core.Domain, error) {
	row, err := update(ctx, d.session, "domain", id, func(row *domainRow) error {
		domain := row.domain()
		if err := change(&domain); err != nil {
			return err
		}
		domain.ID, domain.ProjectID, domain.CreatedAt = row.ID, row.ProjectID, row.CreatedAt
		domain.Name, domain.Token = row.Name, row.Token
		*row = *rowOfDomain(domain)
		return storage.CheckText(domain)
	})
	return row.domain(), err
}

// Delete implements storage.Domains.
func (d domains) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, d.session, "domain", "domains", id)
}

var domainSchedule = schedule{noun: "domain", table: "domains", column: "check_at"}

// Claim implements storage.Domains.
func (d domains) Claim(ctx context.Context, now, until core.Time) (core.Domain, error) {
	var row domainRow
	err := domainSchedule.claim(ctx, d.session, &row, now, until)
	return row.domain(), err
}
