package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// theDescriptionCanBeRead looks at GET /docs on a desk and on a phone, by day and
// by night. Its policy lets no script run, so nothing here waits for one.
func theDescriptionCanBeRead(t *testing.T, c *chromium, s *service) {
	p := c.open(t)
	p.show(1280, 800, "light")
	p.visit(s.url + "/docs")
	p.wantHeading("Atelier API")
	grounds := map[string]bool{}
	for _, size := range [][2]int64{{1280, 800}, {390, 844}} {
		for _, scheme := range []string{"light", "dark"} {
			p.show(size[0], size[1], scheme)
			view := fmt.Sprintf("%dx%d-%s", size[0], size[1], scheme)
			if flaws := evaluate[[]string](p, flawsScript); len(flaws) > 0 {
				t.Errorf("%s: got\n%s", view, strings.Join(flaws, "\n"))
			}
			grounds[evaluate[string](p, "getComputedStyle(document.body).backgroundColor")] = true
		}
	}
	if len(grounds) != 2 {
		t.Errorf("got the backgrounds %v, want one for each scheme", grounds)
	}
	p.do(chromedp.Click(chromedp.CSS(`nav a[href="#section-files"]`)))
	p.until("the section that was clicked", "Math.abs(document.getElementById('section-files').getBoundingClientRect().top) < 50")
	if missing := evaluate[[]string](p, `[...document.querySelectorAll('a[href^="#"]')].map((a) => a.hash.slice(1)).filter((id) => !document.getElementById(id))`); len(missing) > 0 {
		t.Errorf("got links to %v, want each to lead somewhere", missing)
	}
	p.wantQuiet()
}
