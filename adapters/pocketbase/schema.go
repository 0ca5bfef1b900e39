package pocketbase

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pocketbase/dbx"
	validation "github.com/pocketbase/ozzo-validation/v4"
	pb "github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/security"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// paramSchema is the key of the schema in PocketBase's table of parameters. There it
// changes in the same transaction as the collections and is part of every copy.
const paramSchema = "atelier_schema"

// Schema implements backend.Engine.
func (e *Engine) Schema(ctx context.Context, place backend.Place) (backend.Schema, error) {
	var schema backend.Schema
	err := e.places.read(ctx, place, func(app *application) error {
		var text []byte
		err := app.DB().NewQuery("SELECT [[value]] FROM {{_params}} WHERE [[id]] = {:id}").Bind(dbx.Params{"id": paramSchema}).WithContext(ctx).Row(&text)
		if errors.Is(err, sql.ErrNoRows) {
			return core.NotFound("backend")
		}
		if err != nil {
			return err
		}
		return json.Unmarshal(text, &schema)
	})
	return schema, err
}

// keepSchema stores a schema beside the collections.
func keepSchema(tx pb.App, schema backend.Schema) error {
	text, err := json.Marshal(schema)
	if err != nil {
		return err
	}
	_, err = tx.DB().NewQuery("INSERT OR REPLACE INTO {{_params}} ([[id]], [[value]]) VALUES ({:id}, {:value})").
		Bind(dbx.Params{"id": paramSchema, "value": string(text)}).Execute()
	return err
}

// build returns PocketBase's form of a collection. existing is the current collection with
// the same id, or nil.
func build(from backend.Collection, existing *pb.Collection) (*pb.Collection, error) {
	members := maps.Clone(from.Options)
	if members == nil {
		members = make(map[string]json.RawMessage)
	}
	put := func(name string, value any) {
		// Strings, slices and maps of raw JSON always encode.
		members[name], _ = json.Marshal(value)
	}
	put("id", from.ID)
	put("name", from.Name)
	put("type", from.Type)
	put("indexes", orEmpty(from.Indexes))
	for name, rule := range map[string]*string{
		"listRule": from.Rules.List, "viewRule": from.Rules.View, "createRule": from.Rules.Create,
		"updateRule": from.Rules.Update, "deleteRule": from.Rules.Delete,
	} {
		if from.Type == backend.View && name != "listRule" && name != "viewRule" {
			continue
		}
		put(name, rule)
	}
	text, err := json.Marshal(members)
	if err != nil {
		return nil, &backend.Problem{Collection: from.Name, Message: err.Error()}
	}
	// Options that the schema omits get PocketBase's default, not their previous value.
	to := &pb.Collection{}
	if err := json.Unmarshal(text, to); err != nil {
		return nil, &backend.Problem{Collection: from.Name, Message: reasonOf(err)}
	}
	if _, said := from.Options["oauth2"]; !said {
		// The project's members configure the providers. With MFA, which counts methods, the
		// schema must enable OAuth explicitly.
		to.OAuth2.Enabled = !to.MFA.Enabled
	}
	to.OAuth2.Providers = nil // withProviders
	keepSecrets(to, existing)
	confirmHere(to)
	var present pb.FieldsList
	if existing != nil {
		present = existing.Fields
		to = overwrite(existing, to)
	} else {
		present = to.Fields
	}
	if from.Type == backend.View {
		return to, nil // PocketBase derives the fields from the query
	}
	fields, err := buildFields(from, present)
	to.Fields = fields
	return to, err
}

// secrets returns the configurations of a collection's tokens.
func secrets(collection *pb.Collection) []*pb.TokenConfig {
	return []*pb.TokenConfig{
		&collection.AuthToken, &collection.FileToken, &collection.PasswordResetToken, &collection.EmailChangeToken, &collection.VerificationToken,
	}
}

// keepSecrets gives a collection the secrets of the existing one, or new ones. A schema
// file must not set them, because several places share it.
func keepSecrets(to, existing *pb.Collection) {
	for i, token := range secrets(to) {
		token.Secret = security.RandomString(50)
		if existing != nil && secrets(existing)[i].Secret != "" {
			token.Secret = secrets(existing)[i].Secret
		}
	}
}

