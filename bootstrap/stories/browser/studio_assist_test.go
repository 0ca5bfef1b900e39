package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// spot is the middle of the first place of a text in the editor.
type spot struct{ X, Y float64 }

func (p *tab) spotOf(text string) spot {
	p.t.Helper()
	at := fmt.Sprintf(`(() => {
		const walk = document.createTreeWalker(document.querySelector('.cm-content'), NodeFilter.SHOW_TEXT);
		for (let node = walk.nextNode(); node; node = walk.nextNode()) {
			const at = node.data.indexOf(%q);
			if (at < 0) continue;
			const range = document.createRange();
			range.setStart(node, at);
			range.setEnd(node, at + %d);
			const { left, top, width, height } = range.getBoundingClientRect();
			return { X: left + width / 2, Y: top + height / 2 };
		}
		return null;
	})()`, text, len(text))
	p.until("the text "+text, at+" !== null")
	return evaluate[spot](p, at)
}

// saves presses the key that saves.
func (p *tab) saves() {
	p.t.Helper()
	p.do(chromedp.KeyEvent("s", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
}

// typescriptHelps completes a name of another file, looks at it, goes to it, sees an error come
// and go, and saves formatted. TypeScript comes from the public registry.
func typescriptHelps(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("blank")
	made.save("src/greetings.ts", "/** greet says hello to somebody. */\nexport function greet(name: string): string {\n  return `Hello ${name}`;\n}\n")
	made.save("src/App.tsx", "export default function App() {\n  return <h1>{gre}</h1>;\n}\n")
	p := c.code(t, made)
	p.openFile("App.tsx")
	p.together()
	const wrong = "document.querySelector('.cm-lintRange-error')"
	p.until("the error", wrong+"?.textContent === 'gre'")
	p.until("the count of problems", "document.querySelector('.code__count')?.textContent === '1 problem'")

	// F8 selects the problem.
	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('.cm-content').focus()`), chromedp.KeyEvent(kb.F8), chromedp.KeyEvent(kb.ArrowRight))
	p.do(chromedp.KeyEvent("e"))
	p.until("the completion", `(() => {
		const chosen = document.querySelector('.cm-tooltip-autocomplete [aria-selected]')?.textContent ?? '';
		return chosen.startsWith('greet') && chosen.includes('./greetings');
	})()`)
	p.until("what goes with it", "document.querySelector('.cm-completionInfo')?.textContent.includes('import from \"./greetings\"') === true")
	// The editor takes no key right after the list has opened.
	p.click(".cm-tooltip-autocomplete [aria-selected]")
	p.until("the import", fmt.Sprintf("document.querySelector('.cm-content').innerText.startsWith(%q)", "import { greet } from"))
	p.until("an error, for a function is no text", wrong+" !== null")
	for _, key := range "('you" {
		p.do(chromedp.KeyEvent(string(key)))
	}
	p.shows("{greet('you')}")
	p.until("no error", wrong+" === null")

	at := p.spotOf("greet")
	p.do(chromedp.MouseEvent("mouseMoved", at.X, at.Y))
	p.until("what the name is", "document.querySelector('.cm-tooltip-hover .cm-described')?.textContent.includes('greet(name: string): string') === true")
	p.do(chromedp.MouseClickXY(at.X, at.Y, chromedp.ButtonModifiers(chromedp.ModifierCtrl)))
	p.until("its definition", named("tab", "greetings.ts")+"?.getAttribute('aria-selected') === 'true' && document.querySelector('.code__at')?.textContent === 'Line 2, column 17'")
	p.savesFormatted(made)
	p.wantQuiet()
}

// savesFormatted saves a line that is badly formatted, undoes that, and saves without formatting.
func (p *tab) savesFormatted(made *project) {
	p.t.Helper()
	const bad, good = "export   const size={a:1};", "export const size = { a: 1 };"
	p.typesAt(5, bad[:len(bad)-3])
	// The editor closes the brace itself.
	p.do(chromedp.KeyEvent("1"), chromedp.KeyEvent(kb.End), chromedp.KeyEvent(";"))
	p.shows(bad)
	p.saves()
	p.shows(good)
	p.wait("the formatted file", func() bool { return strings.Contains(made.read("src/greetings.ts"), good) })
	p.do(chromedp.KeyEvent("z", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.shows(bad)
	p.press("button", "Format on save")
	p.until("formatting off", named("button", "Format on save")+"?.getAttribute('aria-pressed') === 'false'")
	p.saves()
	p.wait("the file as it was typed", func() bool { return strings.Contains(made.read("src/greetings.ts"), bad) })
	p.shows(bad)
}
