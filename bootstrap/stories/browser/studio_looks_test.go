package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func looksStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"the typeface comes with the page and moves nothing":       theTypefaceComes,
		"buttons without words say what they do":                   buttonsHaveTooltips,
		"a toast covers no field and no button":                    aToastCoversNothing,
		"fields have a line of three to one":                       fieldsAreSeen,
		"the studio is installed, and says when it is offline":     theStudioIsInstalled,
		"on a phone a finished run leads to the page":              aRunLeadsToThePage,
		"beside the chat the tree of files leaves the editor room": theTreeIsADrawer,
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

// tooltip is the text of the tooltip that is shown.
const tooltip = `(document.querySelector('.tooltip:popover-open')?.textContent ?? '')`

// middleOf returns where the middle of an element is, in the window.
func (p *tab) middleOf(element string) (x, y float64) {
	p.t.Helper()
	p.until("the element", element+" !== null")
	at := evaluate[[]float64](p, "(({ x, y, width, height }) => [x + width / 2, y + height / 2])("+element+".getBoundingClientRect())")
	return at[0], at[1]
}

func (p *tab) pointAt(element string) {
	p.t.Helper()
	x, y := p.middleOf(element)
	send(p, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y})
}

// buttonsHaveTooltips reads one with the mouse, with the keyboard and with a finger. A long
// press with the finger does not mean the button.
func buttonsHaveTooltips(t *testing.T, c *chromium, s *service) {
	p := c.workbench(t, s.signUp(t).create("blank"))
	search := named("button", "Commands")
	p.pointAt(search)
	p.until("the tooltip", tooltip+".startsWith('Commands')")
	p.picture("tooltip")
	p.until("no native one beside it", search+".title === ''")
	p.pointAt(`document.querySelector('.chat')`)
	p.until("no tooltip", tooltip+" === ''")

	p.do(chromedp.KeyEvent(kb.Tab))
	p.until("a button with the focus", fmt.Sprintf("(%s).focus({ focusVisible: true }) === undefined", search))
	p.until("the tooltip by keyboard", tooltip+".startsWith('Commands')")
	p.do(chromedp.KeyEvent(kb.Escape))
	p.until("no tooltip after Escape", tooltip+" === ''")

	x, y := p.middleOf(search)
	send(p, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchStart, TouchPoints: []*input.TouchPoint{{X: x, Y: y}}})
	p.until("the tooltip by a long press", tooltip+".startsWith('Commands')")
	send(p, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchEnd, TouchPoints: []*input.TouchPoint{}})
	p.painted()
	if evaluate[bool](p, "document.querySelector('dialog[open]') !== null") {
		t.Error("got the palette by a press that showed the tooltip")
	}
	p.wantQuiet()
}

// covered lists what a toast lies on.
const covered = `(() => {
	const toast = document.querySelector('.toast').getBoundingClientRect();
	return [...document.querySelectorAll('input, textarea, select, button, a[href]')]
		.filter((element) => element.closest('.toasts') === null && element.checkVisibility())
		.filter((element) => {
			const at = element.getBoundingClientRect();
			return at.left < toast.right && at.right > toast.left && at.top < toast.bottom && at.bottom > toast.top;
		})
		.map((element) => element.outerHTML.slice(0, 200));
})()`

func aToastCoversNothing(t *testing.T, c *chromium, s *service) {
	p := c.enterAs(t, s.signUp(t), "/settings/profile")
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		p.fill("Name", "Ada in "+shape.name)
		p.press("button", "Save")
		p.until("the toast", "document.querySelector('.toast') !== null")
		p.painted()
		for _, element := range evaluate[[]string](p, covered) {
			t.Errorf("%s: got the toast on %s", shape.name, element)
		}
		p.picture("toast " + shape.name)
		p.press("button", "Close")
		p.until("no toast", "document.querySelector('.toast') === null")
	}
	p.wantQuiet()
}

// contrast is that of a field's line against what is inside and around it.
const contrast = `(() => {
	const context = document.createElement('canvas').getContext('2d');
	const light = (color) => {
		context.fillStyle = color;
		context.fillRect(0, 0, 1, 1);
		const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
		return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
	};
	const field = document.querySelector('.input');
	const style = getComputedStyle(field);
	const line = light(style.borderBottomColor);
	return [style.backgroundColor, getComputedStyle(document.body.parentElement).backgroundColor].map((color) => Math.max(line / light(color), light(color) / line));
})()`

