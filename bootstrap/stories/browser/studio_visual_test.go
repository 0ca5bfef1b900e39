package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/atelierhq/atelier/core"
)

func visualStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"the preview follows the files and is edited on the page": editOnThePage,
		"a page that is a file is edited like any other":          editAFile,
		"what cannot be edited says so and changes nothing":       editWhatIsComputed,
		"an element is chosen with the keyboard":                  chooseWithTheKeyboard,
		"the visual editor is sound in every shape":               showTheEditor,
		"styles are classes where there is Tailwind":              writeClasses,
		"a text is written on the page itself":                    writeOnThePage,
		"a text is written in the file that has it":               writeWhereTheTextIs,
		"a picture is put into the project on the page":           putAPicture,
		"elements are arranged in layers and several at once":     arrangeElements,
	}
}

// edit opens a project's preview and begins to edit on its page.
func (c *chromium) edit(t *testing.T, project *project) (p, framed *tab) {
	t.Helper()
	p = c.enterAs(t, project.user, "/projects/"+string(project.ID))
	framed = p.frame(project.preview())
	p.beginEditing(framed)
	return p, framed
}

// pressInBar presses a button of the preview's toolbar.
func (p *tab) pressInBar(name string) {
	p.t.Helper()
	p.until("the button "+name, fmt.Sprintf(`(() => {
		const found = [...document.querySelectorAll('.preview__bar button')].find((e) => e.textContent.trim() === %q && !e.disabled);
		found?.click();
		return found !== undefined;
	})()`, name))
}

// beginEditing begins to edit and waits until the page is ready for it.
func (p *tab) beginEditing(framed *tab) {
	p.t.Helper()
	p.pressInBar("Edit")
	p.sees("Choose something on the page to change it.")
	framed.until("the picker in the page", `document.querySelector('atelier-picker') !== null`)
}

const heading = `export default function App() {
  return (
    <main>
      <h1>Hello</h1><p>Below the heading</p>
    </main>
  )
}
`

// built reports that React has rendered the paragraph with a text and the heading with a
// class: typed text shows in the page before it is built.
func built(text, colour string) string {
	return fmt.Sprintf(`(() => {
		const props = (name) => Object.entries(document.querySelector(name) ?? {}).find(([key]) => key.startsWith('__reactProps'))?.[1];
		return props('p')?.children === %q && (props('h1')?.className ?? '') === %q;
	})()`, text, colour)
}

func editOnThePage(t *testing.T, c *chromium, s *service) {
	project := s.signUp(t).create("blank")
	p, framed := c.edit(t, project)
	framed.until("the template's heading", `document.querySelector('h1')?.textContent === 'Hello there'`)

	project.save("src/App.tsx", heading)
	framed.until("the heading that was saved", `document.querySelector('h1')?.textContent === 'Hello'`)

	p.clickIn(framed, "h1")
	p.until("the heading chosen", `document.querySelector('.editor__tag')?.textContent === 'Heading'`)
	p.sees("src/App.tsx:4")
	p.fill("Text", "Guten Tag <b>")
	framed.until("the new text before it is saved", `document.querySelector('h1').textContent === 'Guten Tag <b>'`)
	worded := strings.Replace(heading, "<h1>Hello</h1>", "<h1>Guten Tag &lt;b&gt;</h1>", 1)
	p.wantFile(project, "src/App.tsx", worded)
	p.fill("Color", "#c02040")
	coloured := strings.Replace(worded, "<h1>", `<h1 className="text-[#c02040]">`, 1)
	p.wantFile(project, "src/App.tsx", coloured)

	// The paragraph is on the same line, farther right than before.
	p.clickIn(framed, "p")
	p.until("the paragraph chosen", `document.querySelector('.editor__tag')?.textContent === 'Paragraph'`)
	p.fill("Text", "After it")
	after := strings.Replace(coloured, "Below the heading", "After it", 1)
	p.wantFile(project, "src/App.tsx", after)
	framed.until("the page built with all of it", built("After it", "text-[#c02040]")+` && document.querySelector('p').textContent === 'After it' && getComputedStyle(document.querySelector('h1')).color === 'rgb(192, 32, 64)'`)

	for _, step := range []struct{ file, text, colour string }{{coloured, "Below the heading", "text-[#c02040]"}, {worded, "Below the heading", ""}, {heading, "Below the heading", ""}} {
		p.press("button", "Undo")
		p.wantFile(project, "src/App.tsx", step.file)
		framed.until("the page without it", built(step.text, step.colour))
	}
	framed.until("the page as it was", `document.querySelector('h1').textContent === 'Hello' && document.querySelector('h1').style.color === '' && document.querySelector('p').textContent === 'Below the heading'`)
	p.press("button", "Redo")
	p.wantFile(project, "src/App.tsx", worded)
	p.pressInBar("Done")
	p.misses("src/App.tsx:4")
	p.wantQuiet()
	framed.wantQuiet()
}

