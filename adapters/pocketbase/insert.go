package pocketbase

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	validation "github.com/pocketbase/ozzo-validation/v4"
	pb "github.com/pocketbase/pocketbase/core"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Insert implements backend.Transfers.
func (e *Engine) Insert(ctx context.Context, place backend.Place, collection string, records []json.RawMessage) error {
	rows := make([]map[string]any, len(records))
	for i, record := range records {
		if err := json.Unmarshal(record, &rows[i]); err != nil || rows[i] == nil {
			return &backend.Refusal{Index: i, Message: "A record must be an object."}
		}
	}
	var into *pb.Collection
	err := e.places.read(ctx, place, func(app *application) (err error) {
		into, err = app.collection(collection)
		return err
	})
	if err != nil {
		return err
	}
	passwords, err := hashPasswords(ctx, into, rows)
	if err != nil {
		return err
	}
	return e.places.read(ctx, place, func(app *application) error { return app.insert(ctx, collection, rows, passwords) })
}

// collection returns a collection of the schema by its name or id.
func (a *application) collection(name string) (*pb.Collection, error) {
	found, err := a.FindCollectionByNameOrId(name)
	if err != nil || found.System {
		return nil, core.NotFound("collection")
	}
	return found, nil
}

// hashPasswords returns the hashed passwords of users, or nil if the collection has none.
// Hashing is slow on purpose, so no lock is held meanwhile. All users without a password
// get the hash of the same random password, which is not stored.
func hashPasswords(ctx context.Context, into *pb.Collection, rows []map[string]any) ([]*pb.PasswordFieldValue, error) {
	if !into.IsAuth() {
		return nil, nil
	}
	hash := func(set func(user *pb.Record)) *pb.PasswordFieldValue {
		user := pb.NewRecord(into)
		set(user)
		hashed, _ := user.GetRaw(pb.FieldNamePassword).(*pb.PasswordFieldValue)
		return hashed
	}
	var unknown *pb.PasswordFieldValue
	hashed := make([]*pb.PasswordFieldValue, len(rows))
	for i, row := range rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		password, _ := row[pb.FieldNamePassword].(string)
		switch {
		case password != "":
			hashed[i] = hash(func(user *pb.Record) { user.SetPassword(password) })
			continue
		case unknown == nil:
			unknown = hash(func(user *pb.Record) { user.SetRandomPassword() })
		}
		hashed[i] = unknown
	}
	return hashed, nil
}

// insert creates records in one transaction.
func (a *application) insert(ctx context.Context, name string, rows []map[string]any, passwords []*pb.PasswordFieldValue) error {
	into, err := a.collection(name)
	if err != nil {
		return err
	}
	switch {
	case into.IsView():
		return core.Errorf(core.CodeValidationFailed, "%s is a view: its records come from other collections", into.Name)
	case into.IsAuth() != (passwords != nil):
		return core.Errorf(core.CodeUnavailable, "the collection has changed meanwhile: try again")
	}
	err = a.RunInTransaction(func(tx pb.App) error {
		for i, row := range rows {
			record := newRecord(into, row)
			if passwords != nil {
				record.SetRaw(pb.FieldNamePassword, passwords[i])
			}
			if err := tx.SaveWithContext(ctx, record); err != nil {
				return refusalOf(err, i)
			}
		}
		return nil
	})
	return a.withLimit(err)
}

// newRecord returns a record with the values of a row, including autodate fields.
func newRecord(into *pb.Collection, row map[string]any) *pb.Record {
	record := pb.NewRecord(into)
	for name, value := range row {
		field := into.Fields.GetByName(name)
		if field == nil || field.Type() == pb.FieldTypePassword && into.IsAuth() {
			continue
		}
		if field.Type() != pb.FieldTypeAutodate {
			record.Set(name, value)
			continue
		}
		if date, err := field.PrepareValue(record, value); err == nil && value != nil && value != "" {
			record.SetRaw(name, date)
		}
	}
	return record
}

// refusalOf names the value of a record that was rejected.
func refusalOf(err error, index int) error {
	var fields validation.Errors
	if !errors.As(err, &fields) {
		return err
	}
	refusal := &backend.Refusal{Index: index, Message: reasonOf(err)}
	if names := slices.Sorted(maps.Keys(fields)); len(names) > 0 {
		refusal.Field = names[0]
	}
	return refusal
}
