package browser

import "testing"

func looksStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"the typeface comes with the page and moves nothing": theTypefaceComes,
	}
}

// measured returns the width and the height of a paragraph in two fonts, as four numbers.
const measured = `((fonts) => fonts.flatMap((font) => {
	const words = document.createElement('span');
	words.style.cssText = 'position: absolute; white-space: nowrap; line-height: normal; font: 14px ' + font;
	words.textContent = 'Describe what you want to build. The agent writes the code, and the preview follows; “Größe”, 1,280 of 3,600 tokens, Publish.';
	document.body.append(words);
	const { width, height } = words.getBoundingClientRect();
	words.remove();
	return [width, height];
}))(['Geist', '"Geist Arial", "Geist DejaVu"'])`

// theTypefaceComes checks that the font is asked for by the page itself, and that the
// system's font that is shown before takes as much room.
func theTypefaceComes(t *testing.T, c *chromium, s *service) {
	p := c.open(t)
	p.observeShifts()
	p.show(1440, 900, "light")
	p.visit(s.url + "/login")
	p.until("the typeface", `document.fonts.check('14px Geist') && [...document.fonts].some((font) => font.family === 'Geist' && font.status === 'loaded')`)
	if by := evaluate[string](p, `performance.getEntriesByType('resource').find(({ name }) => name.endsWith('.woff2'))?.initiatorType ?? 'nothing'`); by != "link" {
		t.Errorf("got the typeface loaded by %q, want link", by)
	}
	size := evaluate[[]float64](p, measured)
	for i, what := range []string{"width", "height"} {
		if real, before := size[i], size[i+2]; before < real*0.97 || before > real*1.03 {
			t.Errorf("got a %s of %.1f pixels before the typeface is there and of %.1f after, want the same within 3 %%", what, before, real)
		}
	}
	p.wantSteady()
	p.wantQuiet()
}