// overwrite copies a fresh collection onto the existing one.
func overwrite(existing, fresh *pb.Collection) *pb.Collection {
	existing.Name, existing.Type, existing.Indexes = fresh.Name, fresh.Type, fresh.Indexes
	existing.ListRule, existing.ViewRule = fresh.ListRule, fresh.ViewRule
	existing.CreateRule, existing.UpdateRule, existing.DeleteRule = fresh.CreateRule, fresh.UpdateRule, fresh.DeleteRule
	existing.ViewQuery = fresh.ViewQuery
	existing.AuthRule, existing.ManageRule = fresh.AuthRule, fresh.ManageRule
	existing.AuthAlert, existing.OAuth2, existing.PasswordAuth = fresh.AuthAlert, fresh.OAuth2, fresh.PasswordAuth
	existing.MFA, existing.OTP = fresh.MFA, fresh.OTP
	existing.VerificationTemplate, existing.ResetPasswordTemplate = fresh.VerificationTemplate, fresh.ResetPasswordTemplate
	existing.ConfirmEmailChangeTemplate = fresh.ConfirmEmailChangeTemplate
	for i, token := range secrets(existing) {
		*token = *secrets(fresh)[i]
	}
	return existing
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// buildFields returns the fields of a collection: system fields that the schema omits, and
// then the schema's in order.
func buildFields(from backend.Collection, present pb.FieldsList) (pb.FieldsList, error) {
	var fields pb.FieldsList
	listed := make(map[string]bool)
	for _, field := range from.Fields {
		listed[field.ID], listed[field.Name] = true, true
	}
	for _, field := range present {
		if field.GetSystem() && !listed[field.GetId()] && !listed[field.GetName()] {
			fields.Add(field)
		}
	}
	for _, field := range from.Fields {
		built, err := buildField(field, present)
		if err != nil {
			return nil, &backend.Problem{Collection: from.Name, Field: field.Name, Message: reasonOf(err)}
		}
		if password, is := built.(*pb.PasswordField); is && password.Cost > backend.MaxPasswordCost {
			return nil, &backend.Problem{Collection: from.Name, Field: field.Name, Member: "cost", Message: fmt.Sprintf("Must be no more than %d.", backend.MaxPasswordCost)}
		}
		fields.Add(built)
	}
	return fields, nil
}

// buildField returns PocketBase's form of a field. A system field keeps its id and flags.
func buildField(from backend.Field, present pb.FieldsList) (pb.Field, error) {
	system := present.GetByName(from.Name)
	if system != nil && system.GetSystem() {
		hidden := system.GetHidden()
		err := json.Unmarshal(optionsOf(from), system)
		system.SetSystem(true)
		system.SetHidden(hidden)
		return system, err
	}
	make, ok := pb.Fields[from.Type]
	if !ok {
		return nil, core.Errorf(core.CodeValidationFailed, "the type %q is unknown; types are %s", from.Type, strings.Join(slices.Sorted(maps.Keys(pb.Fields)), ", "))
	}
	field := make()
	if err := json.Unmarshal(optionsOf(from), field); err != nil {
		return nil, err
	}
	field.SetId(from.ID)
	field.SetName(from.Name)
	field.SetSystem(false)
	return field, nil
}

func optionsOf(field backend.Field) []byte {
	options := maps.Clone(field.Options)
	delete(options, "system")
	delete(options, "id")
	delete(options, "name")
	text, err := json.Marshal(options)
	if err != nil || options == nil {
		return []byte("{}")
	}
	return text
}

// reasonOf returns the first message of a validation error, which may be nested.
func reasonOf(err error) string {
	var nested validation.Errors
	if errors.As(err, &nested) {
		for _, name := range slices.Sorted(maps.Keys(nested)) {
			if nested[name] != nil {
				return reasonOf(nested[name])
			}
		}
	}
	return err.Error()
}

// problemOf locates a validation error of a collection.
func problemOf(err error, collection *pb.Collection) *backend.Problem {
	problem := &backend.Problem{Collection: collection.Name, Message: reasonOf(err)}
	var nested validation.Errors
	if !errors.As(err, &nested) {
		return problem
	}
	for _, member := range slices.Sorted(maps.Keys(nested)) {
		var fields validation.Errors
		problem.Member = member
		if member != "fields" || !errors.As(nested[member], &fields) {
			continue
		}
		problem.Member = ""
		for _, at := range slices.Sorted(maps.Keys(fields)) {
			problem.Field = fieldAt(collection, at)
			problem.Message = reasonOf(fields[at])
			var members validation.Errors
			if errors.As(fields[at], &members) && len(members) > 0 {
				problem.Member = slices.Sorted(maps.Keys(members))[0]
			}
			return problem
		}
	}
	return problem
}

// fieldAt returns the name of the field that a validation error identifies by index or name.
func fieldAt(collection *pb.Collection, at string) string {
	index := 0
	for _, c := range at {
		if c < '0' || c > '9' || index > len(collection.Fields) {
			return at
		}
		index = index*10 + int(c-'0')
	}
	if index < len(collection.Fields) {
		return collection.Fields[index].GetName()
	}
	return at
}
