package backends

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// step is a step of a plan, not yet weighed.
type step struct {
	core.SchemaStep
	// weighs is the question for the engine, nil if nothing can be lost.
	weighs *backend.Change
}

// newStep returns a step that loses nothing.
func newStep(kind core.SchemaStepKind, of backend.Collection, field, format string, args ...any) step {
	return step{SchemaStep: core.SchemaStep{Kind: kind, Collection: of.Name, Field: field, Text: fmt.Sprintf(format, args...)}}
}

// compare returns the steps from one schema to another, not yet weighed.
func compare(before, after backend.Schema) []step {
	var steps []step
	for _, collection := range before.Collections {
		if find(after.Collections, collection.ID) == nil {
			steps = append(steps, dropped(collection))
		}
	}
	for _, collection := range after.Collections {
		old := find(before.Collections, collection.ID)
		if old == nil {
			steps = append(steps, newStep(core.StepAdd, collection, "", "Add the collection %s.", collection.Name))
			continue
		}
		steps = append(steps, compareCollections(*old, collection)...)
	}
	return steps
}

func find(collections []backend.Collection, id string) *backend.Collection {
	at := slices.IndexFunc(collections, func(c backend.Collection) bool { return c.ID == id })
	if at < 0 {
		return nil
	}
	return &collections[at]
}

func dropped(collection backend.Collection) step {
	drop := newStep(core.StepDrop, collection, "", "Remove the collection %s.", collection.Name)
	if collection.Type != backend.View {
		drop.weighs = &backend.Change{Collection: collection.ID}
	}
	return drop
}

func compareCollections(before, after backend.Collection) []step {
	var steps []step
	change := func(format string, args ...any) {
		steps = append(steps, newStep(core.StepChange, after, "", format, args...))
	}
	if before.Name != after.Name {
		change("Rename the collection %s to %s.", before.Name, after.Name)
	}
	if !sameRules(before.Rules, after.Rules) {
		change("Change the rules of %s.", after.Name)
	}
	if !slices.Equal(before.Indexes, after.Indexes) {
		change("Change the indexes of %s.", after.Name)
	}
	if !sameOptions(before.Options, after.Options) {
		change("Change the settings of %s.", after.Name)
	}
	if after.Type == backend.View {
		return steps
	}
	return append(steps, compareFields(before, after)...)
}

func sameRules(a, b backend.Rules) bool {
	same := func(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }
	return same(a.List, b.List) && same(a.View, b.View) && same(a.Create, b.Create) && same(a.Update, b.Update) && same(a.Delete, b.Delete)
}

func compareFields(before, after backend.Collection) []step {
	var steps []step
	for _, field := range before.Fields {
		gone := !slices.ContainsFunc(after.Fields, func(f backend.Field) bool { return f.ID == field.ID })
		if gone && !before.IsSystem(field.Name) {
			drop := newStep(core.StepDrop, after, field.Name, "Remove the field %s of %s.", field.Name, after.Name)
			drop.weighs = &backend.Change{Collection: after.ID, Field: field.ID}
			steps = append(steps, drop)
		}
	}
	for _, field := range after.Fields {
		at := slices.IndexFunc(before.Fields, func(f backend.Field) bool { return f.ID == field.ID })
		if at < 0 {
			if !after.IsSystem(field.Name) {
				steps = append(steps, newStep(core.StepAdd, after, field.Name, "Add the field %s to %s.", field.Name, after.Name))
			}
			continue
		}
		steps = append(steps, compareField(after, before.Fields[at], field)...)
	}
	return steps
}

func compareField(of backend.Collection, before, after backend.Field) []step {
	var steps []step
	if before.Name != after.Name {
		steps = append(steps, newStep(core.StepChange, of, after.Name, "Rename the field %s of %s to %s.", before.Name, of.Name, after.Name))
	}
	if !sameOptions(before.Options, after.Options) {
		other := newStep(core.StepChange, of, after.Name, "Change the field %s of %s.", after.Name, of.Name)
		other.weighs = &backend.Change{Collection: of.ID, Field: after.ID, To: &after}
		steps = append(steps, other)
	}
	return steps
}

// sameOptions compares the options of two declarations. A missing one is the same as a zero
// value.
func sameOptions(a, b map[string]json.RawMessage) bool {
	for name := range a {
		if !sameJSON(a[name], b[name]) {
			return false
		}
	}
	for name := range b {
		if !sameJSON(a[name], b[name]) {
			return false
		}
	}
	return true
}

