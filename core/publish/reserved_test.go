package publish_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/publish"
)

// TestPublishesThatChangeLiveDataAreReserved has a workspace that lets only admins publish what changes
// functions or rules. Members publish everything else, and nothing gets around it.
func TestPublishesThatChangeLiveDataAreReserved(t *testing.T) {
	s := newStudio(t)
	member, admin := s.person("member@example.com", core.RoleMember), s.person("admin@example.com", core.RoleAdmin)
	reserve := func(role core.Role) {
		_, err := s.store.Tables().Workspaces.Update(t.Context(), s.space, func(space *core.Workspace) error {
			space.LivePublish = role
			return nil
		})
		s.must(err)
	}
	want := func(what string, by core.Actor, refused string) {
		t.Helper()
		_, err := s.publish.Publish(t.Context(), by, s.project, publish.Request{})
		if refused == "" && err != nil || refused != "" && (!core.IsCode(err, core.CodeForbidden) || !strings.Contains(err.Error(), refused) || !strings.Contains(err.Error(), "ask an admin")) {
			t.Errorf("%s: got %v, want it refused for %q", what, err, refused)
		}
	}
	const schema = `{"collections": [{"name": "notes", "listRule": "LIST", "fields": [{"name": "text", "type": "text"}]}]}`
	rule := func(text string) string { return strings.Replace(schema, `"LIST"`, text, 1) }

	reserve(core.RoleMember)
	s.write("functions/save.ts", "one")
	s.write("backend/schema.json", rule("null"))
	want("a member where nothing is reserved", member, "")
	first := s.deployments()[0].ID
	reserve(core.RoleAdmin)
	s.write("index.html", "two")
	want("a page", member, "")
	s.write("functions/save.ts", "two")
	want("a changed function", member, "save")
	s.write("functions/save.ts", "one")
	s.write("functions/more.ts", "one")
	want("a new function", member, "more")
	want("a new function, by an admin", admin, "")
	s.write("functions/more.ts", "")
	want("a function that is gone", member, "more")
	s.write("functions/more.ts", "one")
	s.write("backend/schema.json", rule(`""`))
	want("an open rule", member, "notes")
	s.write("backend/schema.json", strings.Replace(rule(`""`), `"name": "notes"`, `"name": "letters", "renamedFrom": "notes"`, 1))
	want("an open rule under another name", member, "letters")
	s.write("backend/schema.json", strings.Replace(rule("null"), `"fields"`, `"type": "auth", "manageRule": "", "fields"`, 1))
	want("an option that is a rule", member, "notes")
	s.write("backend/schema.json", strings.Replace(rule("null"), `{"name": "text", "type": "text"}`, `{"name": "text", "type": "text"}, {"name": "more", "type": "text"}`, 1))
	want("another field", member, "")
	if _, err := s.publish.Rollback(t.Context(), member, s.project, first); !core.IsCode(err, core.CodeForbidden) || !strings.Contains(err.Error(), "more") {
		t.Errorf("a rollback to other functions: got %v, want it refused", err)
	}
	if _, err := s.publish.Rollback(t.Context(), admin, s.project, first); err != nil {
		t.Errorf("a rollback by an admin: got %v, want it done", err)
	}
	s.must(s.publish.Unpublish(t.Context(), admin, s.project))
	if _, err := s.publish.Rollback(t.Context(), member, s.project, first); !core.IsCode(err, core.CodeForbidden) {
		t.Errorf("functions on a site that was off the network: got %v, want it refused", err)
	}
}
