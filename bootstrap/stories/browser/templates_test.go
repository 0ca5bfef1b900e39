package browser

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/atelierhq/atelier/adapters/scaffold"
)

// headings are what the templates begin with.
func headings() map[string]string {
	return map[string]string{
		"blank": "Hello there", "todo-app": "My todos", "landing-page": "Plan together, ship on time",
		"dashboard": "Overview", "static-html": "Hello, world", "vite-react": "Vite + React",
	}
}

func everyTemplateRenders(t *testing.T, c *chromium, s *service) {
	for _, template := range scaffold.New().List() {
		if template.ID == toolsTemplate {
			continue // TestProjectWithTools renders it
		}
		t.Run(template.ID, func(t *testing.T) {
			t.Parallel()
			s.signUp(t).create(template.ID).renders(t, c, template.ID)
		})
	}
}

// renders checks that a new project's preview and its published site have the same
// layout.
func (p *project) renders(t *testing.T, c *chromium, template string) {
	t.Helper()
	heading := headings()[template]
	if heading == "" {
		t.Fatal("got a template without a heading in this test, want one")
	}
	draft := c.open(t)
	shown := draft.look("preview", p.preview(), heading, func(string) {})
	site := c.open(t)
	live := site.look("published", p.publish(), heading, func(view string) {
		site.picture(template + "-" + view)
		if view == "1280x800-light" {
			site.galleryPicture(template)
		}
	})
	for view, layout := range shown {
		if live[view] != layout {
			t.Errorf("%s: got another layout when published:\n%s\nwant\n%s", view, live[view], layout)
		}
	}
}

//go:embed layout.js
var layoutScript string

//go:embed flaws.js
var flawsScript string

// look visits a page in every size and colour scheme, and returns its layouts.
func (p *tab) look(name, address, heading string, views func(view string)) map[string]string {
	p.t.Helper()
	layouts := map[string]string{}
	p.show(1280, 800, "light")
	p.visit(address)
	p.wantHeading(heading)
	for _, size := range [][2]int64{{1280, 800}, {390, 844}} {
		for _, scheme := range []string{"light", "dark"} {
			view := fmt.Sprintf("%dx%d-%s", size[0], size[1], scheme)
			p.show(size[0], size[1], scheme)
			p.until("the pictures", "document.readyState === 'complete' && document.fonts.status === 'loaded'")
			p.until("the end of what moves", unmoved)
			layouts[view] = evaluate[string](p, layoutScript)
			if flaws := evaluate[[]string](p, flawsScript); len(flaws) > 0 {
				p.t.Errorf("%s, %s: got\n%s", name, view, strings.Join(flaws, "\n"))
			}
			if dark := evaluate[bool](p, "matchMedia('(prefers-color-scheme: dark)').matches"); dark != (scheme == "dark") {
				p.t.Errorf("%s: got dark: %t", view, dark)
			}
			views(view)
		}
	}
	if layouts["390x844-light"] == layouts["390x844-dark"] {
		p.t.Errorf("%s: got the same colours in both schemes", name)
	}
	p.wantQuiet()
	return layouts
}

// galleryPicture takes the picture of a template that the studio shows (`make gallery`).
func (p *tab) galleryPicture(template string) {
	p.t.Helper()
	folder := os.Getenv("ATELIER_GALLERY")
	if folder == "" {
		return
	}
	got := send(p, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Format: "webp", Quality: new(int64(82)), Clip: &page.Viewport{Width: 1280, Height: 800, Scale: 0.5},
	})
	if err := os.WriteFile(filepath.Join(folder, template+".webp"), got.Data, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// keepsArtifacts reports whether artifacts are requested. Pictures take longer than the
// pages that they show.
func keepsArtifacts() bool {
	asked := flag.Lookup("test.artifacts")
	return asked != nil && asked.Value.String() == "true"
}

// picture takes a picture of the whole page, when somebody wants to look at it.
func (p *tab) picture(name string) {
	p.t.Helper()
	if !keepsArtifacts() {
		return
	}
	png := run(p, chromedp.FullScreenshot(100))
	if err := os.WriteFile(filepath.Join(p.t.ArtifactDir(), name+".png"), png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}