func editAFile(t *testing.T, c *chromium, s *service) {
	project := s.signUp(t).create("static-html")
	before := project.read("about.html")
	p, framed := c.edit(t, project)
	p.goTo("/about.html")
	framed.until("the other page", `location.pathname === '/about.html' && document.querySelector('h1') !== null`)
	p.until("editing goes on", `document.querySelector('iframe').dataset.picking === 'true'`)
	framed.until("the picker in the other page", `document.querySelector('atelier-picker') !== null`)
	title := evaluate[string](framed, `document.querySelector('h1').textContent`)
	p.clickIn(framed, "h1")
	p.sees("about.html")
	p.fill("Text", "Who we are")
	after := strings.Replace(before, "<h1>"+title+"</h1>", "<h1>Who we are</h1>", 1)
	p.wantFile(project, "about.html", after)
	framed.until("the page loaded again", `document.querySelector('h1')?.textContent === 'Who we are'`)
	p.until("the same element", named("textbox", "Text")+`?.value === 'Who we are'`)
	p.press("button", "Undo")
	p.wantFile(project, "about.html", before)
	p.wantQuiet()
}

func editWhatIsComputed(t *testing.T, c *chromium, s *service) {
	project := s.signUp(t).create("blank")
	source := "const words = ['one', 'two']\nexport default () => <><ul>{words.map((word) => <li key={word}>{word}</li>)}</ul><p className={words[0]}>{words.length} of them</p></>\n"
	project.save("src/App.tsx", source)
	p, framed := c.edit(t, project)
	p.clickIn(framed, "li")
	p.sees("Used 2 times on this page")
	p.fill("Text", "thr")
	p.fill("Text", "three")
	source = strings.Replace(source, "'one'", "'three'", 1)
	p.wantFile(project, "src/App.tsx", source)
	p.clickIn(framed, "p")
	p.sees("This text comes from code")
	p.sees("Code decides how this looks")
	if evaluate[bool](p, named("textbox", "Text")+" !== null || "+named("textbox", "Background")+" !== null") {
		t.Error("got fields for what cannot be changed, want none")
	}
	p.clickIn(framed, "li")
	p.fill("Background", "#ffee00")
	p.wantFile(project, "src/App.tsx", strings.Replace(source, "<li key={word}>", `<li key={word} className="bg-[#ffee00]">`, 1))
	framed.until("both", `[...document.querySelectorAll('li')].every((item) => getComputedStyle(item).backgroundColor === 'rgb(255, 238, 0)')`)
	p.fill("What should change here?", "Make them links")
	p.press("button", "Ask the agent")
	p.sees("Make them links")
	p.until("what it is about, beside the words", `document.querySelector('.said__mentions')?.textContent.startsWith('<li> src/App.tsx:2:') === true && document.querySelector('.said__text').textContent === 'Make them links'`)
	p.press("button", "Mention in the chat")
	p.until("the element in the composer", `document.querySelector('.composer__mentions')?.textContent.startsWith('<li> src/App.tsx:2:') === true`)
	p.press("button", "Remove <li> src/App.tsx")
	p.until("no element in the composer", `document.querySelector('.composer__mentions') === null`)
	p.press("button", "Tasks")
	p.until("the element in the form for a task", `document.querySelector('.tasks__begin .composer__mentions')?.textContent.startsWith('<li> src/App.tsx:2:') === true`)
	p.fill("What should the agent do?", "Number them")
	p.press("button", "Start task")
	p.until("the element gone with the task", `document.querySelector('.task') !== null && document.querySelector('.tasks__begin .composer__mentions') === null`)
	var board struct {
		Items []struct{ CopyID, ChatID core.ID }
	}
	project.user.call(http.StatusOK, http.MethodGet, project.path("/tasks"), nil, &board)
	var log struct {
		Items []struct{ References []core.Reference }
	}
	p.wait("a task about the list item", func() bool {
		project.user.call(http.StatusOK, http.MethodGet, "/chat/"+string(board.Items[0].CopyID)+"/messages?chatId="+string(board.Items[0].ChatID), nil, &log)
		return len(log.Items) > 0 && len(log.Items[0].References) == 1 && log.Items[0].References[0].Tag == "li"
	})
}