func sameJSON(a, b json.RawMessage) bool {
	if isZero(a) || isZero(b) {
		return isZero(a) && isZero(b)
	}
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// isZero reports whether a JSON value is missing, null, false, 0, "", [] or {}.
func isZero(value json.RawMessage) bool {
	switch string(bytes.TrimSpace(value)) {
	case "", "null", "false", "0", `""`, "[]", "{}":
		return true
	}
	return false
}

// printOf returns a fingerprint of a schema. It ignores ids, which differ between environments,
// spaces, the order of members, and former names. Two schemas have the same fingerprint if compare
// finds no step between them.
func printOf(schema backend.Schema) string {
	names := make(map[string]string)
	for _, collection := range schema.Collections {
		names[collection.ID] = collection.Name
	}
	printed := make(map[string]any)
	for _, collection := range schema.Collections {
		fields := make(map[string]any)
		for _, field := range fieldsOf(collection) {
			options := plainOptions(field.Options)
			if name, found := names[field.Text("collectionId")]; found {
				options["collectionId"] = name
			}
			if len(options) > 0 || !collection.IsSystem(field.Name) {
				fields[field.Name] = []any{field.Type, options}
			}
		}
		indexes := append([]string{}, collection.Indexes...)
		printed[collection.Name] = []any{collection.Type, fields, indexes, collection.Rules, plainOptions(collection.Options)}
	}
	// What came from JSON is always encoded, with the members of objects in order.
	text, _ := json.Marshal(printed)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// fieldsOf are the fields of a collection that a schema declares: those of a view come from its query.
func fieldsOf(collection backend.Collection) []backend.Field {
	if collection.Type == backend.View {
		return nil
	}
	return collection.Fields
}

// plainOptions are the values of options, without those that are the same as a missing one.
func plainOptions(options map[string]json.RawMessage) map[string]any {
	plain := make(map[string]any)
	for name, raw := range options {
		var value any
		if !isZero(raw) && json.Unmarshal(raw, &value) == nil {
			plain[name] = value
		}
	}
	return plain
}

// weigh makes the plan from one schema to another: the steps, with the records that each loses.
func (s *Schemas) weigh(ctx context.Context, place backend.Place, before, after backend.Schema) (core.SchemaPlan, error) {
	steps := compare(before, after)
	var changes []backend.Change
	for _, step := range steps {
		if step.weighs != nil {
			changes = append(changes, *step.weighs)
		}
	}
	var counts []int64
	if len(changes) > 0 {
		var err error
		if counts, err = s.deps.Engine.Weigh(ctx, place, changes); err != nil {
			return core.SchemaPlan{}, err
		}
	}
	plan := core.SchemaPlan{ID: planID(before, after, counts), Steps: make([]core.SchemaStep, len(steps))}
	for i, step := range steps {
		if step.weighs != nil {
			step.Records, counts = counts[0], counts[1:]
			step.Loses = step.Records > 0
			step.Text += losing(step.SchemaStep)
		}
		plan.Steps[i] = step.SchemaStep
	}
	return plan, nil
}

// losing says what a step loses.
func losing(step core.SchemaStep) string {
	switch {
	case step.Records == 0:
		return ""
	case step.Kind == core.StepDrop && step.Field == "":
		return fmt.Sprintf(" This deletes %s.", records(step.Records))
	case step.Kind == core.StepDrop:
		return fmt.Sprintf(" This deletes its value in %s.", records(step.Records))
	}
	return fmt.Sprintf(" %s would no longer be valid.", records(step.Records))
}

func records(n int64) string {
	if n == 1 {
		return "1 record"
	}
	return fmt.Sprintf("%d records", n)
}

// planID derives the id of a plan from both schemas and the counts that are shown, so a person can
// only confirm a loss that they have seen.
func planID(before, after backend.Schema, counts []int64) core.ID {
	// Schemas and numbers are always encoded, with the members of objects in order.
	from, _ := json.Marshal(before)
	to, _ := json.Marshal(after)
	lost, _ := json.Marshal(counts)
	sum := sha256.Sum256(slices.Concat(from, []byte{0}, to, []byte{0}, lost))
	text := hex.EncodeToString(sum[:16])
	return core.ID(text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:])
}
