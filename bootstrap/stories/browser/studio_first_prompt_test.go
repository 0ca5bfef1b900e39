package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// theFirstPromptTakesImages pastes one as a visitor, which is there after the sign-up, and drops one
// on the dashboard.
func theFirstPromptTakesImages(t *testing.T, c *chromium, _ *service) {
	talks, s := startTalker(t)
	axe := fetchAxe(t)
	talks.on("A page like this", answer{pieces: []string{"I see a dot."}})
	talks.on("A plan for that", answer{pieces: []string{"Dots, then lines."}})
	p := c.open(t)
	p.observeShifts()
	p.show(1440, 900, "light")
	p.visit(s.url + "/")
	p.fill("What do you want to build?", "A page like this")
	p.until("the button for images", `document.querySelector('.wish__box input[type=file]') !== null`)
	p.wantSteady()
	p.give(".wish__text", "paste", "notes.txt", "text/plain")
	p.give(".wish__text", "paste", "dot.png", "image/png")
	p.give(".front__wish", "drop", "line.png", "image/png")
	p.until("two images", `document.querySelectorAll('.wish__box .chip img').length === 2`)
	p.show(390, 844, "dark")
	p.wantAccessible("the front page with images", axe)
	p.picture("front with images")
	p.press("button", "Remove line.png")
	p.until("one image", `document.querySelectorAll('.wish__box .chip').length === 1`)
	p.show(1440, 900, "light")
	p.press("button", "Build")
	p.wantHeading("Create the first account")
	p.visit(evaluate[string](p, `location.href`))
	p.fill("Email", "first@example.com")
	p.fill("Password", "long enough")
	p.press("button", "Create account")
	p.at("/projects/")
	p.until("the picture that was sent", `document.querySelector('.said__image img[alt^="Image, PNG"]')?.naturalWidth > 0`)
	p.answered()
	p.sees("I see a dot.")
	if asked := talks.asked(); strings.Count(asked[len(asked)-1], "data:image/png;base64,") != 1 {
		t.Errorf("got %.2000s, want the image in it", asked[len(asked)-1])
	}
	p.wantQuiet()

	u := s.signUp(t)
	u.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(u.workspace)+"/ai-providers",
		map[string]string{"kind": "openai", "name": "Lab", "baseUrl": talks.url + "/v1", "apiKey": "k", "defaultModel": "gpt-4o"}, nil)
	p = c.enterAs(t, u, "/dashboard")
	p.show(1440, 900, "light")
	p.fill("What do you want to build?", "A plan for that")
	p.until("no image", `document.querySelector('.wish__box input[type=file]') !== null && document.querySelector('.chip') === null`)
	p.give(".dashboard", "dragover", "dot.png", "image/png")
	p.sees("Drop the images to add them")
	p.give(".dashboard", "drop", "dot.png", "image/png")
	p.until("the image", `document.querySelectorAll('.wish__box .chip img').length === 1 && document.querySelector('.drop-zone') === null`)
	p.press("button", "Mode: Build")
	p.press("menuitem", "Plan")
	p.press("button", "Model: Default model")
	p.press("option", "gpt-4o-mini")
	for _, width := range []int64{390, 1440} {
		p.show(width, 900, "light")
		p.wantAccessible(fmt.Sprintf("the first prompt with choices, %d pixels", width), axe)
		p.picture(fmt.Sprintf("first prompt %d", width))
	}
	p.press("button", "Build")
	p.at("/projects/")
	p.answered()
	p.until("the mode and the model of the chat", named("button", "Mode: Plan")+" !== null && "+named("button", "Model: gpt-4o-mini")+" !== null")
	asked := talks.asked()
	for _, words := range []string{"data:image/png;base64,", `"model":"gpt-4o-mini"`} {
		if !strings.Contains(asked[len(asked)-1], words) {
			t.Errorf("got %.2000s, want %q in it", asked[len(asked)-1], words)
		}
	}
	p.press("link", "Atelier")
	p.until("an empty prompt", `document.querySelector('.wish__text').value === '' && document.querySelector('.wish__box input[type=file]') !== null && document.querySelector('.chip') === null`)
	p.wantQuiet()
}

// give pastes or drops a file; it has the content of an image.
func (p *tab) give(selector, event, name, kind string) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void (async () => {
		const blob = await new Promise((done) => document.createElement('canvas').toBlob(done));
		const data = new DataTransfer();
		data.items.add(new File([blob], %[3]q, { type: %[4]q }));
		const init = { bubbles: true, cancelable: true };
		const happens = %[2]q === 'paste' ? new ClipboardEvent('paste', { ...init, clipboardData: data }) : new DragEvent(%[2]q, { ...init, dataTransfer: data });
		document.querySelector(%[1]q).dispatchEvent(happens);
	})()`, selector, event, name, kind)))
}