func putAPicture(t *testing.T, c *chromium, s *service) {
	project := s.signUp(t).create("blank")
	source := "export default () => <img src=\"/icon.svg\" alt=\"\" width=\"80\" height=\"80\" />\n"
	project.save("src/App.tsx", source)
	p, framed := c.edit(t, project)
	p.clickIn(framed, "img")
	p.sees("Upload an image")
	p.do(chromedp.Evaluate[chromedp.Void](`void (() => {
		const input = document.querySelector('.editor input[type=file]');
		const picked = new DataTransfer();
		picked.items.add(new File(['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'], 'My "Logo" \u202e.SVG', {type: 'image/svg+xml'}));
		input.files = picked.files;
		input.dispatchEvent(new Event('change', {bubbles: true}));
	})()`))
	after := strings.Replace(source, "/icon.svg", "/images/My-Logo-.svg", 1)
	p.wantFile(project, "src/App.tsx", after)
	if got := project.read("public/images/My-Logo-.svg"); !strings.HasPrefix(got, "<svg") {
		t.Errorf("got %q, want the picture", got)
	}
	framed.until("the picture", `document.querySelector('img').getAttribute('src') === '/images/My-Logo-.svg' && document.querySelector('img').naturalWidth > 0`)
	p.fill("Description for people", "Our logo")
	p.wantFile(project, "src/App.tsx", strings.Replace(after, `alt=""`, `alt="Our logo"`, 1))
	p.wantQuiet()
}