func fieldsAreSeen(t *testing.T, c *chromium, s *service) {
	p := c.open(t)
	p.show(1440, 900, "light")
	p.visit(s.url + "/login")
	for _, scheme := range []string{"light", "dark"} {
		p.show(1440, 900, scheme)
		p.until("a field", "document.querySelector('.input') !== null")
		for _, ratio := range evaluate[[]float64](p, contrast) {
			if ratio < 3 {
				t.Errorf("%s: got a contrast of %.2f of a field's line, want 3 (WCAG 1.4.11)", scheme, ratio)
			}
		}
	}
}

// aRunLeadsToThePage also opens the project again, with its conversation: nothing moves.
func aRunLeadsToThePage(t *testing.T, c *chromium, s *service) {
	p := c.workbench(t, s.signUp(t).create("todo-app"))
	p.show(390, 844, "light")
	p.turnTo("Chat")
	p.ask(`Change the title to "On the phone"`)
	p.answered()
	mark := "document.querySelector('.bottom-bar__mark') !== null"
	p.until("the mark", mark)
	p.picture("finished on a phone")
	p.press("button", "See your page")
	p.until("the preview", `[...document.querySelectorAll('.bottom-bar__choice')].find((choice) => choice.textContent === 'Preview')?.getAttribute('aria-current') === 'true'`)
	p.until("no mark", "!("+mark+")")

	p.show(1440, 900, "light")
	p.observeShifts()
	p.visit(evaluate[string](p, "location.href"))
	p.until("the conversation", "document.querySelector('.turn') !== null")
	p.settle()
	p.wantSteady()
	p.wantQuiet()
}

// theTreeIsADrawer looks at a file in a narrow window that has the chat, too.
func theTreeIsADrawer(t *testing.T, c *chromium, s *service) {
	p := c.workbench(t, s.signUp(t).create("todo-app"))
	for _, width := range []int64{820, 1024} {
		p.show(width, 1180, "light")
		p.press("tab", "Code")
		p.press("button", "Files")
		p.until("the tree", "document.querySelector('.tree')?.checkVisibility() === true")
		p.until("a file", "[...document.querySelectorAll('.tree__row')].find((row) => row.textContent.includes('package.json'))?.click() === undefined")
		p.until("the editor", "document.querySelector('.cm-content')?.checkVisibility() === true")
		p.picture(fmt.Sprintf("code %d", width))
		if room := evaluate[float64](p, "document.querySelector('.cm-editor').getBoundingClientRect().width / innerWidth"); room < 0.5 {
			t.Errorf("%d pixels: got an editor of %.0f %% of the window, want half of it", width, room*100)
		}
		if evaluate[bool](p, "document.querySelector('.tree').checkVisibility()") {
			t.Errorf("%d pixels: got the tree beside the editor", width)
		}
	}
	p.wantQuiet()
}

// icons loads the icons of the manifest and of the page, and returns those that are not as they
// are described.
const icons = `(async () => {
	const link = document.querySelector('link[rel=manifest]').href;
	const manifest = await (await fetch(link)).json();
	const told = [...manifest.icons.filter(({ type }) => type === 'image/png'), { src: document.querySelector('link[rel=apple-touch-icon]').href, sizes: '180x180' }];
	const wrong = [];
	for (const { src, sizes } of told) {
		const image = new Image();
		image.src = new URL(src, link).href;
		await image.decode().catch(() => {});
		if (image.naturalWidth + 'x' + image.naturalHeight !== sizes) wrong.push(src + ': ' + image.naturalWidth);
	}
	const start = new URL(manifest.start_url, link);
	if (start.pathname !== '/build/here/dashboard') wrong.push('it begins at ' + start.pathname);
	return wrong;
})()`

// theStudioIsInstalled plays below a path, where addresses go wrong most easily.
func theStudioIsInstalled(t *testing.T, c *chromium, _ *service) {
	s := startService(t, "localhost", map[string]string{"APP_URL": "/build/here"})
	p := c.open(t)
	p.show(390, 844, "light")
	p.visit(s.url + "/login")
	p.wantHeading("Welcome back")
	for _, wrong := range evaluate[[]string](p, icons) {
		t.Errorf("got %s, want what the manifest says", wrong)
	}
	p.wait("the page of the service worker", func() bool {
		return evaluate[bool](p, `caches.match('/build/here/offline').then((found) => found !== undefined && navigator.serviceWorker.controller !== null)`)
	})
	p.visit(s.url + "/signup")
	p.wantQuiet()
	kept := evaluate[[]string](p, `(async () => {
		const all = [];
		for (const name of await caches.keys()) for (const { url } of await (await caches.open(name)).keys()) all.push(new URL(url).pathname);
		return all;
	})()`)
	if len(kept) != 1 || kept[0] != "/build/here/offline" {
		t.Errorf("got %q kept in the browser, want the offline page alone", kept)
	}

	s.end()
	p.visit(s.url + "/signup")
	p.wantHeading("You’re offline")
	p.picture("offline")
}
