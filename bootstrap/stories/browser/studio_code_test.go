package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func codeStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"typed text is saved and builds":            whatIsTypedIsSaved,
		"two people edit one file and lose nothing": twoEditOneFile,
		"what is not saved survives":                unsavedSurvives,
		"files keep their bytes":                    filesKeepTheirBytes,
		"keys count before the pane is there":       earlyKeysCount,
		"problems lead to their places":             problemsLeadToPlaces,
		"hostile files are text":                    hostileFilesAreText,
		"the code works on a phone":                 codeOnAPhone,
		"typescript helps while somebody types":     typescriptHelps,
	}
}

// code opens a project's code.
func (c *chromium) code(t *testing.T, made *project) *tab {
	t.Helper()
	p := c.enterAs(t, made.user, "/projects/"+string(made.ID))
	p.press("tab", "Code")
	p.until("the files", named("treeitem", "src")+" !== null")
	return p
}

// earlyKeysCount presses Ctrl and P while the code pane is on its way, over a slow network.
func earlyKeysCount(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("static-html")
	p := c.enterAs(t, made.user, "/projects/"+string(made.ID))
	p.until("the chat", named("textbox", "Describe a change")+" !== null")
	p.network(&network.Conditions{Latency: 1000, DownloadThroughput: -1, UploadThroughput: -1})
	p.press("tab", "Code")
	p.do(chromedp.KeyEvent("p", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	if there := evaluate[bool](p, "document.querySelector('.code') !== null"); there {
		t.Fatal("got the pane before the key, want it under way")
	}
	p.network()
	p.until("the list of files", "document.activeElement?.closest('dialog.finder')?.getAttribute('aria-label')?.startsWith('Open a file by name') === true")
	p.do(chromedp.KeyEvent("index"), chromedp.KeyEvent(kb.Enter))
	p.until("the file", named("tab", "index.html")+" !== null")
	p.wantQuiet()
}

// codeWithoutSockets is code on a network that lets no sockets through.
func (c *chromium) codeWithoutSockets(t *testing.T, made *project) *tab {
	t.Helper()
	p := c.enterAs(t, made.user, "/dashboard")
	send(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
		window.WebSocket = class {
			static CONNECTING = 0; static OPEN = 1; static CLOSED = 3;
			readyState = 0;
			constructor() { setTimeout(() => { this.readyState = 3; this.onclose?.({code: 1006}) }, 20) }
			send() {}
			close() {}
		}`})
	p.visit(made.url + "/projects/" + string(made.ID))
	p.press("tab", "Code")
	p.until("the files", named("treeitem", "src")+" !== null")
	return p
}

// openFile opens a file whose row is visible.
func (p *tab) openFile(name string) {
	p.t.Helper()
	p.press("treeitem", name)
	p.until("the file "+name, named("tab", name)+"?.getAttribute('aria-selected') === 'true' && document.querySelector('.cm-content') !== null")
}

// types puts the cursor at the start of the editor's text and types.
func (p *tab) types(text string) {
	p.t.Helper()
	p.until("the editor", "document.querySelector('.cm-line') !== null")
	p.do(
		chromedp.Evaluate[chromedp.Void](`void (() => { const at = document.querySelector('.cm-content'); at.focus(); getSelection().collapse(at.querySelector('.cm-line'), 0) })()`),
		chromedp.KeyEvent(text),
	)
}

// saying waits for a text about saving in the line below the editor.
func (p *tab) saying(text string) {
	p.t.Helper()
	p.until("the state "+text, fmt.Sprintf("document.querySelector('.code__saving')?.textContent.startsWith(%q) === true", text))
}

// shows waits for a text in the editor.
func (p *tab) shows(text string) {
	p.t.Helper()
	p.until("the editor with "+text, fmt.Sprintf("document.querySelector('.cm-content')?.innerText.includes(%q) === true", text))
}

// recordSaving writes down what the line below the editor says of saving.
const recordSaving = `void (() => {
	window.savings = []
	const read = () => savings.push(document.querySelector('.code__saving')?.textContent ?? '')
	new MutationObserver(read).observe(document.body, { subtree: true, childList: true, characterData: true })
})()`

func whatIsTypedIsSaved(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("blank")
	made.save("src/App.tsx", "export default function App() {\n  return <h1>Before</h1>\n}\n")
	framed := c.open(t)
	framed.visit(made.preview())
	framed.wantHeading("Before")
	p := c.code(t, made)
	p.openFile("App.tsx")
	p.together()
	p.do(chromedp.Evaluate[chromedp.Void](recordSaving))
	p.types("const greeting: string = 'Typed by hand'; ")
	p.until("the state Saving…, which may pass quickly", `savings.some((text) => text.startsWith('Saving…'))`)
	p.saying("Saved")
	p.wantFile(made, "src/App.tsx", "const greeting: string = 'Typed by hand'; export default function App() {\n  return <h1>Before</h1>\n}\n")

	made.alter("src/App.tsx", "Before", "{greeting}")
	p.shows("{greeting}")
	framed.wantHeading("Typed by hand")
	p.types("//")
	p.do(chromedp.Evaluate[chromedp.Void](`void dispatchEvent(new KeyboardEvent('keydown', {key: 's', ctrlKey: true, cancelable: true}))`))
	p.wait("the file saved by its key", func() bool { return strings.HasPrefix(made.read("src/App.tsx"), "//const") })
	p.saying("Saved")
	p.wantQuiet()
}

// cutIn lets somebody else save a file right before the page saves it next.
func (p *tab) cutIn(name, content string) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void (() => {
		const real = fetch;
		window.fetch = async (path, init) => {
			if (init?.method === 'PUT' && path.endsWith('/files/' + %q)) {
				window.fetch = real;
				await real(path, {method: 'PUT', body: %q});
			}
			return real(path, init);
		};
	})()`, name, content)))
}