func chooseWithTheKeyboard(t *testing.T, c *chromium, s *service) {
	project := s.signUp(t).create("blank")
	project.save("src/App.tsx", heading)
	p, framed := c.edit(t, project)
	framed.until("the heading", `document.querySelector('h1')?.textContent === 'Hello'`)
	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('.preview__bar .button--primary').focus()`))
	for _, step := range []struct{ key, tag string }{
		{kb.ArrowDown, "Main content"}, {kb.ArrowDown, "Heading"}, {kb.ArrowRight, "Paragraph"}, {kb.ArrowLeft, "Heading"}, {kb.ArrowUp, "Main content"},
	} {
		p.do(chromedp.KeyEvent(step.key))
		p.until("the element "+step.tag, fmt.Sprintf(`document.querySelector('.editor__tag')?.textContent === %q`, step.tag))
	}
	p.clickIn(framed, "p")
	p.until("the paragraph chosen", `document.querySelector('.editor__tag')?.textContent === 'Paragraph'`)
	p.do(chromedp.KeyEvent(kb.ArrowLeft))
	p.until("the heading chosen", `document.querySelector('.editor__tag')?.textContent === 'Heading'`)
	p.press("button", "Select the parent")
	p.until("the main part chosen", `document.querySelector('.editor__tag')?.textContent === 'Main content'`)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.until("editing ended", `document.querySelector('.editor') === null`)
	p.wantQuiet()
}

// showTheEditor opens the panel and takes its pictures, and changes a value of which every
// keystroke is saved but which one undo takes back.
func showTheEditor(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	project := s.signUp(t).create("blank")
	source := `export default () => <main className="p-8"><h1 className="rounded-full bg-stone-800 p-6 text-white">Hello</h1><p>Below</p></main>` + "\n"
	project.save("src/App.tsx", source)
	p, framed := c.edit(t, project)
	p.looks("visual editor hint", axe)
	framed.until("the heading", `document.querySelector('h1')?.textContent === 'Hello'`)
	p.clickIn(framed, "h1")
	p.until("the heading chosen", `document.querySelector('.editor__tag')?.textContent === 'Heading'`)
	if first := evaluate[string](p, `document.querySelector('.editor__body form label').textContent`); first != "What should change here?" {
		t.Errorf("got the form %q first, want the one for the agent", first)
	}
	p.until("round corners in words", named("textbox", "Corners")+`?.value === 'Full'`)
	p.looks("visual editor", axe)

	for _, text := range []string{"Good", "Good mor", "Good morning"} {
		p.fill("Text", text)
		p.wantFile(project, "src/App.tsx", strings.Replace(source, "Hello", text, 1))
	}
	p.press("button", "Undo")
	p.wantFile(project, "src/App.tsx", source)
	p.wantQuiet()
}

// writeClasses sets colours of the theme, for all and for a state, sizes as steps of the
// scale, and takes all of it back after the page was loaded again.
func writeClasses(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	project := s.signUp(t).create("blank")
	button := func(classes, style string) string {
		return `export default () => <main className="p-8"><button className="` + classes + `"` + style + `>Go</button></main>` + "\n"
	}
	source := button("rounded-full bg-stone-800 hover:bg-stone-900 px-6 py-3", ` style={{ color: "#ffffff" }}`)
	project.save("src/App.tsx", source)
	p, framed := c.edit(t, project)
	framed.until("the button", `document.querySelector('button')?.textContent === 'Go'`)
	p.clickIn(framed, "button")
	p.until("the button chosen", `document.querySelector('.editor__tag')?.textContent === 'Button' && document.querySelector('.palette') !== null`)
	p.until("the token of its background", `[...document.querySelectorAll('.palette summary')].some((e) => e.textContent === 'Theme color: stone-800')`)
	p.do(chromedp.Evaluate[chromedp.Void](`void [...document.querySelectorAll('.palette summary')].filter((e) => e.textContent.includes('stone-800')).forEach((e) => { e.click(); e.scrollIntoView() })`))
	p.looks("visual editor palette", axe)
	p.press("button", "stone-600")
	first := button("rounded-full bg-stone-600 hover:bg-stone-900 px-6 py-3", ` style={{ color: "#ffffff" }}`)
	p.wantFile(project, "src/App.tsx", first)
	p.fill("Color", "#ffee00")
	second := button("rounded-full bg-stone-600 hover:bg-stone-900 px-6 py-3 text-[#ffee00]", "")
	p.wantFile(project, "src/App.tsx", second)
	framed.until("the colour without a style", `getComputedStyle(document.querySelector('button')).color === 'rgb(255, 238, 0)' && document.querySelector('button').style.color === ''`)
	p.fill("topPadding top", "20px") // The short name is read before the whole one.
	third := button("rounded-full bg-stone-600 hover:bg-stone-900 px-6 py-3 text-[#ffee00] pt-5", "")
	p.wantFile(project, "src/App.tsx", third)

	p.do(chromedp.Evaluate[chromedp.Void](`void (() => {
		const choice = [...document.querySelectorAll('.editor__variants select')][1];
		choice.value = 'hover';
		choice.dispatchEvent(new Event('change', {bubbles: true}));
	})()`))
	p.until("the token of the state", `[...document.querySelectorAll('.palette summary')].some((e) => e.textContent === 'Theme color: stone-900')`)
	p.fill("Background", "#123456")
	fourth := button("rounded-full bg-stone-600 hover:bg-[#123456] px-6 py-3 text-[#ffee00] pt-5", "")
	p.wantFile(project, "src/App.tsx", fourth)
	// Without the answer, there is nothing to take back.
	p.until("the answer to the change", `document.querySelector('.editor__state').textContent === 'Saved'`)

	p.pressInBar("Done")
	p.visit(s.url + project.path("?pane=preview"))
	p.until("the page again", `document.querySelector('iframe') !== null`)
	again := p.frame(evaluate[string](p, "new URL(document.querySelector('iframe').src).origin"))
	again.until("the button", `document.querySelector('button') !== null`)
	p.beginEditing(again)
	for _, file := range []string{third, second, first, source} {
		p.press("button", "Undo")
		p.wantFile(project, "src/App.tsx", file)
	}
	p.wantQuiet()
}

// writeOnThePage writes a heading by a double click, leaves another text as it was, and
// cannot write what code computes.
// clickTwiceIn clicks an element twice, as soon as it is known what of it can be changed.
func (p *tab) clickTwiceIn(framed *tab, selector string) {
	p.t.Helper()
	p.clickIn(framed, selector)
	p.until("what can be changed", `document.querySelector('.editor__body textarea:not([readonly]), .editor__fixed') !== null`)
	framed.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void document.querySelector(%q).dispatchEvent(new MouseEvent('dblclick', {bubbles: true, cancelable: true}))`, selector)))
}

