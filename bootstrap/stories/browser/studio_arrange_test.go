package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const arranged = `function Hero() {
  return <h1 className="p-2">Welcome</h1>
}

export default function App() {
  return (
    <main>
      <Hero />
      <p>First</p>
      <p>Second</p>
      <ul>{[1, 2].map((one) => <li key={one}>Item {one}</li>)}</ul>
    </main>
  )
}
`

// layer is an expression for the row of a layer whose text begins with a label.
func layer(label string) string {
	return fmt.Sprintf(`[...document.querySelectorAll('[role=treeitem]')].find((row) => row.textContent.trim().startsWith(%q))`, label)
}

// arrangeElements walks the tree of layers, several elements at once, and moving, copying,
// wrapping and deleting, of which each is one undo that survives a reload.
func arrangeElements(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	project := s.signUp(t).create("blank")
	project.save("src/App.tsx", arranged)
	p, framed := c.edit(t, project)
	framed.until("the page", `document.querySelector('h1')?.textContent === 'Welcome'`)
	p.press("button", "Layers")
	p.until("the component's name", layer("Hero Welcome")+` !== undefined`)
	p.do(chromedp.Evaluate[chromedp.Void](`void ` + layer("Paragraph First") + `.click()`))
	p.until("the paragraph chosen", `document.querySelector('.editor__tag')?.textContent === 'Paragraph'`)
	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('[role=tree]').focus()`))
	p.do(chromedp.KeyEvent(kb.End), chromedp.KeyEvent(kb.Home), chromedp.KeyEvent("h"), chromedp.KeyEvent(kb.Enter))
	p.until("the heading chosen by typing", `document.querySelector('.editor__tag')?.textContent === 'Heading' && `+layer("Hero")+`.getAttribute('aria-selected') === 'true'`)
	p.sees("all that its component shows")

	p.clickIn(framed, "p")
	p.until("the place known", named("button", "Move later")+` !== null`)
	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('[role=tree]').focus()`))
	p.do(chromedp.KeyEvent(kb.ArrowDown, chromedp.KeyModifiers(1)))
	swapped := strings.Replace(arranged, "      <p>First</p>\n      <p>Second</p>\n", "      <p>Second</p>\n      <p>First</p>\n", 1)
	p.wantFile(project, "src/App.tsx", swapped)
	framed.until("the page in that order", `[...document.querySelectorAll('p')].map((one) => one.textContent).join() === 'Second,First'`)
	p.until("the moved paragraph chosen", layer("Paragraph First")+`?.getAttribute('aria-selected') === 'true'`)

	p.do(chromedp.Evaluate[chromedp.Void](layer("Paragraph Second") + `.dispatchEvent(new MouseEvent('click', {bubbles: true, shiftKey: true}))`))
	p.sees("2 elements selected")
	p.fill("Background", "#ffee00")
	coloured := strings.ReplaceAll(swapped, "<p>", `<p className="bg-[#ffee00]">`)
	p.wantFile(project, "src/App.tsx", coloured)
	p.looks("several elements", axe)
	p.sees("2 elements selected")
	p.press("button", "Undo")
	p.wantFile(project, "src/App.tsx", swapped)
	p.press("button", "Wrap in a box")
	p.wantFile(project, "src/App.tsx", strings.Replace(swapped, "      <p>Second</p>\n      <p>First</p>\n", "      <div>\n        <p>Second</p>\n        <p>First</p>\n      </div>\n", 1))
	framed.until("the box", `document.querySelector('main > div > p') !== null`)

	p.reload()
	framed = p.frame(project.preview())
	p.beginEditing(framed)
	p.press("button", "Undo")
	p.wantFile(project, "src/App.tsx", swapped)
	p.press("button", "Undo")
	p.wantFile(project, "src/App.tsx", arranged)
	framed.until("the page as it was", `[...document.querySelectorAll('main > p')].map((one) => one.textContent).join() === 'First,Second'`)
	p.clickIn(framed, "p")
	p.until("the place known", named("button", "Move later")+` !== null`)
	p.dragIn(framed, "p", "p + p")
	p.wantFile(project, "src/App.tsx", swapped)
	p.press("button", "Undo")
	p.wantFile(project, "src/App.tsx", arranged)

	sheet := project.read("src/index.css")
	p.press("button", "Theme")
	p.fill("background", "#eeeeee")
	p.frame(project.preview()).until("the page in that color", `getComputedStyle(document.body).backgroundColor === 'rgb(238, 238, 238)'`)
	p.wait("the color in the style sheet", func() bool { return strings.Contains(project.read("src/index.css"), "light-dark(#eeeeee, ") })
	p.fill("foreground", "#dddddd")
	p.sees("Hard to read")
	p.press("tab", "Dark")
	p.fill("foreground", "#ffeedd")
	p.wait("the color of the dark theme", func() bool {
		return strings.Contains(project.read("src/index.css"), "--color-foreground: light-dark(#dddddd, #ffeedd)")
	})
	p.looks("theme", axe)
	for range 3 {
		p.press("button", "Undo")
	}
	p.wait("the style sheet as it was", func() bool { return project.read("src/index.css") == sheet })
	p.frame(project.preview()).until("the page as it was", `getComputedStyle(document.body).backgroundColor === 'rgb(250, 249, 247)'`)
	p.wantQuiet()
}

// dragIn drags an element of a frame behind the middle of another one.
func (p *tab) dragIn(framed *tab, from, to string) {
	p.t.Helper()
	outer := evaluate[[]float64](p, `(({x, y}) => [x, y])(document.querySelector('iframe').getBoundingClientRect())`)
	middle := func(selector string) (x, y float64) {
		inner := evaluate[[]float64](framed, fmt.Sprintf(`(({x, y, width, height}) => [x + width / 2, y + height / 2])(document.querySelector(%q).getBoundingClientRect())`, selector))
		return outer[0] + inner[0], outer[1] + inner[1]
	}
	x, y := middle(from)
	p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	x, y = middle(to)
	for _, at := range []float64{y - 2, y + 4} {
		p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, at, chromedp.ButtonLeft))
	}
	p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, x, y+4, chromedp.ButtonLeft, chromedp.ClickCount(1)))
}
