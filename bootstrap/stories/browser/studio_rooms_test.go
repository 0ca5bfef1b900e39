package browser

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func roomStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"two people and the agent type in one file":   peopleAndTheAgentTypeInOneFile,
		"what is typed offline comes into the room":   typedOfflineComesIn,
		"a reader sees a text grow and cannot type":   aReaderSeesATextGrow,
		"somebody follows another through the files":  somebodyFollows,
		"files that others move and delete are found": othersMoveFiles,
		"what others ask of the agent shows at once":  othersAskTheAgent,
	}
}

// together waits until the file that is open is edited in the room.
func (p *tab) together() {
	p.t.Helper()
	p.until("the room", `document.querySelector('.code__status')?.dataset.live === 'yes'`)
}

// typesAt puts the cursor at the end of a line, counted from 1, and types.
func (p *tab) typesAt(line int, text string) {
	p.t.Helper()
	// Others' typing may arrive before the editor notices the selection. So may the focus,
	// with which the editor restores the old cursor.
	p.until("the cursor", fmt.Sprintf(`(() => {
		const at = document.querySelector('.cm-content'), line = at.querySelectorAll('.cm-line')[%d];
		const own = line.cloneNode(true);
		own.querySelectorAll('[contenteditable=false]').forEach((widget) => widget.remove());
		at.focus();
		getSelection().selectAllChildren(line);
		getSelection().collapseToEnd();
		return document.querySelector('.code__at').textContent === 'Line %d, column ' + (own.textContent.length + 1);
	})()`, line-1, line))
	for _, key := range text {
		p.do(chromedp.KeyEvent(string(key)))
	}
}

// doc is the text in the editor.
func (p *tab) doc() string {
	p.t.Helper()
	return evaluate[string](p, `[...document.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n')`)
}

// wantSame waits until all tabs, and the disk, have one text, and returns it.
func wantSame(made *project, path string, tabs ...*tab) string {
	made.t.Helper()
	text := ""
	tabs[0].wait("one text for all", func() bool {
		text = made.read(path)
		for _, p := range tabs {
			if p.doc() != text {
				return false
			}
		}
		return true
	})
	return text
}

