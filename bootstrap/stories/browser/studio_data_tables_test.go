package browser

import (
	"net/http"
	"testing"
)

// tablesBecomeCollections opens the data of a project that came with migrations of Supabase, looks at
// what would become of them, keeps it, and adds a table of a file to it.
func tablesBecomeCollections(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	project := s.signUp(t).create("static-html")
	project.save("supabase/migrations/20240101_first.sql", `CREATE TABLE public.todos (id uuid PRIMARY KEY, title text NOT NULL, user_id uuid REFERENCES auth.users(id));
ALTER TABLE public.todos ENABLE ROW LEVEL SECURITY;`)
	project.save("supabase/migrations/20240102_second.sql", `CREATE POLICY own ON public.todos USING (auth.uid() = user_id);
CREATE POLICY friends ON public.todos FOR SELECT USING (is_friend(user_id));`)
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID)+"?pane=data")
	p.sees("This project came with tables of Supabase")
	p.looks("no data, with migrations", axe)
	p.press("button", "Tables from Supabase or Postgres…")
	p.press("button", "Show them (2 files)")
	p.sees("These 2 collections would be added")
	p.sees("todos: friends")
	p.looks("tables proposed", axe)
	p.press("button", "Keep")
	p.sees("2 collections added")
	p.press("button", "todos")
	p.sees("Nothing here yet")

	p.press("button", "Tables from Supabase or Postgres…")
	p.upload("dialog input[type=file]", p.file("nothing.sql", "SELECT 1;"))
	p.press("button", "Show the tables")
	p.sees("SQL makes no table")
	p.pardon(http.StatusBadRequest)
	p.upload("dialog input[type=file]", p.file("more.sql", "CREATE TABLE tags (id int, name text); CREATE TABLE todos (id int);"))
	p.press("button", "Show the tables")
	p.sees("This collection would be added")
	p.sees("the project has a collection of that name")
	p.press("button", "Keep")
	p.press("button", "tags")
	p.wantQuiet()
}
