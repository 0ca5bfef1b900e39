package pocketbase

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/pocketbase/dbx"
	validation "github.com/pocketbase/ozzo-validation/v4"
	pb "github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/types"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Insert implements backend.Transfers.
func (e *Engine) Insert(ctx context.Context, place backend.Place, collection string, batch backend.Insertion) (changed int, err error) {
	var into *pb.Collection
	err = e.places.read(ctx, place, func(app *application) (err error) {
		into, err = app.collection(collection)
		return err
	})
	if err != nil {
		return 0, err
	}
	passwords, err := hashPasswords(ctx, into, batch.Records)
	if err != nil {
		return 0, err
	}
	err = e.places.read(ctx, place, func(app *application) (err error) {
		changed, err = app.insert(ctx, collection, batch, passwords)
		return err
	})
	return changed, err
}

// collection returns a collection of the schema by its name or id.
func (a *application) collection(name string) (*pb.Collection, error) {
	found, err := a.FindCollectionByNameOrId(name)
	if err != nil || found.System {
		return nil, core.NotFound("collection")
	}
	return found, nil
}

// passwords are those of the users in a batch, hashed, by their index. unknown is that of all
// others: a random one, which is not stored.
type passwords struct {
	given   map[int]*pb.PasswordFieldValue
	unknown *pb.PasswordFieldValue
}

// of returns the password to set in a record, nil for none.
func (p *passwords) of(index int, isNew bool) *pb.PasswordFieldValue {
	switch {
	case p == nil:
		return nil
	case p.given[index] != nil || !isNew:
		return p.given[index]
	}
	return p.unknown
}

// hashPasswords returns the hashed passwords of users, or nil if the collection has none.
// Hashing is slow on purpose, so no lock is held meanwhile.
func hashPasswords(ctx context.Context, into *pb.Collection, records []json.RawMessage) (*passwords, error) {
	if !into.IsAuth() {
		return nil, nil
	}
	hash := func(set func(user *pb.Record)) *pb.PasswordFieldValue {
		user := pb.NewRecord(into)
		set(user)
		hashed, _ := user.GetRaw(pb.FieldNamePassword).(*pb.PasswordFieldValue)
		return hashed
	}
	hashed := &passwords{make(map[int]*pb.PasswordFieldValue), hash(func(user *pb.Record) { user.SetRandomPassword() })}
	for i, record := range records {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var user struct {
			Password string `json:"password"`
		}
		// What is no user is refused later.
		if json.Unmarshal(record, &user) == nil && user.Password != "" {
			hashed.given[i] = hash(func(to *pb.Record) { to.SetPassword(user.Password) })
		}
	}
	return hashed, nil
}

// insert writes records in one transaction. It looks at all of them also if some are refused.
func (a *application) insert(ctx context.Context, name string, batch backend.Insertion, hashed *passwords) (changed int, err error) {
	into, err := a.collection(name)
	if err != nil {
		return 0, err
	}
	switch {
	case into.IsView():
		return 0, core.Errorf(core.CodeValidationFailed, "%s is a view: its records come from other collections", into.Name)
	case into.IsAuth() != (hashed != nil):
		return 0, core.Errorf(core.CodeUnavailable, "the collection has changed meanwhile: try again")
	}
	err = a.RunInTransaction(func(tx pb.App) error {
		w := insertion{tx: tx, into: into, passwords: hashed}
		for next := 0; next < len(batch.Records); {
			part := take(batch.Records[next:])
			if err := w.write(ctx, next, part); err != nil {
				return err
			}
			next += len(part)
		}
		changed = w.changed
		if batch.DryRun && w.refused.Records == 0 {
			return errDryRun
		}
		return w.refused.Err()
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return changed, a.withLimit(err)
}

// insertion writes records of a collection in a transaction.
type insertion struct {
	tx        pb.App
	into      *pb.Collection
	passwords *passwords
	changed   int
	refused   backend.RefusedRecords
}

// partSize is how many records are looked up with one statement.
const partSize = 200

// take decodes the first records, of which no two have the same id. What is no object is nil.
func take(records []json.RawMessage) (part []map[string]any) {
	seen := make(map[string]bool)
	for _, text := range records[:min(len(records), partSize)] {
		var row map[string]any
		if json.Unmarshal(text, &row) != nil {
			row = nil
		}
		id := idOf(row)
		if seen[id] {
			return part
		}
		seen[id] = id != ""
		part = append(part, row)
	}
	return part
}

func idOf(row map[string]any) string {
	id, _ := row[pb.FieldNameId].(string)
	return id
}

// write writes a part of the records, which begins at an index.
func (n *insertion) write(ctx context.Context, from int, part []map[string]any) error {
	var ids []any
	for _, row := range part {
		if id := idOf(row); id != "" {
			ids = append(ids, id)
		}
	}
	var there []string
	if err := n.tx.RecordQuery(n.into).Select(pb.FieldNameId).AndWhere(dbx.In(pb.FieldNameId, ids...)).WithContext(ctx).Column(&there); err != nil {
		return err
	}
	for i, row := range part {
		err := n.put(ctx, from+i, row, slices.Contains(there, idOf(row)))
		if reasons := reasonsOf(err); reasons != nil {
			n.refused.Add(from+i, reasons)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// put creates a record, or changes the one that is there.
func (n *insertion) put(ctx context.Context, index int, row map[string]any, isThere bool) (err error) {
	if row == nil {
		return validation.Errors{"": errors.New("a record must be an object")}
	}
	record := pb.NewRecord(n.into)
	if isThere {
		if record, err = n.tx.FindRecordById(n.into, idOf(row)); err != nil {
			return err
		}
	}
	// repeated are dates that the record has already. PocketBase takes them for none.
	repeated := dbx.Params{}
	for name, value := range row {
		field := n.into.Fields.GetByName(name)
		switch {
		case field == nil || field.Type() == pb.FieldTypePassword && n.into.IsAuth():
		case field.Type() != pb.FieldTypeAutodate:
			record.Set(name, value)
		default:
			date, err := field.PrepareValue(record, value)
			if err != nil || value == nil || value == "" {
				continue
			}
			if given, is := date.(types.DateTime); is && isThere && given.Equal(record.GetDateTime(name)) {
				repeated[name] = given
			}
			record.SetRaw(name, date)
		}
	}
	if password := n.passwords.of(index, !isThere); password != nil {
		record.SetRaw(pb.FieldNamePassword, password)
	}
	if err := n.tx.SaveWithContext(ctx, record); err != nil {
		return err
	}
	if isThere {
		n.changed++
	}
	if len(repeated) == 0 {
		return nil
	}
	_, err = n.tx.DB().Update(n.into.Name, repeated, dbx.HashExp{pb.FieldNameId: record.Id}).WithContext(ctx).Execute()
	return err
}

// reasonsOf returns why a record was rejected, by the names of the fields; nil for another error.
func reasonsOf(err error) map[string]string {
	var fields validation.Errors
	if !errors.As(err, &fields) {
		return nil
	}
	reasons := make(map[string]string, len(fields))
	for name, reason := range fields {
		reasons[name] = reasonOf(reason)
	}
	return reasons
}
