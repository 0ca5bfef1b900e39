package pgschema

import (
	"strings"
	"testing"
)

// TestPoliciesBecomeRules proposes a table with a policy, and says what its rules are: those to list,
// create and update. - is a rule that lets nobody in.
func TestPoliciesBecomeRules(t *testing.T) {
	const mine = `@request.auth.id != "" && owner = @request.auth.id`
	for _, c := range []struct{ policy, list, create, update string }{
		{`FOR SELECT USING (true)`, "", "-", "-"},
		{`USING (owner = auth.uid())`, mine, mine, mine + " && @request.body.owner:changed = false"},
		{`FOR SELECT USING (((auth.uid())::uuid = owner))`, mine, "-", "-"},
		{`FOR SELECT USING ((( SELECT auth.uid() AS uid) = notes.owner))`, mine, "-", "-"},
		{`FOR SELECT TO authenticated USING (true)`, `@request.auth.id != ""`, "-", "-"},
		{`FOR SELECT TO service_role USING (true)`, "-", "-", "-"},
		{`FOR SELECT USING (auth.role() = 'authenticated'::text)`, `@request.auth.id != ""`, "-", "-"},
		{`FOR SELECT USING (auth.uid() IS NOT NULL)`, `@request.auth.id != ""`, "-", "-"},
		{`FOR SELECT USING (is_public OR owner = auth.uid())`, `@request.auth.id != "" && (is_public = true || owner = @request.auth.id)`, "-", "-"},
		{`FOR SELECT USING (state = 'new' AND (rank >= 2 OR is_public IS TRUE))`, `state = "new" && (rank >= 2 || is_public = true)`, "-", "-"},
		{`FOR SELECT USING (state IS NULL)`, `state = ""`, "-", "-"},
		{`FOR INSERT WITH CHECK (auth.uid() = owner)`, "-", mine, "-"},
		{`FOR UPDATE USING (owner = auth.uid()) WITH CHECK (owner = auth.uid())`, "-", "-", mine + " && @request.body.owner:changed = false"},
		// The record that comes of it would have to be looked at.
		{`FOR UPDATE USING (true) WITH CHECK (owner = auth.uid())`, "-", "-", "-"},
		{`FOR UPDATE USING (owner = auth.uid() AND state = 'new')`, "-", "-", mine + ` && state = "new" && @request.body.owner:changed = false && @request.body.state:changed = false`},
		// What has no equivalent opens nothing.
		{`FOR SELECT USING (is_member(owner))`, "-", "-", "-"},
		{`FOR SELECT USING (EXISTS (SELECT 1 FROM members WHERE members.id = auth.uid()))`, "-", "-", "-"},
		{`FOR SELECT USING (owner IN (SELECT id FROM members))`, "-", "-", "-"},
		{`FOR SELECT USING (NOT is_public)`, "-", "-", "-"},
		{`FOR SELECT USING (state = 'a"b')`, "-", "-", "-"},
		{`FOR SELECT USING (state = 'a\')`, "-", "-", "-"},
		{`FOR SELECT USING (1 = 1)`, "-", "-", "-"},
		{`FOR SELECT USING (auth.uid() <> owner)`, "-", "-", "-"},
		{`FOR SELECT USING (auth.role() <> 'anon')`, "-", "-", "-"},
		{`FOR SELECT USING (hidden = 'x')`, "-", "-", "-"},
		{`FOR SELECT USING (owner = auth.uid()) ; CREATE POLICY b ON notes AS RESTRICTIVE FOR SELECT USING (is_member(owner))`, "-", "-", "-"},
		{`FOR SELECT USING (is_public) ; CREATE POLICY b ON notes AS RESTRICTIVE FOR SELECT USING (rank > 1)`, `is_public = true && rank > 1`, "-", "-"},
		{`FOR SELECT USING (is_public) ; CREATE POLICY b ON notes FOR SELECT USING (rank > 1)`, `is_public = true || rank > 1`, "-", "-"},
		{`FOR SELECT USING (true) ; DROP POLICY IF EXISTS a ON notes`, "-", "-", "-"},
		{`FOR SELECT USING (` + strings.Repeat("(", 100) + "true" + strings.Repeat(")", 101), "-", "-", "-"},
		{`FOR SELECT USING`, "-", "-", "-"},
	} {
		p := draft{taken: map[string]bool{}, users: "users", from: read(
			`CREATE TABLE notes (id uuid PRIMARY KEY, owner uuid REFERENCES auth.users, is_public boolean, state text, rank int);
			ALTER TABLE notes ENABLE ROW LEVEL SECURITY; CREATE POLICY a ON notes ` + c.policy)}
		made := p.collections(false)[0]
		for name, rule := range map[string]struct {
			got  *string
			want string
		}{"list": {made.ListRule, c.list}, "create": {made.CreateRule, c.create}, "update": {made.UpdateRule, c.update}} {
			got := "-"
			if rule.got != nil {
				got = *rule.got
			}
			if got != rule.want {
				t.Errorf("%.200s: got to %s %q, want %q", c.policy, name, got, rule.want)
			}
		}
	}
}

func TestTablesThatAreThereStay(t *testing.T) {
	made, err := Propose(`create table Notes (id int); create table tags (note int references notes, "by" uuid references auth.users)`, "people", []string{"notes"})
	if err != nil || len(made.Collections) != 1 || made.Collections[0].Name != "tags" || !strings.Contains(made.Collections[0].Text, `"collection":"notes"`) || !strings.Contains(made.Collections[0].Text, `"collection":"people"`) {
		t.Errorf("got %+v, %v, want the tags, which refer to what is there", made, err)
	}
}

// FuzzPropose looks for SQL that never ends, or breaks a collection's text.
func FuzzPropose(f *testing.F) {
	for _, sql := range []string{
		"create table a (b int", "create table a (b int[", "create table (", "create table a.b.c.d (e.f g.h.i)", "create", "alter table a",
		"create table a (b int check (b in ('x'", "create policy a on", "create policy p on a to x,", "'", "\"", "$$", "$a$ $$", "/*/*", "e'\\", "\\", "copy a from stdin; x",
		"create table a (b int references", "create table a (b int on delete", "create table a (b int default (", "create table a (b a[][], primary key", "do $$ create type x as enum ('a') $$",
		"create table a (id int); alter table a rename id to; alter table a rename to", "create type t as enum ('a'); alter type t add value", "create unique index on a (", "\x00\xff",
		"create table \"\" (\"\" \"\")", "create table ä (ö text, \"1\" text, _ text, expand text)",
	} {
		f.Add(sql)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		made, err := Propose(sql, "", nil)
		if err != nil {
			return
		}
		for _, one := range made.Collections {
			if !strings.HasPrefix(one.Text, "{\n") || !strings.HasSuffix(one.Text, "\n}") {
				t.Errorf("got %q", one.Text)
			}
		}
	})
}
