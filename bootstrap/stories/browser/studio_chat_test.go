package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

func chatStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"somebody has the agent change a page":                   somebodyBuilds,
		"a plan is made and carried out":                         aPlanIsCarriedOut,
		"a reload in the middle of an answer loses no character": aReloadLosesNothing,
		"a broken connection in an answer loses no character":    aBreakLosesNothing,
		"messages wait for the agent and survive a reload":       messagesWait,
		"an image goes with a message":                           anImageGoesAlong,
		"two people see each other's runs":                       twoPeopleInOneChat,
		"the composer covers none of its own words":              theComposerFits,
		"whatever a model writes is text":                        modelsAreHostile,
		"older messages come when somebody scrolls up":           olderMessagesCome,
		"what keeps the agent from answering is said in words":   failuresAreSaid,
		"the workbench works on a phone":                         theWorkbenchOnAPhone,
		"a list of chats that comes late says nothing old":       aLateListOfChats,
		"the composer suggests commands and files":               theComposerSuggests,
		"a message is sent again, and its files go back":         aMessageIsSentAgain,
		"a workspace has commands of its own":                    commandsAreWritten,
		"the agent lists its steps and asks":                     theAgentAsks,
		"a reader of a public project only looks":                aReaderLooks,
	}
}

// workbench opens a project's page.
func (c *chromium) workbench(t *testing.T, made *project) *tab {
	t.Helper()
	p := c.enterAs(t, made.user, "/projects/"+string(made.ID))
	p.until("the chat", named("textbox", "Describe a change")+" !== null")
	return p
}

// ask sends a message to the agent.
func (p *tab) ask(text string) {
	p.t.Helper()
	p.fill("Describe a change", text)
	p.press("button", "Send")
}

const idle = `document.querySelector('.talk__state') === null && document.querySelector('.turn:last-of-type .spent') !== null`

// answered waits for the end of a run.
func (p *tab) answered() {
	p.t.Helper()
	p.until("the end of the run", idle)
}

// lastAnswer is the text of the newest answer.
func (p *tab) lastAnswer() string {
	p.t.Helper()
	return evaluate[string](p, `[...document.querySelectorAll('.turn')].at(-1)?.querySelector('.md')?.textContent ?? ''`)
}

