package projects_test

import (
	"archive/zip"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestTheApplicationOfAMonorepoBecomesTheRoot(t *testing.T) {
	f := newFixture(t)
	made, err := f.imported(packed(t,
		"shop/package.json", `{"workspaces": ["apps/*", "packages/*"]}`, "shop/README.md", "of the whole", "shop/yarn.lock", "x", "shop/tsconfig.base.json", "{}",
		"shop/apps/web/package.json", `{"name": "web", "dependencies": {"@shop/ui": "workspace:^", "@shop/api": "*", "react": "^19"}}`,
		"shop/apps/web/index.html", "<h1>", "shop/apps/web/README.md", "of the application",
		"shop/apps/web/tsconfig.json", `{"extends": "../../tsconfig.base.json", "include": ["src", "../other"]}`,
		"shop/apps/web/src/lib/a.ts", `import "../../../../packages/ui/x"; import '../b'; const far = "../../../../../x"`,
		"shop/packages/ui/package.json", `{"name": "@shop/ui", "dependencies": {"@shop/api": "workspace:*"}}`,
		"shop/packages/ui/index.html", "to try it", "shop/packages/api/package.json", "\ufeff"+`{"name": "@shop/api", "dependencies": {"hono": "4"}}`))
	f.must(err)
	want := map[string]string{
		"package.json": `{"name": "web", "dependencies": {"@shop/ui": "file:packages/ui", "@shop/api": "file:packages/api", "react": "^19"}}`,
		"index.html":   "<h1>", "README.md": "of the application", "tsconfig.base.json": "{}",
		"tsconfig.json":             `{"extends": "./tsconfig.base.json", "include": ["src", "./apps/other"]}`,
		"src/lib/a.ts":              `import "../../packages/ui/x"; import '../b'; const far = "../../../../../x"`,
		"packages/ui/package.json":  `{"name": "@shop/ui", "dependencies": {"@shop/api": "file:../../packages/api"}}`,
		"packages/ui/index.html":    "to try it",
		"packages/api/package.json": "\ufeff" + `{"name": "@shop/api", "dependencies": {"hono": "4"}}`,
	}
	if got := f.contents(made.ID); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if notes := strings.Join(written(made.Notes), "\n"); len(made.Notes) != 3 || !strings.Contains(notes, "apps/web") || !strings.Contains(notes, "package.json, README.md, yarn.lock") ||
		!strings.Contains(notes, "packages/api/package.json is a server") {
		t.Errorf("got the notes %q, want what moved, what was left out, and the server", made.Notes)
	}
}

func TestNoFileOfAMonorepoGrowsMuch(t *testing.T) {
	f := newFixture(t)
	folder := strings.Repeat("long", 50) + "/a"
	hostile := strings.Repeat(`"../"`, 1000)
	made, err := f.imported(packed(t, folder+"/package.json", "{}", folder+"/index.html", `"../"`, folder+"/a.js", hostile, "README.md", "x"))
	f.must(err)
	if got := f.contents(made.ID); got["a.js"] != hostile || len(got["index.html"]) < 200 {
		t.Errorf("got %d bytes of %d, and %q", len(got["a.js"]), len(hostile), got["index.html"])
	}
}

func TestWhatIsNoMonorepoStaysAsItIs(t *testing.T) {
	for name, pairs := range map[string][]string{
		"an application at the root":    {"index.html", "x", "package.json", "{}", "docs/index.html", "x", "docs/package.json", "{}"},
		"pages that Vite finds":         {"vite.config.ts", "x", "package.json", "{}", "client/index.html", "x", "client/package.json", "{}"},
		"a framework":                   {"package.json", `{"dependencies": {"next": "16"}}`, "docs/package.json", "{}", "docs/index.html", "x"},
		"an application far down":       {"a/b/c/package.json", "{}", "a/b/c/index.html", "x", "d", "x"},
		"a package.json that is broken": {"package.json", "{", "web/package.json", "{", "d", "x"},
		"two applications":              {"a/package.json", "{}", "a/index.html", "x", "b/package.json", "{}", "b/index.html", "x"},
	} {
		f := newFixture(t)
		made, err := f.imported(packed(t, pairs...))
		f.must(err)
		got := f.contents(made.ID)
		for i := 0; i < len(pairs); i += 2 {
			if got[pairs[i]] != pairs[i+1] {
				t.Errorf("%s: got %v, want %s as it was", name, got, pairs[i])
			}
		}
		if told := len(made.Notes) > 0; told != (name == "two applications") {
			t.Errorf("%s: got the notes %q", name, made.Notes)
		}
	}
}

func TestFunctionsOfFirebaseAreNotTheProjects(t *testing.T) {
	f := newFixture(t)
	made, err := f.imported(packed(t, "index.html", "x", "functions/package.json", `{"dependencies": {"firebase-functions": "6"}}`, "functions/index.js", "y"))
	f.must(err)
	if got := slices.Sorted(maps.Keys(f.contents(made.ID))); !slices.Equal(got, []string{"firebase/functions/index.js", "firebase/functions/package.json", "index.html"}) || len(made.Notes) != 1 {
		t.Errorf("got %v and the notes %q", got, made.Notes)
	}
}

func TestTablesOfSupabaseAreNoted(t *testing.T) {
	f := newFixture(t)
	made, err := f.imported(packed(t, "index.html", "x", "supabase/migrations/1.sql", "create table a (id int)"))
	f.must(err)
	if len(made.Notes) != 1 || !strings.Contains(made.Notes[0].String(), "under Data") {
		t.Errorf("got the notes %q, want where the tables can be kept", made.Notes)
	}
}

func TestTheNamesOfMissingValuesAreListed(t *testing.T) {
	f := newFixture(t)
	made, err := f.imported(packed(t,
		"index.html", "<title>%VITE_TITLE%</title>", ".env", "\ufeffVITE_SET=1\nexport REACT_APP_TOO = 2", ".env.example", "VITE_A=",
		"src/a.ts", "import.meta.env.VITE_A; env?.VITE_SET; const { REACT_APP_B, NEXT_PUBLIC_C: c } = process.env; process.env['REACT_APP_TOO']; 'VITE_WORD'",
		"dist/b.js", "import.meta.env.VITE_BUILT", "src/c.txt", "import.meta.env.VITE_TEXT", "vite.config.ts", "process.env.VITE_CONFIG"))
	f.must(err)
	want := []string{
		"index.html reads VITE_TITLE, which no .env file sets: set VITE_TITLE among the project's environment values",
		"src/a.ts reads NEXT_PUBLIC_C, which no .env file sets: set VITE_C among the project's environment values",
		"src/a.ts reads REACT_APP_B, which no .env file sets: set VITE_B among the project's environment values",
		"src/a.ts reads VITE_A, which no .env file sets: set VITE_A among the project's environment values",
	}
	if !slices.Equal(written(made.Notes), want) {
		t.Errorf("got %q, want %q", made.Notes, want)
	}
}

// TestAnExportWithDataIsImportedWithoutThem: the data of a project are no files of it.
func TestAnExportWithDataIsImportedWithoutThem(t *testing.T) {
	f := newFixture(t)
	made, err := f.imported(packedWith(t, func(archive *zip.Writer) {
		for _, name := range []string{"apps/web/index.html", "apps/web/package.json", "pb_data/data.db"} {
			_, err := archive.Create(name)
			f.must(err)
		}
		f.must(archive.SetComment("Atelier project with data"))
	}))
	f.must(err)
	if got := slices.Sorted(maps.Keys(f.contents(made.ID))); !slices.Equal(got, []string{"apps/web/index.html", "apps/web/package.json"}) || len(made.Notes) != 1 {
		t.Errorf("got %v and the notes %q, want the files alone", got, made.Notes)
	}
}

// written returns the notes of an import in English.
func written(notes []core.Phrase) []string {
	var texts []string
	for _, note := range notes {
		texts = append(texts, note.String())
	}
	return texts
}
