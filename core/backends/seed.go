package backends

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// MaxSeedRecords bounds the records of the seed file.
const MaxSeedRecords = 2000

// seedRecord is a record of the seed file.
type seedRecord struct {
	collection string
	at         node
	// id is the record's id in the file, for references; "" if it has none.
	id string
}

// seed creates the records of a seed file in a scratch copy. The diagnostics are the file's errors.
func (s *Schemas) seed(ctx context.Context, scratch backend.Place, schema backend.Schema, text []byte) ([]core.Diagnostic, error) {
	file, root, ok := readJSON(core.BackendSeedPath, text)
	if !ok {
		return file.found, nil
	}
	records := readSeed(root, schema)
	if len(file.found) > 0 {
		return file.found, nil
	}
	return s.insertSeed(ctx, scratch, schema, file, records)
}

// seedLate fills test data from a seed file that was written or fixed after the schema. It
// does so only when the file changes while this process runs, and only if the test data has
// no records: nobody's records are mixed with it, and emptied data stays empty.
func (s *Schemas) seedLate(ctx context.Context, c *change) ([]core.Diagnostic, error) {
	text := c.seed
	if !s.synced.seedChanged(c.place.Project, text) || len(text) == 0 {
		return nil, nil
	}
	if empty, err := s.isEmpty(ctx, c.place); err != nil || !empty {
		return nil, err
	}
	scratch := c.place
	scratch.Copy = core.NewID()
	defer s.deps.removeCopy(ctx, scratch)
	if err := s.deps.Engine.Copy(ctx, c.place, scratch); err != nil {
		return nil, err
	}
	if wrong, err := s.seed(ctx, scratch, c.schema, text); err != nil || len(wrong) > 0 {
		return wrong, err
	}
	// A page may have created a record meanwhile.
	if empty, err := s.isEmpty(ctx, c.place); err != nil || !empty {
		return nil, err
	}
	return nil, s.deps.replace(ctx, scratch, c.place)
}

// isEmpty reports whether a place has no records.
func (s *Schemas) isEmpty(ctx context.Context, place backend.Place) (bool, error) {
	stats, err := s.deps.Engine.Stats(ctx, place)
	return err == nil && stats.Records == 0, err
}

// seedChanged remembers the text of a project's seed file, and reports whether it differs
// from the previous one.
func (s *syncState) seedChanged(project core.ID, text []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := sha256.Sum256(text)
	last, known := s.seeds[project]
	if len(s.seeds) >= maxSynced {
		clear(s.seeds)
	}
	s.seeds[project] = sum
	return known && last != sum
}

// readSeed reads {"<collection>": [records]}.
func readSeed(root node, schema backend.Schema) []seedRecord {
	collections, ok := root.members("The seed")
	if !ok {
		return nil
	}
	var records []seedRecord
	for _, collection := range collections {
		if !hasCollection(schema, collection.name) {
			collection.value.complain("The schema has no collection %q.", collection.name)
			continue
		}
		items, ok := collection.value.items("\"" + collection.name + "\"")
		if !ok {
			continue
		}
		for _, item := range items {
			record := seedRecord{collection: collection.name, at: item}
			var id struct {
				ID string `json:"id"`
			}
			if json.Unmarshal(item.raw, &id) != nil {
				item.complain("A record of %q must be an object, with an id that is a string.", collection.name)
				continue
			}
			record.id = id.ID
			records = append(records, record)
		}
	}
	if len(records) > MaxSeedRecords {
		root.complain("A seed has at most %d records.", MaxSeedRecords)
	}
	return records
}

// insertSeed creates the records. It replaces ids that the engine would reject, in
// references too. A record that refers to a later one is created after it.
func (s *Schemas) insertSeed(ctx context.Context, place backend.Place, schema backend.Schema, file *source, records []seedRecord) ([]core.Diagnostic, error) {
	ids := make(map[string]string)
	for waiting := records; len(waiting) > 0; {
		var later []seedRecord
		for _, record := range waiting {
			ready, err := s.insertRecord(ctx, place, schema, record, ids, records)
			if core.IsCode(err, core.CodeValidationFailed) {
				record.at.complain("A record of %q cannot be created: %s.", record.collection, messageOf(err))
				return file.found, nil
			}
			if err != nil {
				return nil, err
			}
			if !ready {
				later = append(later, record)
			}
		}
		if len(later) == len(waiting) {
			later[0].at.complain("The records of the seed refer to each other in a circle.")
			return file.found, nil
		}
		waiting = later
	}
	return nil, nil
}

// insertRecord creates a record, unless it refers to one that does not exist yet.
func (s *Schemas) insertRecord(ctx context.Context, place backend.Place, schema backend.Schema, record seedRecord, ids map[string]string, all []seedRecord) (bool, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(record.at.raw, &fields); err != nil {
		return false, core.Wrap(core.CodeValidationFailed, err, "it must be an object")
	}
	collection := schema.Collections[slices.IndexFunc(schema.Collections, func(c backend.Collection) bool { return c.Name == record.collection })]
	for _, field := range collection.Fields {
		if field.Type != "relation" || fields[field.Name] == nil {
			continue
		}
		value, ready := resolveReferences(fields[field.Name], ids, all)
		if !ready {
			return false, nil
		}
		fields[field.Name] = value
	}
	delete(fields, "id")
	if collection.Type == backend.Auth && fields["passwordConfirm"] == nil {
		fields["passwordConfirm"] = fields["password"]
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return false, err
	}
	response, err := s.client.ask(ctx, place, backend.Identity{Owner: true}, Request{Method: http.MethodPost, Path: recordsOf(record.collection), Body: body})
	if err != nil {
		return false, err
	}
	var created struct {
		ID string `json:"id"`
	}
	if err := response.decode(&created); err != nil {
		return false, err
	}
	if record.id != "" {
		ids[record.id] = created.ID
	}
	return true, nil
}

// resolveReferences replaces the file's ids in a relation by the engine's. It returns false
// if one is not known yet.
func resolveReferences(value json.RawMessage, ids map[string]string, all []seedRecord) (json.RawMessage, bool) {
	var many []string
	single := false
	if json.Unmarshal(value, &many) != nil {
		var one string
		if json.Unmarshal(value, &one) != nil {
			return value, true // the engine says what is wrong
		}
		many, single = []string{one}, true
	}
	for i, id := range many {
		known, found := ids[id]
		if !found && slices.ContainsFunc(all, func(r seedRecord) bool { return r.id == id }) {
			return nil, false
		}
		if found {
			many[i] = known
		}
	}
	// Strings are always encoded.
	if single {
		text, _ := json.Marshal(many[0])
		return text, true
	}
	text, _ := json.Marshal(many)
	return text, true
}

// messageOf returns the message of an error for people.
func messageOf(err error) string {
	var known *core.Error
	if errors.As(err, &known) {
		return known.Message
	}
	return "it is not accepted"
}