func peopleAndTheAgentTypeInOneFile(t *testing.T, c *chromium, s *service) {
	first, second := s.signUp(t), s.signUp(t)
	made := first.shareWith(second)
	made.save("notes.txt", "one\ntwo\nthree\n")
	p, q := c.code(t, made), c.code(t, &project{user: second, Project: made.Project})
	for _, each := range []*tab{p, q} {
		each.openFile("notes.txt")
		each.together()
	}
	p.typesAt(1, " from the first")
	q.typesAt(3, " from the second")
	made.alterAsRead("notes.txt", "two", "two from the agent")
	p.typesAt(3, "!")
	q.typesAt(1, "?")
	want := "one from the first?\ntwo from the agent\nthree from the second!\n"
	if got := wantSame(made, "notes.txt", p, q); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	p.saying("Saved")
	p.until("the other's cursor with the name", fmt.Sprintf(`[...document.querySelectorAll('.peer__name')].some((name) => name.textContent === %q)`, name(second)))
	p.do(chromedp.KeyEvent("z", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	q.until("the undone character gone", `!document.querySelector('.cm-content').innerText.includes('second!')`)
	q.shows("from the second")
	if got := wantSame(made, "notes.txt", p, q); !strings.Contains(got, "one from the first?") {
		t.Errorf("got %q, want nothing of the other undone", got)
	}
	p.wantQuiet()
	q.wantQuiet()
}

// alterAsRead changes a file like the agent: only if it is still as it was read, and
// otherwise it reads again (optimistic locking).
func (p *project) alterAsRead(path, old, new string) {
	p.t.Helper()
	for range 100 {
		read := p.send(http.MethodGet, p.path("/files/"+path), "", nil)
		content, err := io.ReadAll(read.Body)
		_ = read.Body.Close()
		if err != nil {
			p.t.Fatal(err)
		}
		request, err := http.NewRequestWithContext(p.t.Context(), http.MethodPut, p.url+p.path("/files/"+path), strings.NewReader(strings.Replace(string(content), old, new, 1)))
		if err != nil {
			p.t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+p.token)
		request.Header.Set("If-Match", read.Header.Get("ETag"))
		written, err := p.http.Do(request)
		if err != nil {
			p.t.Fatal(err)
		}
		_ = written.Body.Close()
		if written.StatusCode == http.StatusOK {
			return
		}
		if written.StatusCode != http.StatusPreconditionFailed {
			p.t.Fatalf("PUT %s: got %d, want 200 or 412", path, written.StatusCode)
		}
	}
	p.t.Fatalf("%s changed each time, want it altered", path)
}

// name is how others see somebody without a name.
func name(u *user) string { before, _, _ := strings.Cut(u.email, "@"); return before }

func typedOfflineComesIn(t *testing.T, c *chromium, s *service) {
	first, second := s.signUp(t), s.signUp(t)
	made := first.shareWith(second)
	made.save("notes.txt", "one\ntwo\n")
	p, q := c.code(t, made), c.code(t, &project{user: second, Project: made.Project})
	for _, each := range []*tab{p, q} {
		each.openFile("notes.txt")
		each.together()
	}
	p.offline(true)
	p.typesAt(1, " typed offline")
	p.saying("Offline: your edits are kept here")
	q.typesAt(1, " typed online")
	q.saying("Saved")
	p.offline(false)
	got := wantSame(made, "notes.txt", p, q)
	if !strings.Contains(got, "typed offline") || !strings.Contains(got, "typed online") {
		t.Errorf("got %q, want what both typed", got)
	}
	p.saying("Saved")
	q.wantQuiet()
}

func aReaderSeesATextGrow(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("blank")
	made.save("notes.txt", "one\ntwo\n")
	made.call(http.StatusOK, http.MethodPatch, made.path(""), map[string]string{"visibility": "public"}, nil)
	p, q := c.code(t, made), c.code(t, &project{user: s.signUp(t), Project: made.Project})
	for _, each := range []*tab{p, q} {
		each.openFile("notes.txt")
		each.together()
	}
	p.typesAt(1, " grows")
	q.shows("one grows")
	q.typesAt(1, " not by me")
	q.do(chromedp.KeyEvent(kb.Enter))
	p.typesAt(2, " and grows")
	q.shows("two and grows")
	if got := wantSame(made, "notes.txt", p, q); got != "one grows\ntwo and grows\n" {
		t.Errorf("got %q, want nothing by the reader in it", got)
	}
	p.wantQuiet()
	q.wantQuiet()
}

func somebodyFollows(t *testing.T, c *chromium, s *service) {
	first, second := s.signUp(t), s.signUp(t)
	made := first.shareWith(second)
	made.save("short.txt", "short\n")
	made.save("long.txt", strings.Repeat("line\n", 300)+"the end")
	p, q := c.code(t, made), c.code(t, &project{user: second, Project: made.Project})
	p.openFile("short.txt")
	p.together()
	q.press("button", name(first))
	q.until("the file of the other", named("tab", "short.txt")+" !== null")
	p.openFile("long.txt")
	p.together()
	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('.cm-content').focus()`), chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	q.shows("the end")
	axe := fetchAxe(t)
	for _, scheme := range []string{"light", "dark"} {
		q.show(1440, 900, scheme)
		q.wantAccessible("following somebody, "+scheme, axe)
		q.picture("following " + scheme)
	}
	q.do(chromedp.KeyEvent(kb.Escape))
	q.until("the end of following", `document.querySelector('.who__one')?.getAttribute('aria-pressed') === 'false'`)
	p.openFile("short.txt")
	p.together()
	q.until("where the other is", fmt.Sprintf(`document.querySelector('.who__one')?.title.includes(%q) === true`, "short.txt"))
	q.until("the file that was open", named("tab", "long.txt")+"?.getAttribute('aria-selected') === 'true'")
	p.wantQuiet()
	q.wantQuiet()
}

// lateNews delays a page's events about saved and moved files. The page
// notes whether it asked to choose between two texts.
const lateNews = `(() => {
	new MutationObserver(() => {
		if (document.querySelector('.code .banner')) document.documentElement.dataset.asked = 'yes'
	}).observe(document, { subtree: true, childList: true })
	const { set } = Object.getOwnPropertyDescriptor(WebSocket.prototype, 'onmessage')
	const isNews = ({ data }) => typeof data === 'string' && /"file[.](changed|renamed)"/.test(data)
	Object.defineProperty(WebSocket.prototype, 'onmessage', {
		set(hear) { set.call(this, hear && ((message) => { isNews(message) ? setTimeout(() => hear(message), 1200) : hear(message) })) },
	})
})()`

func othersMoveFiles(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("blank")
	made.save("notes.txt", "const one\n")
	made.save("gone.txt", "gone\n")
	p := c.enterAs(t, made.user, "/dashboard")
	send(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: lateNews})
	p.visit(s.url + "/projects/" + string(made.ID) + "?pane=code")
	p.until("the files", named("treeitem", "src")+" !== null")
	for _, file := range []string{"gone.txt", "notes.txt"} {
		p.openFile(file)
		p.together()
	}
	p.typesAt(1, "!")
	p.wantFile(made, "notes.txt", "const one!\n")
	made.call(http.StatusOK, http.MethodPost, made.path("/files/bulk"), map[string]any{"operations": []any{
		map[string]string{"op": "rename", "from": "notes.txt", "to": "docs/moved.txt"}, map[string]string{"op": "delete", "path": "gone.txt"},
	}}, nil)
	p.until("the moved file", named("tab", "moved.txt")+" !== null")
	p.until("the deleted file gone", named("tab", "gone.txt")+" === null && "+named("treeitem", "gone.txt")+" === null")
	p.until("the file under its new path", `document.querySelector('.code__path')?.textContent === 'docs/moved.txt' && document.querySelector('.cm-content') !== null`)
	p.together()
	// The cursor of a person who types stays where it is.
	p.do(chromedp.KeyEvent("?"))
	p.wantFile(made, "docs/moved.txt", "const one!?\n")
	made.call(http.StatusOK, http.MethodPost, made.path("/files/bulk"), map[string]any{"operations": []any{
		map[string]string{"op": "rename", "from": "docs/moved.txt", "to": "docs/moved.ts"},
	}}, nil)
	// Typing before the page hears of the move must not count as a conflicting edit.
	p.until("the end of the room", `document.querySelector('.code__status')?.dataset.live !== 'yes'`)
	p.do(chromedp.KeyEvent(";"))
	p.until("the editor of another language", `document.querySelector('.cm-content')?.getAttribute('aria-label').includes('docs/moved.ts') && document.querySelector('.cm-line span')?.textContent === 'const'`)
	p.wantFile(made, "docs/moved.ts", "const one!?;\n")
	p.until("no choice between texts", `document.documentElement.dataset.asked === undefined`)
	made.save("windows.txt", "a\r\nb\r\n")
	p.openFile("windows.txt")
	p.together()
	p.typesAt(2, "c")
	p.wantFile(made, "windows.txt", "a\r\nbc\r\n")
	made.save("windows.txt", "a\r\nnew\r\nbc\r\n")
	p.shows("new")
	p.typesAt(3, "d")
	p.wantFile(made, "windows.txt", "a\r\nnew\r\nbcd\r\n")
	p.pardon(http.StatusNotFound)
	p.wantQuiet()
}

// othersAskTheAgent keeps the second page from looking by itself.
func othersAskTheAgent(t *testing.T, c *chromium, s *service) {
	first, second := s.signUp(t), s.signUp(t)
	made := first.shareWith(second)
	made.save("src/App.tsx", "export default function App() {\n  return <h1>Before</h1>\n}\n")
	p, q := c.workbench(t, made), c.enterAs(t, second, "/dashboard")
	send(q, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
		const every = setInterval;
		window.setInterval = (act, pause, ...more) => pause === 4000 ? 0 : every(act, pause, ...more)`})
	q.visit(made.url + "/projects/" + string(made.ID))
	q.until("who else is here", named("button", name(first))+" !== null")
	p.ask(`Change the title to "Shared"`)
	q.sees(`Change the title to "Shared"`)
	q.answered()
	p.answered()
	for _, each := range []*tab{p, q} {
		if got := evaluate[int](each, `document.querySelectorAll('.turn').length`); got != 1 {
			t.Errorf("got %d turns, want what was asked once", got)
		}
	}
	p.press("button", "Ours")
	p.fill("Project name", "Renamed together")
	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('.project-name__form').requestSubmit()`))
	q.wantHeading("Renamed together")
	q.show(390, 844, "light")
	q.until("how many are here", `document.querySelector('.who__count')?.textContent.startsWith('1') === true`)
	q.picture("who is here on a phone")
	p.wantQuiet()
	q.wantQuiet()
}