func twoEditOneFile(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("blank")
	made.save("notes.txt", "one\ntwo\nthree\nfour\nfive\n")
	p := c.codeWithoutSockets(t, made)
	p.openFile("notes.txt")
	p.types("my ")
	made.save("notes.txt", "one\ntwo\nthree\nfour\ntheir five\n")
	p.shows("their five")
	p.saying("Saved")
	p.wantFile(made, "notes.txt", "my one\ntwo\nthree\nfour\ntheir five\n")

	p.cutIn("notes.txt", "my one\ntwo\ntheir three\nfour\ntheir five\n")
	p.types("really ")
	p.shows("their three")
	p.saying("Saved")
	p.wantFile(made, "notes.txt", "really my one\ntwo\ntheir three\nfour\ntheir five\n")

	p.types("A")
	made.save("notes.txt", "their one\ntwo\ntheir three\nfour\ntheir five\n")
	p.saying("Not saved: changed elsewhere")
	p.shows("Areally my one")
	p.press("button", "Compare")
	p.sees("-their one")
	p.sees("+Areally my one")
	p.picture("code conflict")
	p.do(chromedp.KeyEvent(kb.Escape))
	p.visit(made.url + "/projects/" + string(made.ID))
	p.press("tab", "Code")
	p.saying("Not saved: changed elsewhere")
	p.shows("Areally my one")
	if got := made.read("notes.txt"); !strings.HasPrefix(got, "their one\n") {
		t.Errorf("got %q, want theirs untouched until somebody chooses", got)
	}
	p.press("button", "Take theirs")
	p.shows("their one")
	p.saying("Saved")
	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('.cm-content').focus()`), chromedp.KeyEvent("z", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.shows("Areally my one")
	p.wantFile(made, "notes.txt", "Areally my one\ntwo\ntheir three\nfour\ntheir five\n")

	p.types("B")
	made.save("notes.txt", "other\n")
	p.saying("Not saved: changed elsewhere")
	p.press("button", "Keep mine")
	p.wantFile(made, "notes.txt", "BAreally my one\ntwo\ntheir three\nfour\ntheir five\n")
	p.pardon(http.StatusPreconditionFailed)
	p.wantQuiet()
}

func unsavedSurvives(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("blank")
	made.save("notes.txt", "text\nmore\nlast\n")
	p := c.codeWithoutSockets(t, made)
	p.openFile("notes.txt")
	p.offline(true)
	p.types("kept ")
	p.saying("Not saved: can’t reach the server")
	made.save("notes.txt", "text\nmore\ntheir last\n")
	p.offline(false)
	p.shows("their last")
	p.saying("Saved")
	p.wantFile(made, "notes.txt", "kept text\nmore\ntheir last\n")

	p.types("through a reload ")
	p.visit(made.url + "/projects/" + string(made.ID))
	p.press("tab", "Code")
	p.shows("through a reload kept text")
	p.wantFile(made, "notes.txt", "through a reload kept text\nmore\ntheir last\n")
	p.saying("Saved")

	p.types("mine ")
	made.call(http.StatusNoContent, http.MethodDelete, made.path("/files/notes.txt"), nil, nil)
	p.sees("This file was deleted elsewhere")
	p.press("button", "Save it anyway")
	p.saying("Saved")
	p.wantFile(made, "notes.txt", "mine through a reload kept text\nmore\ntheir last\n")
}

func filesKeepTheirBytes(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("blank")
	files := map[string]string{"windows.txt": "a\r\nb\r\n", "mixed.txt": "a\r\nb\nc\rd", "marked.txt": "\ufeffa\n", "bare.txt": "no end", "none.txt": ""}
	for name, content := range files {
		made.save(name, content)
	}
	p := c.code(t, made)
	for name, content := range files {
		p.openFile(name)
		p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('.cm-content').focus()`), chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
		p.do(chromedp.KeyEvent("x"))
		p.wait(name+" saved", func() bool { return strings.Contains(made.read(name), "x") })
		if got := made.read(name); strings.Replace(got, "x", "", 1) != content {
			t.Errorf("%s: got %q, want %q with an x in it", name, got, content)
		}
	}
	p.wantQuiet()
}

