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

// theDemoBuildsItsExamples asks the demo for each of the studio's examples, and looks at what it
// built: in all languages, because some words are longer.
func theDemoBuildsItsExamples(t *testing.T, c *chromium, s *service) {
	for heading, wish := range map[string]string{
		"Habits":                    "A habit tracker: tick off habits each day, with a calendar that shows my streaks.",
		"Bread that takes its time": "A page for a small bakery: opening hours, today’s breads with prices, and where to find us.",
		"Invoice":                   "An invoice maker: items, tax, and a sheet that prints well.",
		"Capitals":                  "A quiz about capitals with ten questions, points, and a summary at the end.",
		"Gewohnheiten":              "Ein Gewohnheitstracker: jeden Tag abhaken, mit einem Kalender, der meine Serien zeigt.",
		"Brot, das sich Zeit nimmt": "Eine Seite für eine kleine Bäckerei: Öffnungszeiten, die Brote von heute mit Preisen, und wie man uns findet.",
		"Rechnung":                  "Ein Programm für Rechnungen: Posten, Steuer, und ein Blatt, das sich gut drucken lässt.",
		"Hauptstädte":               "Ein Quiz über Hauptstädte mit zehn Fragen, Punkten und einer Auswertung am Ende.",
		"Hábitos":                   "Un registro de hábitos: marcar los hábitos de cada día, con un calendario que muestre mis rachas.",
		"Pan que se toma su tiempo": "Una página para una panadería pequeña: horario, los panes de hoy con precios y cómo llegar.",
		"Factura":                   "Un creador de facturas: artículos, impuestos y una hoja que se imprima bien.",
		"Capitales":                 "Un quiz sobre capitales con diez preguntas, puntos y un resumen al final.",
		"Guestbook":                 "A guestbook where people sign in and leave a message.",
		"Gästebuch":                 "Ein Gästebuch, in das sich Besucher nach der Anmeldung eintragen.",
		"Libro de visitas":          "Un libro de visitas donde la gente inicie sesión y deje un mensaje.",
	} {
		t.Run(heading, func(t *testing.T) {
			t.Parallel()
			p := s.signUp(t).create("blank")
			p.ask(wish)
			c.open(t).wantSoundPage(heading, p.preview(), heading)
		})
	}
}

// theExamplesWork uses what the demo built as a person would.
func theExamplesWork(t *testing.T, c *chromium, s *service) {
	for wish, use := range map[string]func(page *tab){
		"A habit tracker": func(page *tab) {
			page.until("the day", "document.querySelector('header p').textContent === '1 of 3 done today'")
			page.click("li:first-child input[type=checkbox]")
			page.until("the tick", "document.querySelector('header p').textContent === '2 of 3 done today'")
			page.enter("#habit", "Stretch")
			page.reload()
			page.until("the habits as they were left", "document.querySelector('header p').textContent === '2 of 4 done today'")
		},
		"An invoice maker": func(page *tab) {
			page.until("the sum", "document.querySelector('dl').textContent.includes('€1,332.00')")
			page.click("fieldset:last-of-type button")
			page.until("the sum without an item", "document.querySelector('dl').textContent.includes('€882.00')")
		},
		"A quiz": func(page *tab) {
			page.click("main button")
			for range 10 {
				page.click("main li:first-child button")
				page.click("main [aria-live] button")
			}
			page.until("the result", "document.querySelector('h2').textContent === '2 of 10'")
			page.wantAccessible("the result", fetchAxe(page.t))
		},
		"A guestbook": func(page *tab) {
			page.enter("[name=name]", "Eva")
			page.enter("[name=email]", "eva@example.com")
			page.enter("[name=password]", "a password for tests")
			page.enter("textarea", "Good <b>day</b>")
			page.click("form [type=submit]")
			page.until("the entry as text", "document.querySelector('li p').textContent === 'Good <b>day</b>'")
			page.reload()
			page.click("li button")
			page.until("no entry", "document.querySelector('li') === null && document.querySelector('main').textContent.includes('Yours will be the first.')")
			page.wantAccessible("the guestbook", fetchAxe(page.t))
		},
		"A page for a bakery": func(page *tab) {
			page.until("the hours", "document.querySelectorAll('dt').length === 7 && /^(Open|Closed) now/.test(document.querySelector('main p + p').textContent)")
		},
	} {
		t.Run(wish, func(t *testing.T) {
			t.Parallel()
			p := s.signUp(t).create("blank")
			p.ask(wish)
			page := c.open(t)
			page.visit(p.publish())
			use(page)
			page.wantQuiet()
		})
	}
}