// writes writes a text into an element of the page.
func (p *tab) writes(framed *tab, selector, text string) {
	p.t.Helper()
	p.clickTwiceIn(framed, selector)
	framed.until("the element being written", fmt.Sprintf(`document.activeElement === document.querySelector(%q)`, selector))
	framed.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void document.execCommand('insertText', false, %q)`, text)))
	framed.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void document.querySelector(%q).dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true, cancelable: true}))`, selector)))
}

// writeWhereTheTextIs: a text that the element's own file only names is written in the file that has it; of
// several, the person chooses one.
func writeWhereTheTextIs(t *testing.T, c *chromium, s *service) {
	project := s.signUp(t).create("blank")
	texts := "export const texts = { title: 'Habits', items: [{ name: 'Walk' }], both: 'Twice' }\n"
	more := "export const both = 'Twice'\n"
	project.save("src/texts.ts", texts)
	project.save("src/more.ts", more)
	project.alter("index.html", "<title>New project</title>", "<title>Habits</title>")
	project.save("src/App.tsx", "import { texts } from './texts'\nimport { both } from './more'\nexport default () => <main><h1>{texts.title}</h1>{texts.items.map(({ name }) => <p key={name}>{name}</p>)}<i>{texts.both}</i><b hidden>{both}</b></main>\n")
	p, framed := c.edit(t, project)
	framed.until("the heading", `document.querySelector('h1')?.textContent === 'Habits'`)
	p.writes(framed, "h1", "It’s me")
	texts = strings.Replace(texts, "Habits", "It’s me", 1)
	p.wantFile(project, "src/texts.ts", texts)
	framed.until("the page built", `document.querySelector('h1')?.textContent === 'It’s me' && !document.querySelector('h1').isContentEditable`)
	p.writes(framed, "p", "Run")
	texts = strings.Replace(texts, "Walk", "Run", 1)
	p.wantFile(project, "src/texts.ts", texts)
	framed.until("the page built", `document.querySelector('p')?.textContent === 'Run'`)
	p.clickIn(framed, "i")
	p.sees("Several files say this.")
	p.press("button", "src/texts.ts")
	framed.until("the text being written", `document.activeElement?.localName === 'i'`)
	framed.do(chromedp.Evaluate[chromedp.Void](`void document.execCommand('insertText', false, 'Once')`))
	framed.do(chromedp.Evaluate[chromedp.Void](`void document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true, cancelable: true}))`))
	p.wantFile(project, "src/texts.ts", strings.Replace(texts, "Twice", "Once", 1))
	if got := project.read("src/more.ts"); got != more {
		t.Errorf("got %q, want the other file as it was", got)
	}
	p.wantQuiet()
}

func writeOnThePage(t *testing.T, c *chromium, s *service) {
	project := s.signUp(t).create("blank")
	source := "export default () => <main><h1>Hello</h1><p>Below</p><i>{1 + 1} of them</i></main>\n"
	project.save("src/App.tsx", source)
	p, framed := c.edit(t, project)
	framed.until("the heading", `document.querySelector('h1')?.textContent === 'Hello'`)
	p.writes(framed, "h1", "Good <b>day</b>")
	after := strings.Replace(source, "Hello", "Good &lt;b&gt;day&lt;/b&gt;", 1)
	p.wantFile(project, "src/App.tsx", after)
	framed.until("the heading", `document.querySelector('h1').textContent === 'Good <b>day</b>' && !document.querySelector('h1').isContentEditable`)

	p.clickTwiceIn(framed, "p")
	framed.until("the paragraph being written", `document.activeElement?.localName === 'p'`)
	framed.do(chromedp.Evaluate[chromedp.Void](`void document.execCommand('insertText', false, 'Never')`))
	framed.do(chromedp.Evaluate[chromedp.Void](`void document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true, cancelable: true}))`))
	framed.until("the paragraph as it was", `document.querySelector('p').textContent === 'Below'`)

	p.clickTwiceIn(framed, "i")
	p.sees("This text comes from code")
	p.until("a message to the agent that has begun", `document.activeElement?.value === 'Change the text “2 of them” to '`)
	if evaluate[bool](framed, `document.querySelector('i').isContentEditable`) {
		t.Error("got a computed text that can be written, want it to say so")
	}
	p.press("button", "Undo")
	p.wantFile(project, "src/App.tsx", source)
	p.wantQuiet()
}
