package browser

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// arrival is a project that was made elsewhere: a file of testdata/arrivals, packed.
type arrival struct {
	file string
	// folder holds all files of the archive, as many exports have one.
	folder string
	// heading is the preview's; without one, there is only a list of missing things.
	heading string
	// problem is the preview's message instead.
	problem string
	// notes are texts that the import's answer has.
	notes []string
}

// arrivals are those that the service builds itself.
func arrivals() []arrival {
	return []arrival{
		{file: "lovable", heading: "Recipes from Lovable"},
		{file: "lovable-supabase", folder: "notes-main/", heading: "Notes from Lovable", notes: []string{"supabase/migrations has the tables of the pages"}},
		{file: "lovable-no-env", notes: []string{
			"src/integrations/supabase/client.ts reads VITE_SUPABASE_URL", "src/integrations/supabase/client.ts reads VITE_SUPABASE_PUBLISHABLE_KEY",
		}},
		{file: "bolt", folder: "project/", heading: "Habits from Bolt"},
		{file: "bolt-diy", heading: "Cards from bolt.diy"},
		{file: "dyad", heading: "Invoices from dyad"},
		{file: "replit-react", heading: "Quiz from Replit"},
		{file: "replit-static", folder: "Clock/", heading: "Clock from Replit"},
		{file: "firebase-vite", heading: "Prototype from Firebase Studio", notes: []string{"src/firebase.js reads VITE_FIREBASE_API_KEY"}},
		{file: "ai-studio", heading: "Ideas from AI Studio 1.2.3"},
		{file: "figma-make", folder: "Board/", heading: "Board from Figma Make"},
		{file: "cra", heading: "Hello from Create React App"},
		{file: "cra-typescript", heading: "Orders from a typed Create React App", notes: []string{"src/config.ts reads REACT_APP_API"}},
		{file: "vite-react-ts", heading: "A plain Vite project"},
		{file: "vite-vanilla-ts", heading: "Plain Vite without a framework"},
		{file: "vite-builtins", heading: "Node's modules: .pdf"},
		{file: "monorepo-pnpm", folder: "shop-main/", heading: "Shop in a monorepo", notes: []string{"apps/web"}},
		{file: "monorepo-npm", heading: "Client of a full-stack repository", notes: []string{"client", "server/package.json"}},
		{file: "monorepo-two-apps", problem: "there is an application in apps/docs and in apps/web", notes: []string{"apps/docs, apps/web"}},
	}
}

// arrivalsWithTools are those whose own tools build them.
func arrivalsWithTools() []arrival {
	return []arrival{
		{file: "v0", heading: "Pricing from v0"},
		{file: "firebase-studio", heading: "Meals from Firebase Studio"},
		{file: "replit-fullstack", folder: "Tasks/", heading: "Tasks from Replit's server"},
	}
}

// whatArrivesPreviews imports projects from elsewhere.
func whatArrivesPreviews(t *testing.T, c *chromium, s *service) {
	for _, a := range arrivals() {
		t.Run(a.file, func(t *testing.T) {
			t.Parallel()
			if p := a.arrives(t, c, s); a.heading != "" {
				site := c.open(t)
				site.visit(p.publish())
				site.wantHeading(a.heading)
			}
		})
	}
}

// TestArrivalsWithTools does not run in parallel with others, as TestProjectWithTools, but
// its projects do: they mostly wait for packages.
func TestArrivalsWithTools(t *testing.T) {
	c, s := startChromium(t), startService(t, "localhost")
	for _, a := range arrivalsWithTools() {
		t.Run(a.file, func(t *testing.T) {
			t.Parallel()
			a.arrives(t, c, s)
		})
	}
}

// TestMostArrivalsPreview counts what the tables above promise.
func TestMostArrivalsPreview(t *testing.T) {
	all := append(arrivals(), arrivalsWithTools()...)
	shown := 0
	for _, a := range all {
		if a.heading != "" {
			shown++
		}
	}
	if len(all) < 20 || shown < 18 {
		t.Errorf("got %d of %d that preview, want 18 of 20", shown, len(all))
	}
}

// arrives imports an arrival and looks at its preview.
func (a arrival) arrives(t *testing.T, c *chromium, s *service) *project {
	t.Helper()
	p, notes := s.signUp(t).importProject(storytest.Zipped(t, storytest.Arrival(t, a.file, a.folder)...))
	wantNotes(t, notes, a.notes)
	page := c.open(t)
	page.visit(p.preview())
	switch {
	case a.heading != "":
		page.wantHeading(a.heading)
	case a.problem != "":
		page.until("what is missing", fmt.Sprintf("document.body.innerText.includes(%q)", a.problem))
	}
	return p
}

// wantNotes looks for texts in the notes of an import, which has none without them.
func wantNotes(t *testing.T, notes, texts []string) {
	t.Helper()
	all := strings.Join(notes, "\n")
	for _, want := range texts {
		if !strings.Contains(all, want) {
			t.Errorf("got the notes %q, want %q among them", notes, want)
		}
	}
	if len(texts) == 0 && len(notes) > 0 {
		t.Errorf("got the notes %q, want none", notes)
	}
}

// importProject makes a project of an archive, and returns it with the answer's notes.
func (u *user) importProject(archive []byte) (*project, []string) {
	u.t.Helper()
	form := storytest.ImportForm(u.t, "Arrived", archive)
	response := u.send(http.MethodPost, "/workspaces/"+string(u.workspace)+"/projects/import", form.ContentType(), form)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	var made struct {
		core.Project
		Notes []string `json:"notes"`
	}
	if err == nil {
		err = json.Unmarshal(answer, &made)
	}
	if err != nil || response.StatusCode != http.StatusCreated {
		u.t.Fatalf("got %d %.300s, %v, want the project", response.StatusCode, answer, err)
	}
	return &project{user: u, Project: made.Project}, made.Notes
}
