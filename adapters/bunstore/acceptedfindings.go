package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type acceptedFindingRow struct {
	bun.BaseModel `bun:"table:accepted_findings,alias:af"`
	core.AcceptedFinding
}

func (r acceptedFindingRow) finding() core.AcceptedFinding { return r.AcceptedFinding }

type acceptedFindings struct{ session }

// Add implements storage.AcceptedFindings.
func (a acceptedFindings) Add(ctx context.Context, accepted core.AcceptedFinding) error {
	if err := storage.CheckText(accepted); err != nil {
		return err
	}
	return a.write(ctx, "finding", func(ctx context.Context, db bun.IDB) error {
		_, err := db.NewInsert().Model(&acceptedFindingRow{AcceptedFinding: accepted}).On("CONFLICT (project_id, finding_id) DO NOTHING").Exec(ctx)
		return err
	})
}

// List implements storage.AcceptedFindings.
func (a acceptedFindings) List(ctx context.Context, project core.ID) ([]core.AcceptedFinding, error) {
	rows, err := list[acceptedFindingRow](ctx, a.session, "project_id", string(project), "af.finding_id")
	return each(rows, acceptedFindingRow.finding), err
}
