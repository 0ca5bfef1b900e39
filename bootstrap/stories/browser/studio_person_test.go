package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const hostileStep = `Style it <img src=x onerror=alert(1)>`

// theAgentAsks: the list of steps shows the newest state and survives a reload; a question is
// answered by a choice, with the keyboard, and by words of one's own.
func theAgentAsks(t *testing.T, c *chromium, _ *service) {
	axe := fetchAxe(t)
	talks, s := startTalker(t)
	steps := func(first, second, third string) [2]string {
		return [2]string{"todo", fmt.Sprintf(`{"items":[{"text":"Build the form","state":%q},{"text":%q,"state":%q},{"text":"Check it on a phone, in the dark and in bright light","state":%q}]}`, first, hostileStep, second, third)}
	}
	talks.on("a form", answer{pieces: []string{"I look at it."}, calls: [][2]string{steps("doing", "open", "open")}})
	talks.on("The list has 3 steps, 0 of them done.", answer{calls: [][2]string{
		steps("done", "doing", "open"), {"ask_person", `{"question":"Who may send the form?","choices":["Everybody who has the link","Only people who are signed in","<b>Nobody</b> yet"]}`},
	}})
	talks.on("Only people who are signed in", answer{calls: [][2]string{
		{"ask_person", `{"question":"And which colour?","choices":["Blue","Red"]}`},
	}})
	talks.on("Green, please", answer{calls: [][2]string{steps("done", "done", "done")}})
	talks.on("The list has 3 steps, 3 of them done.", answer{pieces: []string{"It is green."}})
	made := s.signUp(t).create("blank")
	p := c.workbench(t, made)
	p.ask("a form")
	p.answered()
	p.sees("Who may send the form?")
	p.sees("1 of 3 done")
	for _, shape := range []struct {
		name   string
		width  int64
		scheme string
	}{
		{"phone", 390, "light"}, {"phone-dark", 390, "dark"}, {"tablet", 820, "light"}, {"tablet-dark", 820, "dark"}, {"desk", 1440, "light"}, {"desk-dark", 1440, "dark"},
	} {
		p.show(shape.width, 900, shape.scheme)
		p.picture("question-" + shape.name)
		p.wantAccessible("a question, "+shape.name, axe)
	}
	p.show(1440, 900, "light")
	if got := evaluate[int](p, `document.querySelectorAll('.todo').length`); got != 1 {
		t.Errorf("got %d lists, want one in the turn", got)
	}
	// A reload shows the same; the second choice is taken with the keyboard.
	p.visit(s.url + "/projects/" + string(made.ID))
	p.sees("Who may send the form?")
	p.sees(hostileStep)
	p.sees("<b>Nobody</b> yet")
	p.until("the choices", named("button", "Everybody who has the link")+" !== null")
	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('.question__choices button').focus()`), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	p.sees("And which colour?")
	p.answered()
	if got := evaluate[string](p, `[...document.querySelectorAll('.said__text')].at(-1).textContent`); got != "Only people who are signed in" {
		t.Errorf("got the message %q, want the choice", got)
	}
	if got := evaluate[int](p, `document.querySelectorAll('.question__choices').length`); got != 1 {
		t.Errorf("got choices of %d questions, want those of the open one", got)
	}
	p.ask("Green, please")
	p.sees("It is green.")
	p.answered()
	p.sees("3 of 3 done")
	if got := evaluate[int](p, `document.querySelectorAll('.question__choices').length`); got != 0 {
		t.Errorf("got choices of %d questions, want none open", got)
	}
	p.wantQuiet()
}