func somebodyBuilds(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("todo-app")
	p := c.workbench(t, made)
	p.sees("What are we building?")
	p.ask(`Change the title to "Things to do"`)
	p.answered()
	p.sees("src/App.tsx now shows")
	p.sees("New version: 1 file changed")
	if got := made.read("src/App.tsx"); !strings.Contains(got, "Things to do") {
		t.Errorf("got %s, want the new title in it", got)
	}
	p.until("the preview", `document.querySelector('iframe') !== null`)

	p.press("button", "Edited")
	p.until("the change as lines", `document.querySelector('.diff__line--added')?.textContent.includes('Things to do') === true && document.querySelector('.diff__line--removed') !== null`)
	p.press("button", "Undo")
	p.sees("The change was undone")
	if got := made.read("src/App.tsx"); strings.Contains(got, "Things to do") {
		t.Errorf("got %s, want the old title again", got)
	}
	p.press("button", "My todo-app")
	p.fill("Project name", "Renamed")
	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('.project-name__form').requestSubmit()`))
	p.wantHeading("Renamed")
	p.press("button", "New chat")
	p.sees("What are we building?")
	p.visit(s.url + "/projects/" + string(made.ID) + "?pane=versions")
	p.until("the versions", `document.querySelector('[data-name=versions][aria-selected=true]') !== null`)
	p.wantHeading("Renamed")
	p.wantQuiet()
}

func aPlanIsCarriedOut(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("todo-app")
	p := c.workbench(t, made)
	p.press("button", "Mode: Build")
	p.press("menuitem", "Plan")
	p.until("the mode", named("button", "Mode: Plan")+" !== null")
	p.ask(`Change the title to "Planned"`)
	p.answered()
	p.until("the steps", `document.querySelectorAll('.plan__step').length === 2`)
	if got := made.read("src/App.tsx"); strings.Contains(got, "Planned") {
		t.Errorf("got %s, want a plan to change nothing", got)
	}
	p.press("button", "Run plan")
	p.sees("New version: 1 file changed")
	p.answered()
	p.until("the mode", named("button", "Mode: Build")+" !== null")
	if got := made.read("src/App.tsx"); !strings.Contains(got, "Planned") {
		t.Errorf("got %s, want the plan carried out", got)
	}
	p.wantQuiet()
}

func messagesWait(t *testing.T, c *chromium, _ *service) {
	talks, s := startTalker(t)
	talks.on("a long one", counting(5000, 10*time.Millisecond))
	for _, message := range []string{"the second", "the third"} {
		talks.on(message, answer{pieces: []string{"Answer to " + message}})
	}
	made := s.signUp(t).create("blank")
	p := c.workbench(t, made)
	p.ask("a long one")
	p.sees("word0010")
	p.ask("the second")
	p.ask("not meant")
	p.ask("the other")
	p.sees("3 messages wait")
	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelectorAll('.queue__item')[1].querySelector('[aria-label=Remove]').click()`))
	p.sees("2 messages wait")
	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelectorAll('.queue__item')[1].querySelector('[aria-label=Edit]').click()`))
	p.sees("1 message waiting")
	p.ask("the third")
	p.fill("Describe a change", "a draft")
	p.visit(s.url + "/projects/" + string(made.ID))
	p.sees("2 messages wait")
	p.until("the draft", named("textbox", "Describe a change")+"?.value === 'a draft'")
	p.press("button", "Stop the agent")
	p.sees("Stopped. Everything done so far is kept.")
	p.sees("Answer to the third")
	p.answered()
	said := evaluate[[]string](p, `[...document.querySelectorAll('.said__text')].map((said) => said.textContent)`)
	if want := []string{"a long one", "the second", "the third"}; !slices.Equal(said, want) {
		t.Errorf("got the messages %q, want %q", said, want)
	}
	p.wantQuiet()
}

func anImageGoesAlong(t *testing.T, c *chromium, _ *service) {
	talks, s := startTalker(t)
	talks.on("what is it", answer{thought: "I look at it.", pieces: []string{"A **dot**."}})
	p := c.workbench(t, s.signUp(t).create("blank"))
	p.fill("Describe a change", "what is it")
	paste := func(count int, bytes int) {
		p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void (async () => {
			const canvas = document.createElement('canvas');
			const blob = await new Promise((done) => canvas.toBlob(done));
			const data = new DataTransfer();
			for (let i = 0; i < %d; i++) data.items.add(new File([blob, new Uint8Array(%d)], 'dot.png', { type: 'image/png' }));
			document.querySelector('.composer__field').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
		})()`, count, bytes)))
	}
	paste(1, 6<<20)
	p.sees("dot.png is larger than")
	paste(9, 0)
	p.sees("at most 8 images")
	p.until("8 images", `document.querySelectorAll('.chip').length === 8`)
	for range 7 {
		p.press("button", "Remove dot.png")
	}
	p.until("one image", `document.querySelectorAll('.chip').length === 1 && document.querySelector('.chip img').naturalWidth > 0`)
	p.press("button", "Send")
	const sent = `document.querySelector('.said__image img[alt^="Image, PNG"]')?.naturalWidth > 0`
	p.until("the picture that was sent", sent)
	p.answered()
	p.sees("A dot.")
	p.press("button", "Thought")
	p.sees("I look at it.")
	if asked := talks.asked(); !strings.Contains(asked[len(asked)-1], "data:image/png;base64,") {
		t.Errorf("got %.2000s, want the image in it", asked[len(asked)-1])
	}
	p.visit(evaluate[string](p, `location.href`))
	p.until("the picture after a reload", sent)
	p.wantQuiet()
}

func failuresAreSaid(t *testing.T, c *chromium, _ *service) {
	s := startService(t, "localhost", map[string]string{"AI_PROVIDER": "none"})
	made := s.signUp(t).create("blank")
	p := c.workbench(t, made)
	p.ask("hello")
	p.sees("No AI provider is connected yet.")
	p.until("the way to the providers", fmt.Sprintf(`document.querySelector('.turn a[href="/workspaces/%s/providers"]') !== null`, made.WorkspaceID))
	p.press("button", "Try again")
	p.until("the second try", `document.querySelectorAll('.turn .banner').length === 2`)

	p.fill("Describe a change", "\x00 is refused")
	p.press("button", "Send")
	p.until("what was written, and why it was refused", `document.querySelector('.queue__error')?.textContent.length > 0 && document.querySelector('.queue__text').textContent.includes('is refused')`)
	p.until("the button Edit of the message", `(() => {
		const found = [...document.querySelectorAll('.queue button')].find((e) => e.getAttribute('aria-label') === 'Edit');
		found?.click();
		return found !== undefined;
	})()`)
	p.until("the text to change", named("textbox", "Describe a change")+"?.value.includes('is refused') === true")
}
