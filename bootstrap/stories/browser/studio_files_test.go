package browser

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func fileStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"files are made, moved and deleted": filesAreKept,
		"files are uploaded":                filesAreUploaded,
		"text is found in all files":        textIsFound,
	}
}

// onTree presses a key on the tree.
func (p *tab) onTree(key string) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void (() => {
		const tree = document.querySelector('[role=tree]');
		tree.focus();
		tree.dispatchEvent(new KeyboardEvent('keydown', {key: %q, bubbles: true, cancelable: true}));
	})()`, key)))
}

func filesAreKept(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("blank")
	p := c.code(t, made)
	p.press("button", "New file")
	p.fill("Path", "src/parts/Card.tsx")
	p.press("button", "Create")
	p.until("the new file", named("tab", "Card.tsx")+" !== null")
	p.types("export const card = 1")
	p.saying("Saved")
	p.press("button", "New file")
	p.fill("Path", "src/parts/Card.tsx")
	p.press("button", "Create")
	p.sees("The file src/parts/Card.tsx already exists.")
	p.fill("Path", "../out.txt")
	p.press("button", "Create")
	p.sees("The path escapes the project root.")
	p.press("button", "Cancel")

	p.onTree("F2")
	p.fill("Path", "src/parts/Panel.tsx")
	// The room tells of it long before the answer is there.
	p.network(&network.Conditions{Latency: 1500, DownloadThroughput: -1, UploadThroughput: -1})
	p.press("button", "Rename")
	p.until("the moved file", named("tab", "Panel.tsx")+" !== null && "+named("treeitem", "Panel.tsx")+" !== null")
	p.network()
	if got := made.read("src/parts/Panel.tsx"); got != "export const card = 1" {
		t.Errorf("got %q in the moved file, want its text", got)
	}
	p.carry(`[data-path="src/parts"]`, `[data-path="public"]`)
	p.until("the moved folder", `document.querySelector('[data-path="public/parts"]') !== null && document.querySelector('[data-path="src/parts"]') === null`)
	p.shows("export const card = 1")
	if got := made.read("public/parts/Panel.tsx"); got != "export const card = 1" {
		t.Errorf("got %q in the moved folder, want its file", got)
	}

	p.onTree("Home")
	p.onTree("ArrowLeft")
	p.until("the folder shut", named("treeitem", "parts")+" === null")
	p.onTree("p")
	p.until("the next that begins so", `document.getElementById(document.querySelector('[role=tree]').getAttribute('aria-activedescendant'))?.dataset.path === 'package.json'`)
	made.save("docs/a.md", "# A\n")
	made.save("docs/b.md", "# B\n")
	p.press("treeitem", "docs")
	p.until("both files", named("treeitem", "b.md")+" !== null")
	p.onTree("Delete")
	p.sees("all 2 files")
	p.press("button", "Delete")
	p.until("the folder gone", named("treeitem", "docs")+" === null")
	made.call(http.StatusNotFound, http.MethodGet, made.path("/files/docs/a.md"), nil, nil)
	p.pardon(http.StatusPreconditionFailed)
	p.wantQuiet()
}

func filesAreUploaded(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("blank")
	p := c.code(t, made)
	folder := t.TempDir()
	pixel := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xff\xff\xff\x7f\x00\t\xfb\x03\xfd\x05CE\xca\x00\x00\x00\x00IEND\xaeB`\x82"
	for name, content := range map[string]string{"dot.png": pixel, "blob.bin": "\x00\xff\x00", "big.txt": strings.Repeat("long\n", 300_000)} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	input := chromedp.CSS(".side input[type=file][multiple]")
	p.do(chromedp.SetUploadFiles(input, []string{filepath.Join(folder, "dot.png"), filepath.Join(folder, "blob.bin"), filepath.Join(folder, "big.txt")}, chromedp.NodeReady))
	p.sees("3 files uploaded")
	p.press("treeitem", "dot.png")
	p.until("the picture", `document.querySelector('.code__picture img')?.naturalWidth === 1`)
	p.press("treeitem", "blob.bin")
	p.sees("This isn’t a text file")
	p.press("treeitem", "big.txt")
	p.sees("This file is too large to edit here")
	p.do(chromedp.SetUploadFiles(input, []string{filepath.Join(folder, "dot.png")}, chromedp.NodeReady))
	p.sees("dot.png already exists and will be replaced.")
	p.press("button", "Replace")
	p.sees("1 file uploaded")
	if got := made.read("dot.png"); got != pixel {
		t.Errorf("got %d bytes, want the picture as it was", len(got))
	}
	p.wantQuiet()
}

func textIsFound(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("blank")
	made.save("src/prices.ts", "export const a = 1\n// größer: cost(a) * 2\nexport const b = 2\n")
	p := c.code(t, made)
	p.press("tab", "Search")
	p.fill("Search in all files", "COST(A)")
	p.sees("1 line in 1 file.")
	if got := evaluate[string](p, "document.querySelector('.search__match mark').textContent"); got != "cost(a)" {
		t.Errorf("got %q marked, want the match", got)
	}
	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('.search__match').click()`))
	p.until("the place", `document.querySelector('.code__at')?.textContent === 'Line 2, column 12' && document.activeElement.matches('.cm-content')`)
	p.press("tab", "Files")
	p.openFile("README.md")
	p.press("tab", "Search")
	p.fill("Search in all files", "cost")
	p.sees("1 line in 1 file.")
	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('.search__match').click()`))
	p.until("the place in the file that was open", `document.querySelector('.code__at')?.textContent === 'Line 2, column 12' && document.activeElement.matches('.cm-content')`)
	p.fill("Search in all files", "COST(A)")
	p.press("button", "Match case")
	p.sees("No matches.")
	p.press("button", "Regex")
	p.fill("Search in all files", "cost(")
	p.sees("This isn’t a valid regular expression")
	p.fill("Search in all files", `cost\((\w)\)`)
	p.sees("1 line in 1 file.")

	p.do(chromedp.Evaluate[chromedp.Void](`void dispatchEvent(new KeyboardEvent('keydown', {key: 'p', ctrlKey: true, cancelable: true}))`))
	p.fill("Type a part of a file", "apptsx")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until("the file", named("tab", "App.tsx")+" !== null")
	p.pardon(http.StatusBadRequest)
	p.wantQuiet()
}
