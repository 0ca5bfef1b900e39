package browser

import (
	"fmt"
	"testing"

	"github.com/atelierhq/atelier/adapters/scaffold"
)

// firstPageWidths are the windows from a small phone to a large screen.
var firstPageWidths = []int64{320, 390, 768, 1024, 1440, 1920}

// firstPagesAreSound looks at what projects begin with, before anybody has changed it.
func firstPagesAreSound(t *testing.T, c *chromium, s *service) {
	for _, template := range scaffold.New().List() {
		if template.ID == toolsTemplate {
			continue // TestProjectWithTools looks at it
		}
		t.Run(template.ID, func(t *testing.T) {
			t.Parallel()
			c.open(t).wantSoundPage(template.ID, s.signUp(t).create(template.ID).preview(), headings()[template.ID])
		})
	}
}

// wantSoundPage checks that a page stays still while it loads, has one main heading, fits every
// window, and that axe finds nothing wrong with it in light and in dark colours.
func (p *tab) wantSoundPage(name, address, heading string) {
	p.t.Helper()
	axe := fetchAxe(p.t)
	p.show(1440, 900, "light")
	p.visit(address)
	p.wantHeading(heading)
	p.painted()
	if shift := evaluate[float64](p, layoutShift); shift > 0.01 {
		p.t.Errorf("%s: got a layout shift of %.3f while it loads, want 0.01 at most", name, shift)
	}
	if count := evaluate[int](p, "[...document.querySelectorAll('h1')].filter((h) => h.checkVisibility()).length"); count != 1 {
		p.t.Errorf("%s: got %d headings of the first level, want one", name, count)
	}
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range firstPageWidths {
			p.show(width, 900, scheme)
			p.until("the end of transitions", unmoved)
			p.painted()
			view := fmt.Sprintf("%s at %d, %s", name, width, scheme)
			p.wantAccessible(view, axe)
			p.picture(view)
		}
	}
	p.wantQuiet()
}

// unmoved reports whether no transition runs. An animation without an end, such as a turning
// logo, does not count.
const unmoved = "document.getAnimations().every((a) => a.playState === 'finished' || a.effect.getTiming().iterations === Infinity)"

// layoutShift is how far content moved without anybody having touched the page (CLS).
const layoutShift = `new Promise((told) => {
	let sum = 0;
	new PerformanceObserver((list) => {
		for (const entry of list.getEntries()) sum += entry.value;
	}).observe({ type: 'layout-shift', buffered: true });
	setTimeout(() => told(sum));
})`
