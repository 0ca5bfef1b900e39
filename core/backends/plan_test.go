package backends

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/backend"
)

// resolved reads a file over the schema in force.
func resolved(t *testing.T, text string, inForce backend.Schema) backend.Schema {
	t.Helper()
	declared, wrong := ParseSchema([]byte(text))
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	schema, wrong := declared.Resolve(inForce)
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	return schema
}

func TestStepsFromOneSchemaToAnother(t *testing.T) {
	before := resolved(t, guestbook, backend.Schema{})
	for name, c := range map[string]struct {
		old, new string
		want     []string
	}{
		"nothing":              {"", "", nil},
		"an added field":       {`{"name": "author",`, `{"name": "likes", "type": "number"}, {"name": "author",`, []string{"add entries.likes"}},
		"a removed field":      {`{"name": "author", "type": "relation", "collection": "users"},`, ``, []string{"drop entries.author weighed"}},
		"a renamed field":      {`{"name": "text",`, `{"name": "body", "renamedFrom": "text",`, []string{"change entries.body"}},
		"a new name alone":     {`{"name": "text",`, `{"name": "body",`, []string{"drop entries.text weighed", "add entries.body"}},
		"a bound":              {`"required": true`, `"required": true, "max": 10`, []string{"change entries.text weighed"}},
		"another type":         {`{"name": "text", "type": "text"`, `{"name": "text", "type": "editor"`, []string{"drop entries.text weighed", "add entries.text"}},
		"a rule":               {`"createRule": "@request.auth.id != ''"`, `"createRule": ""`, []string{"change entries."}},
		"a renamed collection": {`"name": "entries",`, `"name": "posts", "renamedFrom": "entries",`, []string{"change posts."}},
		"a removed collection": {`{"name": "users", "type": "auth", "listRule": "", "fields": [{"name": "name", "type": "text"}]},`, `{"name": "users", "type": "auth", "id": "other"},`, []string{"change users.", "drop users.name weighed"}},
	} {
		text := strings.Replace(guestbook, c.old, c.new, 1)
		var got []string
		for _, step := range compare(before, resolved(t, text, before)) {
			line := fmt.Sprintf("%s %s.%s", step.Kind, step.Collection, step.Field)
			if step.weighs != nil {
				line += " weighed"
			}
			got = append(got, line)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestANewCollectionUnderAnOldNameIsAnother(t *testing.T) {
	before := resolved(t, `{"collections": [{"name": "notes"}]}`, backend.Schema{})
	after := resolved(t, `{"collections": [{"name": "archive", "renamedFrom": "notes"}, {"name": "notes", "id": "fresh"}]}`, before)
	if after.Collections[0].ID != before.Collections[0].ID || after.Collections[1].ID == before.Collections[0].ID {
		t.Errorf("the ids are %s and %s, those before %s", after.Collections[0].ID, after.Collections[1].ID, before.Collections[0].ID)
	}
}

func TestTypes(t *testing.T) {
	got := string(TypesOf(resolved(t, guestbook, backend.Schema{})))
	for _, want := range []string{
		"export interface EntriesRecord extends BaseRecord {", "  text: string;", "  author: string;",
		`  mood: ("bad" | "good")[];`, "    author?: UsersRecord;", "  entries: EntriesRecord;", "  email?: string;",
		"  collection<Name extends keyof Collections>(name: Name): FunctionCollection<Collections[Name]>;", "export type FunctionUser = UsersRecord;",
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("the types lack %q:\n%s", want, got)
		}
	}
}
