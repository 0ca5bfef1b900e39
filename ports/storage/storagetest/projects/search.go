package projects

import (
	"maps"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

func searchClauses() []clause {
	return []clause{
		{"every word of a query must begin a word of name or description", searchWords},
		{"full text takes letters and digits of every script, whatever their case and accents", searchScripts},
		{"other characters in a query only separate words", searchHostile},
		{"a query without a word matches everything", searchNothing},
		{"a query may have any number of words of any length", searchLong},
		{"full text finds what an update wrote, and no more what it replaced", searchUpdated},
	}
}

// searchCase is a workspace whose projects are identified by their slugs.
type searchCase struct {
	testCase
	member, workspace core.ID
}

func (s testCase) searched(texts map[string][2]string) searchCase {
	s.Helper()
	workspace := s.Workspace()
	for slug, text := range texts {
		s.Project(workspace.ID, func(p *core.Project) {
			p.Slug, p.Name = slug, text[0]
			if text[1] != "" {
				p.Description = &text[1]
			}
		})
	}
	return searchCase{s, s.Member(workspace.ID, core.RoleMember).ID, workspace.ID}
}

// finds checks that a query finds exactly these slugs.
func (s searchCase) finds(query string, want ...string) {
	s.Helper()
	projects, err := s.Projects.List(s.Context(), storage.ProjectFilter{
		Member: s.member, Workspace: s.workspace, Query: query,
	}, core.Page{Limit: 100})
	s.Must(err)
	got := map[string]bool{}
	for _, project := range projects {
		got[project.Slug] = true
	}
	wanted := map[string]bool{}
	for _, slug := range want {
		wanted[slug] = true
	}
	if !maps.Equal(got, wanted) {
		s.Errorf("query %.60q: got %v, want %v", query, got, wanted)
	}
}

func searchWords(plain testCase) {
	s := plain.searched(map[string][2]string{
		"shop": {"Flower shop", "Sells roses and tulips"},
		"blog": {"Blog", "About flowers"},
		"todo": {"Todo-list 2000", ""},
	})
	s.finds("flow", "shop", "blog")
	s.finds("FLOWERS", "blog")
	s.finds("flow ros", "shop")
	s.finds("ros flow", "shop")
	s.finds("flow list")
	s.finds("lower")
	s.finds("hop")
	s.finds("todo", "todo")
	s.finds("list", "todo")
	s.finds("20", "todo")
	s.finds("shopsells")
	s.finds("shop sells", "shop")
	s.finds("s", "shop")
	s.finds("flow flow flow", "shop", "blog")
}

func searchScripts(plain testCase) {
	s := plain.searched(map[string][2]string{
		"greek":   {"ΣΟΦΟΣ λόγος", ""},
		"german":  {"Äpfel und STRAßE", ""},
		"cyrill":  {"Привет, МИР", ""},
		"cjk":     {"東京 タワー", ""},
		"turkish": {"İstanbul", ""},
		"arabic":  {"مرحبا ٣٤", ""},
		"astral":  {"𐐀𐐁 x", ""},
	})
	s.finds("σοφος", "greek")
	s.finds("σοφοσ", "greek")
	s.finds("ΛΌΓ", "greek")
	s.finds("ÄPF", "german")
	s.finds("apf", "german")
	s.finds("a\u0308pf", "german")
	s.finds("straß", "german")
	s.finds("strass", "german")
	s.finds("λογος", "greek")
	s.finds("привет мир", "cyrill")
	s.finds("東", "cjk")
	s.finds("京")
	s.finds("istan", "turkish")
	s.finds("٣", "arabic")
	s.finds("𐐨𐐩", "astral")
}

func searchHostile(plain testCase) {
	s := plain.searched(map[string][2]string{
		"shop":  {`Shop's "best" 100%_off\`, "a:b c*d (e) AND NOT f; DROP"},
		"other": {"Other", ""},
	})
	for _, query := range []string{
		"shop's", `"best`, `best"`, "100%", "100%_off", `off\`, `\off`, "a:b", "c*d", "c*", "(e", "(e)", "e)",
		"AND NOT", "f; DROP", "'shop'", "shop\x00best", "shop\xffbest", "?shop", "{shop}", "[\"shop\"]",
		"-shop", "shop:*", "shop|best", "^shop", "shop~best", "$shop", "%shop%", "_off",
	} {
		s.finds(query, "shop")
	}
	for _, query := range []string{"%hop", "_hop", "sh_p", "s%p", "*hop", "shop OR other", "or 1=1"} {
		s.finds(query)
	}
}

func searchNothing(plain testCase) {
	s := plain.searched(map[string][2]string{"a": {"A", ""}, "empty": {"%", ""}})
	for _, query := range []string{"", " ", "%", "_", `\`, "'", `"`, "\x00", "\xff", "-- ;", "🙂", "?"} {
		s.finds(query, "a", "empty")
	}
}

func searchLong(plain testCase) {
	long := strings.Repeat("y", 60_000)
	words := strings.Repeat("alpha beta ", 3000)
	s := plain.searched(map[string][2]string{"long": {"Long", "alpha beta " + long}})
	s.finds(long, "long")
	s.finds(long + "y")
	s.finds(words, "long")
	s.finds(words + "gamma")
	distinct := make([]string, 3000)
	for i := range distinct {
		distinct[i] = strings.Repeat("y", i+1)
	}
	s.finds(strings.Join(distinct, " "), "long")
}

func searchUpdated(plain testCase) {
	s := plain.searched(map[string][2]string{"shop": {"Shop", "roses"}})
	project := s.listed(storage.ProjectFilter{Member: s.member})[0]
	_, err := s.Projects.Update(s.Context(), project, func(p *core.Project) error {
		p.Name, p.Description = "Bakery", nil
		return nil
	})
	s.Must(err)
	s.finds("bak", "shop")
	s.finds("ros")
	s.finds("shop")
}
