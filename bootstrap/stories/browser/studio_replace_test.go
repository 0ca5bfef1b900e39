package browser

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func replaceStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"matches are seen, and replaced in all files": matchesAreReplaced,
	}
}

func matchesAreReplaced(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("blank")
	long := "export const page = '" + "a long line before it, " + "and more of it: needle';\n"
	made.save("src/one.ts", long+"// needle and Needle\r\n")
	made.save("src/two.ts", "export const needle = 1\n")
	made.save("docs/three.md", "needle\n")
	p := c.code(t, made)
	p.do(chromedp.KeyEvent("f", chromedp.KeyModifiers(chromedp.ModifierCtrl|chromedp.ModifierShift)))
	p.until("the search", "document.activeElement?.type === 'search'")
	p.do(chromedp.KeyEvent("needle"))
	p.sees("4 lines in 3 files.")
	// Every match is in sight, although the column is narrow.
	if hidden := evaluate[int](p, `[...document.querySelectorAll('.search__text')].filter((text) => {
		const mark = text.querySelector('mark')?.getBoundingClientRect(), box = text.getBoundingClientRect();
		return !mark || mark.right > box.right + 1;
	}).length`); hidden > 0 {
		t.Errorf("got %d matches out of sight", hidden)
	}
	p.press("button", "Paths")
	p.fill("Files to include", "src")
	p.sees("3 lines in 2 files.")
	p.fill("Files to exclude", "two.*")
	p.sees("2 lines in 1 file.")
	p.fill("Files to exclude", "")
	p.press("button", "Replace")
	p.fill("Replace with", "thread")
	p.inAllShapes("search with replace")
	p.press("button", "Replace all…")
	p.sees("4 matches in 2 files. Here’s what will change:")
	p.inAllShapes("replace preview")
	p.wantAccessible("the preview of a replacement", fetchAxe(t))
	// Somebody else changes a file while the preview is read.
	made.save("src/two.ts", "export const needle = 2\n")
	p.press("button", "Replace all")
	p.sees("Replaced 3 matches in 1 file.")
	p.sees("Someone changed these in the meantime, so they were left unchanged: src/two.ts")
	p.wantFile(made, "src/one.ts", "export const page = 'a long line before it, and more of it: thread';\n// thread and thread\r\n")
	p.wantFile(made, "src/two.ts", "export const needle = 2\n")
	p.wantFile(made, "docs/three.md", "needle\n")
	p.press("button", "Undo")
	p.until("the dialog closed or a complaint", "document.querySelector('dialog[open]') === null || document.querySelector('.toast') !== null")
	if said := evaluate[string](p, "document.querySelector('.toast--error')?.textContent ?? ''"); said != "" {
		t.Fatalf("got the complaint %q", said)
	}
	p.wantFile(made, "src/one.ts", long+"// needle and Needle\r\n")

	// A regular expression replaces with its groups.
	p.press("button", "Regex")
	p.fill("Search in all files", `const (\w+) = (\d)`)
	p.sees("1 line in 1 file.")
	p.fill("Replace with", "let $1 = -$2")
	p.press("button", "Replace all…")
	p.sees("+export let needle = -2")
	p.press("button", "Replace all")
	p.sees("Replaced 1 match in 1 file.")
	p.wantFile(made, "src/two.ts", "export let needle = -2\n")
	p.do(chromedp.KeyEvent(kb.Escape))
	p.pardon(http.StatusBadRequest)
	p.wantQuiet()
}

// inAllShapes takes pictures of the page in all shapes.
func (p *tab) inAllShapes(name string) {
	p.t.Helper()
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		p.settle()
		p.picture(name + " " + shape.name)
	}
	p.show(1440, 900, "light")
}
