package browser

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	u := s.signUp(t)
	for _, template := range scaffold.New().List() {
		t.Run(template.ID, func(t *testing.T) {
			u.t = t
			heading := headings()[template.ID]
			if heading == "" {
				t.Fatal("got a template without a heading in this test, want one")
			}
			p := u.create(template.ID)
			shown := look(t, c.open(t), template.ID+"-preview", p.preview(), heading)
			live := look(t, c.open(t), template.ID+"-published", p.publish(), heading)
			for view, layout := range shown {
				if live[view] != layout {
					t.Errorf("%s: got another layout when published:\n%s\nwant\n%s", view, live[view], layout)
				}
			}
		})
	}
}

//go:embed layout.js
var layoutScript string

//go:embed flaws.js
var flawsScript string

// look visits a page in every size and colour scheme, takes its picture, and
// returns its layouts.
func look(t *testing.T, page *tab, name, address, heading string) map[string]string {
	t.Helper()
	layouts := map[string]string{}
	page.show(1280, 800, "light")
	page.visit(address)
	page.wantHeading(heading)
	for _, size := range [][2]int64{{1280, 800}, {390, 844}} {
		for _, scheme := range []string{"light", "dark"} {
			view := fmt.Sprintf("%dx%d-%s", size[0], size[1], scheme)
			page.show(size[0], size[1], scheme)
			page.until("the pictures", "document.readyState === 'complete' && document.fonts.status === 'loaded'")
			if flaws := evaluate[[]string](page, flawsScript); len(flaws) > 0 {
				t.Errorf("%s, %s: got\n%s", name, view, strings.Join(flaws, "\n"))
			}
			if dark := evaluate[bool](page, "matchMedia('(prefers-color-scheme: dark)').matches"); dark != (scheme == "dark") {
				t.Errorf("%s: got dark: %t", view, dark)
			}
			layouts[view] = evaluate[string](page, layoutScript)
			page.picture(name + "-" + view)
		}
	}
	if layouts["390x844-light"] == layouts["390x844-dark"] {
		t.Errorf("%s: got the same colours in both schemes", name)
	}
	page.wantQuiet()
	return layouts
}

// picture takes a picture of the whole page.
func (p *tab) picture(name string) {
	p.t.Helper()
	png, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.t.ArtifactDir(), name+".png"), png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}
