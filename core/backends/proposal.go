package backends

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends/pgschema"
	"github.com/atelierhq/atelier/ports/backend"
)

// Proposals propose schemas.
type Proposals struct {
	deps    Deps
	schemas *Schemas
}

// SchemaProposal is a schema file that nobody has saved yet.
type SchemaProposal struct {
	// Schema is the file's content.
	Schema string
	// Added are the names of the collections that the project's present schema does not have.
	Added []string
	// Notes say what was left out, or means something else here.
	Notes []core.Phrase
}

// Propose adds a collection to the project's schema for each table that SQL of Postgres makes. It
// saves nothing. SQL without a table has code core.CodeValidationFailed, and a schema file that is
// wrong core.CodeConflict.
func (s *Proposals) Propose(ctx context.Context, by core.Actor, project core.ID, sql string) (SchemaProposal, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionBackendTest, project); err != nil {
		return SchemaProposal{}, err
	}
	text, found, err := s.schemas.readFile(ctx, project, core.BackendSchemaPath)
	if err != nil {
		return SchemaProposal{}, err
	}
	var present struct{ Collections []json.RawMessage }
	var taken []string
	users := ""
	if found {
		declared, wrong := ParseSchema(text)
		if len(wrong) > 0 || json.Unmarshal(core.WithoutMark(text), &present) != nil {
			return SchemaProposal{}, core.Errorf(core.CodeConflict, "%s has an error: correct it first", core.BackendSchemaPath)
		}
		for _, one := range declared.Collections {
			taken = append(taken, one.Name)
			if one.Type == backend.Auth && users == "" {
				users = one.Name
			}
		}
	}
	proposal, err := pgschema.Propose(sql, users, taken)
	if err != nil {
		return SchemaProposal{}, err
	}
	made := SchemaProposal{Added: []string{}, Notes: proposal.Notes}
	var objects []string
	for _, one := range present.Collections {
		objects = append(objects, string(one))
	}
	for _, one := range proposal.Collections {
		made.Added = append(made.Added, one.Name)
		objects = append(objects, strings.ReplaceAll(one.Text, "\n", "\n    "))
	}
	made.Schema = "{\n  \"collections\": [\n    " + strings.Join(objects, ",\n    ") + "\n  ]\n}\n"
	return made, nil
}