func problemsLeadToPlaces(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("blank")
	made.preview()
	p := c.code(t, made)
	made.save("src/App.tsx", "export default function App() {\n  return <main></div>\n}\n")
	p.openFile("App.tsx")
	p.press("button", "1 problem")
	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('.problem').click()`))
	p.until("the place", `document.querySelector('.code__at')?.textContent.startsWith('Line 2,') === true && document.querySelector('.cm-lintRange-error') !== null`)
	made.save("src/App.tsx", "const count: number = 'x'\nexport default function App() {\n  return <main>{count}</main>\n}\n")
	p.sees("The build succeeds.")
	p.press("button", "Check types")
	p.sees("is not assignable to type 'number'")
	// Once TypeScript's own server answers, its mark takes the place of the check's.
	p.until("the mark", `document.querySelector('.cm-lintRange-warning, .cm-lintRange-error')?.textContent === 'count'`)
	p.wantQuiet()
}

func hostileFilesAreText(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("blank")
	attack := "<script>window.hacked = 1</script><img src=x onerror=\"window.hacked = 1\">"
	made.save("evil.html", attack+"\u202etxt.exe\n"+strings.Repeat(attack+"\n", 10_000))
	made.save("line.js", "var a = '"+strings.Repeat("<b> ", 250_000)+"';")
	made.save("deep/a'b%20&%20onclick=alert(1)%20﷽%20العربية.txt", "x")
	p := c.code(t, made)
	p.openFile("evil.html")
	p.shows(attack)
	p.until("the control character shown", `document.querySelector('.cm-specialChar') !== null`)
	p.types("typed")
	p.saying("Saved")
	p.openFile("line.js")
	p.types("// ")
	p.saying("Saved")
	if got := made.read("line.js"); !strings.HasPrefix(got, "// var a") || len(got) != 1_000_014 {
		t.Errorf("got %d bytes that begin with %.20q, want what was typed in front", len(got), got)
	}
	p.press("treeitem", "deep")
	if got := evaluate[bool](p, "window.hacked === undefined && document.querySelector('main img[src=x], main b') === null"); !got {
		t.Error("got elements or scripts of a file in the page, want text")
	}
	p.press("tab", "Versions")
	p.fill("Save version", "<img src=x onerror=hacked()> \u202eevil")
	p.press("button", "Save version")
	p.sees("<img src=x onerror=hacked()>")
	p.press("button", "<img src=x onerror=hacked()>")
	p.sees("This version added")
	if got := evaluate[bool](p, "document.querySelector('main img[src=x]') === null"); !got {
		t.Error("got an element of a message in the page, want text")
	}
	p.wantQuiet()
}

func codeOnAPhone(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	made := s.signUp(t).create("blank")
	p := c.workbench(t, made)
	for _, scheme := range []string{"light", "dark"} {
		p.show(390, 844, scheme)
		p.press("button", "Code")
		p.until("the tree", "document.querySelector('[role=tree]')?.checkVisibility() === true")
		p.wantAccessible("the files on a phone, "+scheme, axe)
		p.openFile("index.html")
		p.until("the editor", "document.querySelector('.cm-editor').checkVisibility() && !document.querySelector('[role=tree]').checkVisibility()")
		p.wantAccessible("the editor on a phone, "+scheme, axe)
		p.picture("code on a phone " + scheme)
		p.press("button", "Versions")
		p.press("button", "Started from")
		p.sees("This version added")
		p.wantAccessible("a version on a phone, "+scheme, axe)
		p.picture("version on a phone " + scheme)
		p.press("button", "Back to the list")
		p.press("button", "Code")
		p.press("button", "Files")
	}
	p.wantQuiet()
}
