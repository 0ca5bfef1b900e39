package demo_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestAGuestbook(t *testing.T) {
	for name, c := range map[string]struct{ wish, index, want string }{
		"a React project":         {"Please build a guestbook.", "<body>\n<div id=root></div>\n</body>\n", "<div id=root></div>\n<link rel=\"stylesheet\" href=\"/guestbook.css\" />\n<section id=\"guestbook\"></section>\n<script type=\"module\" src=\"/guestbook.js\"></script>\n</body>"},
		"a page with a main part": {"A guest book", "<body>\n<main>\n</main>\n<footer></footer></body>", "</section>\n<script type=\"module\" src=\"/guestbook.js\"></script>\n</main>"},
		"in Spanish":              {"Añade un libro de visitas", "<body></body>", `<section id="guestbook">`},
		"in German":               {"Ich hätte gern ein Gästebuch", "<body></body>", `<section id="guestbook">`},
		"no body":                 {"Add a guest book", "<h1>Hi</h1>", `<h1>Hi</h1><link rel="stylesheet"`},
		"no page":                 {"a guestbook", "", `<h1>Guestbook</h1>`},
	} {
		t.Run(name, func(t *testing.T) {
			d := &desk{t: t, files: map[string]string{"src/App.tsx": app}, broken: "Build succeeded."}
			if c.index != "" {
				d.files["index.html"] = c.index
			}
			answer := d.run("", c.wish, allTools...)
			confesses(t, answer)
			if !strings.Contains(d.files["index.html"], c.want) || !strings.Contains(d.files["index.html"], "/guestbook.js") {
				t.Errorf("got the page %s, want %q in it", d.files["index.html"], c.want)
			}
			for _, path := range []string{"backend/schema.json", "backend/seed.json"} {
				if !json.Valid([]byte(d.files[path])) {
					t.Errorf("%s: got %q, want JSON", path, d.files[path])
				}
			}
			if d.files["src/App.tsx"] != app || d.files["guestbook.js"] == "" || d.files["guestbook.css"] == "" {
				t.Errorf("got %v, want the script and the other files untouched", d.files)
			}
			if first := slices.Index(d.used, "write_file"); first != 2 || d.used[len(d.used)-1] != "check_build" {
				t.Errorf("got the tools %v, want a look before and a check after", d.used)
			}
		})
	}
}

func TestAGuestbookIsBuiltOnlyWhereThatIsMeant(t *testing.T) {
	d := &desk{t: t, files: map[string]string{"src/App.tsx": app}, broken: "Build succeeded."}
	d.run("", `Change the title to "My guestbook"`, allTools...)
	d.run("", "Change the heading to My guestbook", allTools...)
	if d.files["backend/schema.json"] != "" {
		t.Error("got a backend for a heading")
	}
	d.files["backend/schema.json"] = "mine"
	if answer := d.run("", "Build a guestbook", allTools...); d.files["backend/schema.json"] != "mine" || !strings.Contains(answer, "keeps data already") {
		t.Errorf("got %q and %q, want the backend left alone", answer, d.files["backend/schema.json"])
	}
	plan := d.run(`Answer with {"steps":[…]}.`, "Build a guestbook", "list_files", "read_file")
	if !strings.Contains(plan, `"backend/schema.json"`) {
		t.Errorf("got the plan %s, want the backend in it", plan)
	}
	few := &desk{t: t, files: map[string]string{"src/App.tsx": app}, broken: "Build succeeded."}
	few.run("", "Build a guestbook", "list_files", "read_file", "edit_file")
	if len(few.files) != 1 {
		t.Errorf("got %v without write_file, want no half of a guestbook", few.files)
	}
}
