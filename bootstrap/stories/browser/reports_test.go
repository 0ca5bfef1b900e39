package browser

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// report is a public report about a project from elsewhere: a file of testdata/reports, which says
// where the report is.
type report struct {
	file string
	// page looks at the preview, and at the published site.
	page func(*tab)
	// notes are texts that the import's answer has.
	notes []string
	// check looks at what no page shows.
	check func(*project)
}

// reports have the numbers under which they came in. Number 4 and 7 were no faults. Those from 10 to 13 are
// about models: see adapters/openai/gateways_test.go, core/dialect and core/agent/tools.
func reports() []report {
	return []report{
		{file: "01-vite-define.txtar", page: hasHeading("v1.2.3 key:PLACEHOLDER")},
		{file: "02-vite-alias-only.txtar", page: hasHeading("box")},
		{file: "02-vite-alias-spellings.txtar", page: hasHeading("box!")},
		{file: "03-vite-root-client.txtar", page: hasHeading("client 7")},
		{file: "05-tailwind3-border.txtar", page: bordersAreGray},
		{file: "06-tailwind3-opacity.txtar", page: coloursAreSeenThrough},
		{file: "08-tsconfig-bom.txtar", page: hasHeading("B")},
		{file: "09-missing-stylesheet-link.txtar", check: (*project).isPublishedWithAWarning},
		{file: "14-class-prefix.txtar", check: (*project).keepsThePrefixOfClasses},
		{file: "15-typecheck-baseurl.txtar", check: (*project).hasItsTypeErrors},
		{file: "16-zip-names-agents-link.zip", check: has("AGENTS.md", "# Rules", "CLAUDE.md", "# Rules"), notes: []string{"CLAUDE.md"}},
		{file: "16-zip-names-explorer-cp437.zip", check: has("Über uns.html", "u")},
		{file: "16-zip-names-powershell5.zip", check: has("css/a.css", "h1{}")},
		{file: "17-glob-with-cast.txtar", page: hasHeading("./posts/a.txt,./posts/a.txt,./notes/b.txt")},
		{file: "18-lfs-pointer.txtar", notes: []string{"Git LFS: v.png"}},
		{file: "19-supabase-csv.txtar", check: (*project).takesATable},
		{file: "20-pnpm-workspace.txtar", page: hasButton("mono btn"), notes: []string{"apps/web"}},
		{file: "21-express-beside-vite.txtar", check: (*project).runsItsServer},
	}
}

// whatWasReportedIsMended imports the projects of reports.
func whatWasReportedIsMended(t *testing.T, c *chromium, s *service) {
	for _, r := range reports() {
		t.Run(r.file, func(t *testing.T) {
			t.Parallel()
			p, notes := s.signUp(t).importProject(reported(t, r.file))
			wantNotes(t, notes, r.notes)
			if r.check != nil {
				r.check(p)
			}
			if r.page == nil {
				return
			}
			for _, address := range []string{p.preview(), p.publish()} {
				page := c.open(t)
				page.visit(address)
				r.page(page)
				page.wantQuiet()
			}
		})
	}
}

