package pocketbase

import (
	"context"
	"fmt"

	"github.com/pocketbase/dbx"
	pb "github.com/pocketbase/pocketbase/core"

	"github.com/atelierhq/atelier/ports/backend"
)

// Weigh implements backend.Engine.
func (e *Engine) Weigh(ctx context.Context, place backend.Place, changes []backend.Change) ([]int64, error) {
	counts := make([]int64, len(changes))
	err := e.places.read(ctx, place, func(app *application) error {
		for i, change := range changes {
			count, err := app.weigh(ctx, change)
			if err != nil {
				return err
			}
			counts[i] = count
		}
		return nil
	})
	return counts, err
}

func (a *application) weigh(ctx context.Context, change backend.Change) (int64, error) {
	collection, err := a.FindCollectionByNameOrId(change.Collection)
	if err != nil || collection.IsView() {
		return 0, nil // nothing is stored
	}
	if change.Field == "" {
		return a.CountRecords(collection)
	}
	field := collection.Fields.GetById(change.Field)
	switch {
	case field == nil:
		return 0, nil
	case change.To == nil || change.To.Type != field.Type():
		return a.CountRecords(collection, holdsValue(field))
	}
	to, err := buildField(*change.To, pb.FieldsList{})
	if err != nil {
		return 0, err
	}
	to.SetName(field.GetName())
	return a.countRefused(ctx, collection, to)
}

// holdsValue is a condition for records whose field has a value.
func holdsValue(field pb.Field) dbx.Expression {
	return dbx.NewExp(fmt.Sprintf("[[%s]] IS NOT NULL AND [[%[1]s]] NOT IN ('', '[]', '{}', 'null', '0', '{\"lon\":0,\"lat\":0}') AND [[%[1]s]] != 0", field.GetName()))
}

// weighBatch is the number of records read at a time.
const weighBatch = 500

// countRefused counts the records whose value a new definition of a field would reject.
func (a *application) countRefused(ctx context.Context, collection *pb.Collection, to pb.Field) (int64, error) {
	var refused int64
	for last := ""; ; {
		var records []*pb.Record
		query := a.RecordQuery(collection).AndWhere(dbx.NewExp("[[id]] > {:last}", dbx.Params{"last": last})).OrderBy("id").Limit(weighBatch)
		if err := query.WithContext(ctx).All(&records); err != nil {
			return 0, err
		}
		for _, record := range records {
			if to.ValidateValue(ctx, a.BaseApp, record) != nil {
				refused++
			}
		}
		if len(records) < weighBatch {
			return refused, ctx.Err()
		}
		last = records[len(records)-1].Id
	}
}
