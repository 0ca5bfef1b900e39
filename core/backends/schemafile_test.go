package backends

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/backend"
)

const guestbook = `{
  "collections": [
    {"name": "users", "type": "auth", "listRule": "", "fields": [{"name": "name", "type": "text"}]},
    {
      "name": "entries",
      "listRule": "",
      "createRule": "@request.auth.id != ''",
      "fields": [
        {"name": "text", "type": "text", "required": true},
        {"name": "author", "type": "relation", "collection": "users"},
        {"name": "mood", "type": "select", "values": ["good", "bad"], "maxSelect": 2}
      ]
    }
  ]
}`

func TestASchemaFileIsRead(t *testing.T) {
	declared, wrong := ParseSchema([]byte(guestbook))
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	schema, wrong := declared.Resolve(backend.Schema{})
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	users, entries := schema.Collections[0], schema.Collections[1]
	if entries.Type != backend.Base || *entries.Rules.List != "" || entries.Rules.Update != nil {
		t.Errorf("the collection is %+v", entries)
	}
	if got := entries.Fields[1].Text("collectionId"); got != users.ID {
		t.Errorf("the relation names %q, want %q", got, users.ID)
	}
	if last := entries.Fields[len(entries.Fields)-1].Name; last != "updated" {
		t.Errorf("the last field is %q, want updated", last)
	}
}

func TestWhatIsWrongWithASchemaIsSaidWithItsLine(t *testing.T) {
	for name, c := range map[string]struct {
		text, message string
		line          int
	}{
		"no JSON":                 {"{\n\"collections\": [,]}", "not valid JSON", 2},
		"no object":               {"[]", "must be an object", 1},
		"no collections":          {"{}", "no \"collections\"", 1},
		"an unknown member":       {"{\"collections\": [\n{\"name\": \"a\",\n\"listrule\": \"\"}]}", "did you mean \"listRule\"", 3},
		"an unknown type":         {"{\"collections\": [{\"name\": \"a\", \"fields\": [\n{\"name\": \"x\", \"type\": \"string\"}]}]}", "must be one of autodate, bool", 2},
		"a rule that is no text":  {"{\"collections\": [{\"name\": \"a\",\n\"listRule\": true}]}", "must be a string", 2},
		"a name twice":            {"{\"collections\": [{\"name\": \"a\"},\n{\"name\": \"A\"}]}", "two collections", 2},
		"a member twice":          {"{\"collections\": [{\"name\": \"a\",\n\"name\": \"b\"}]}", "twice", 2},
		"a bad name":              {"{\"collections\": [{\"name\": \"a b\"}]}", "must begin with a letter", 1},
		"a secret":                {"{\"collections\": [{\"name\": \"users\", \"type\": \"auth\", \"oauth2\": {\"enabled\": true,\n\"providers\": [{\"name\": \"google\", \"clientSecret\": \"GOCSPX\"}]}}]}", "enter them under Data, Sign-in", 2},
		"a secret, spelled oddly": {"{\"collections\": [{\"name\": \"users\", \"type\": \"auth\", \"oauth2\": {\n\"Providers\": {\"clientSecret\": \"x\"}}}]}", "Remove \"providers\"", 2},
		"oauth2 that is a list":   {"{\"collections\": [{\"name\": \"users\", \"type\": \"auth\",\n\"oauth2\": []}]}", "must be an object", 2},
		"oauth2 of records":       {"{\"collections\": [{\"name\": \"posts\",\n\"oauth2\": {}}]}", "has no member \"oauth2\"", 2},
		"a view that writes":      {"{\"collections\": [{\"name\": \"v\", \"type\": \"view\", \"viewQuery\": \"select 1\",\n\"createRule\": \"\"}]}", "read-only", 2},
	} {
		_, wrong := ParseSchema([]byte(c.text))
		if len(wrong) == 0 || !strings.Contains(wrong[0].Message, c.message) || wrong[0].Line != c.line {
			t.Errorf("%s: got %+v, want line %d with %q", name, wrong, c.line, c.message)
		}
	}
}

func TestWaysToSignInAreReadWithoutProviders(t *testing.T) {
	declared, wrong := ParseSchema([]byte(`{"collections": [{"name": "users", "type": "auth",
		"passwordAuth": {"enabled": true, "identityFields": ["email"]}, "otp": {"enabled": true, "duration": 180, "length": 8}, "mfa": {"enabled": true, "duration": 600, "rule": ""},
		"oauth2": {"enabled": true, "providers": [ ], "mappedFields": {"id": "", "name": "name", "username": "", "avatarURL": "avatar"}},
		"fields": [{"name": "name", "type": "text"}, {"name": "avatar", "type": "file"}]}]}`))
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	for _, option := range []string{"passwordAuth", "otp", "mfa", "oauth2"} {
		if len(declared.Collections[0].Options[option]) == 0 {
			t.Errorf("the option %s is lost", option)
		}
	}
}

func TestARelationToNowhereIsADiagnostic(t *testing.T) {
	declared, _ := ParseSchema([]byte(`{"collections": [{"name": "a", "fields": [{"name": "b", "type": "relation", "collection": "c"}]}]}`))
	if _, wrong := declared.Resolve(backend.Schema{}); len(wrong) != 1 || !strings.Contains(wrong[0].Message, `"c", which does not exist`) {
		t.Errorf("got %+v", wrong)
	}
}

func FuzzParseSchema(f *testing.F) {
	f.Add([]byte(guestbook))
	f.Add([]byte(`{"collections": [{"name": "a", "fields": [{"name": "b", "type": "relation", "collectionId": "a"}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		declared, wrong := ParseSchema(text)
		if len(wrong) > maxDiagnostics {
			t.Errorf("%d diagnostics", len(wrong))
		}
		if len(wrong) > 0 {
			return
		}
		schema, wrong := declared.Resolve(backend.Schema{})
		if len(wrong) > 0 {
			return
		}
		again, wrong := declared.Resolve(schema)
		if len(wrong) > 0 || len(compare(schema, again)) > 0 {
			t.Errorf("a second reading changes %v: %v", compare(schema, again), wrong)
		}
		TypesOf(schema)
	})
}