// reported returns the archive of a report.
func reported(t *testing.T, file string) []byte {
	t.Helper()
	path := filepath.Join("..", "..", "..", "testdata", "reports", file)
	if filepath.Ext(file) != ".zip" {
		return storytest.Zipped(t, storytest.Unpacked(t, path)...)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func hasHeading(text string) func(*tab) { return func(p *tab) { p.wantHeading(text) } }

func hasButton(text string) func(*tab) {
	return func(p *tab) {
		p.until("the button", fmt.Sprintf("document.querySelector('button')?.textContent === %q", text))
	}
}

// wantStyle waits for the computed value of a property. pseudo is "" or, for example, "::placeholder".
func (p *tab) wantStyle(selector, pseudo, property, value string) {
	p.t.Helper()
	p.until("the style", fmt.Sprintf("getComputedStyle(document.querySelector(%q), %q)[%q] === %q", selector, pseudo, property, value))
}

func bordersAreGray(p *tab) {
	const gray = "rgb(229, 231, 235)"
	p.wantStyle("#box", "", "borderTopColor", gray)
	p.wantStyle("#line", "", "borderBottomColor", gray)
	p.wantStyle("#second", "", "borderTopColor", gray)
	p.wantStyle("input", "", "borderTopColor", gray)
}

func coloursAreSeenThrough(p *tab) {
	const red = "rgba(239, 68, 68, 0.5)"
	p.wantStyle("#f", "", "backgroundColor", "rgba(0, 0, 0, 0.5)")
	p.wantStyle("#t", "", "color", red)
	p.wantStyle("#b", "", "borderTopColor", red)
	p.wantStyle("#d", "", "borderTopColor", red)
	p.until("the ring", fmt.Sprintf("getComputedStyle(document.querySelector('#r')).boxShadow.includes('%s 0px 0px 0px 3px')", red))
	p.wantStyle("#p", "::placeholder", "color", red)
	p.click("#t")
	p.wantStyle("#f", "", "backgroundColor", "rgba(0, 0, 0, 0.2)")
}

// has checks files, which are given as pairs of paths and contents.
func has(pairs ...string) func(*project) {
	return func(p *project) {
		for i := 0; i+1 < len(pairs); i += 2 {
			if got := p.read(pairs[i]); got != pairs[i+1] {
				p.t.Errorf("%s: got %q, want %q", pairs[i], got, pairs[i+1])
			}
		}
	}
}

// isPublishedWithAWarning: what a publish says of a link, the preview says before.
func (p *project) isPublishedWithAWarning() {
	p.t.Helper()
	var shown struct {
		Status                string
		Diagnostics, Warnings []core.Diagnostic
	}
	conformance.Eventually(p.t, "the preview", func() bool {
		p.call(http.StatusOK, http.MethodPost, p.path("/preview"), nil, &shown)
		return shown.Status != "starting"
	})
	var published struct{ Warnings []core.Diagnostic }
	p.call(http.StatusOK, http.MethodPost, p.path("/publish"), map[string]string{"slug": "s" + string(p.ID)}, &published)
	if shown.Status != "ready" || len(shown.Diagnostics) > 0 || len(shown.Warnings) != 1 || len(published.Warnings) != 1 || published.Warnings[0] != shown.Warnings[0] {
		p.t.Errorf("got the preview %+v and the publish %+v, want them to warn of the style sheet", shown, published)
	}
	if text := shown.Warnings[0].Message; !strings.Contains(text, "/index.css") {
		p.t.Errorf("got the warning %q, want it to name the style sheet", text)
	}
}

func (p *project) keepsThePrefixOfClasses() {
	p.t.Helper()
	patch := func(property, value string) map[string]string {
		return map[string]string{"selector": "h1", "property": property, "value": value, "as": "class"}
	}
	patches := []map[string]string{patch("padding", "2rem"), patch("margin-left", "1rem")}
	p.call(http.StatusOK, http.MethodPost, "/direct-save/"+string(p.ID), map[string]any{"filePath": "src/App.tsx", "patches": patches}, nil)
	if got := p.read("src/App.tsx"); !strings.Contains(got, `className="tw-p-[2rem] hover:tw-text-red-500 tw-ml-[1rem]"`) {
		p.t.Errorf("got %s, want classes with the prefix", got)
	}
}

func (p *project) hasItsTypeErrors() {
	p.t.Helper()
	var found struct{ Diagnostics []core.Diagnostic }
	p.call(http.StatusOK, http.MethodPost, p.path("/typecheck"), nil, &found)
	if len(found.Diagnostics) != 1 || found.Diagnostics[0].Path != "src/a.ts" || found.Diagnostics[0].Line != 1 {
		p.t.Errorf("got %+v, want the first line of src/a.ts", found.Diagnostics)
	}
}

func (p *project) takesATable() {
	p.t.Helper()
	table := p.send(http.MethodPost, p.path("/backend/test/collections/tasks/import"), "text/csv", strings.NewReader(p.read("tasks.csv")))
	defer table.Body.Close()
	answer, _ := io.ReadAll(table.Body)
	if table.StatusCode != http.StatusOK {
		p.t.Fatalf("got %d %s, want the table imported", table.StatusCode, answer)
	}
	var page struct {
		Items []struct {
			Title, Due string
			Done       bool
			Tags       []string
		}
	}
	p.call(http.StatusOK, http.MethodGet, p.path("/backend/test/collections/tasks/records?sort=title"), nil, &page)
	if got, want := fmt.Sprint(page.Items), "[{One 2024-05-01 10:00:00.123Z true [a b]} {Two 2024-05-01 08:00:00.000Z false []}]"; got != want {
		p.t.Errorf("got %s, want %s", got, want)
	}
}

// runsItsServer does not wait for the server, as TestArrivalsWithTools does.
func (p *project) runsItsServer() {
	p.t.Helper()
	var shown struct{ Runtime, RuntimeReason string }
	p.call(http.StatusOK, http.MethodPost, p.path("/preview"), nil, &shown)
	if shown.Runtime != "node" || !strings.Contains(shown.RuntimeReason, `"dev" in package.json runs tsx`) {
		p.t.Errorf("got %+v, want the project's own tools, and why", shown)
	}
	p.call(http.StatusNoContent, http.MethodDelete, p.path("/preview"), nil, nil)
}
