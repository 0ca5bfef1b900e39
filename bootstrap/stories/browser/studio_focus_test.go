package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func focusStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"what opens takes what is typed":  whatOpensTakesWhatIsTyped,
		"a model is found in a long list": aLongListOfModels,
	}
}

// whatOpensTakesWhatIsTyped opens fields that are no dialogs, one after the other in
// one document: browsers heed the attribute autofocus once.
func whatOpensTakesWhatIsTyped(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("blank")
	p := c.code(t, made)
	p.openFile("index.html")
	before := made.read("index.html")
	search := fmt.Sprintf(`(document.activeElement === %[1]s && %[1]s?.value)`, named("textbox", "Search in all files"))

	p.types("")
	p.do(chromedp.KeyEvent("F", chromedp.KeyModifiers(chromedp.ModifierCtrl|chromedp.ModifierShift)), chromedp.KeyEvent("accent"))
	p.until("the words in the search", search+` === "accent"`)

	p.do(chromedp.Evaluate[chromedp.Void](`void document.querySelector('.cm-content').focus()`))
	p.do(chromedp.KeyEvent("F", chromedp.KeyModifiers(chromedp.ModifierCtrl|chromedp.ModifierShift)), chromedp.KeyEvent("main"))
	p.until("the next words in their place", search+` === "main"`)

	p.press("tab", "Files")
	p.do(chromedp.Evaluate[chromedp.Void](`void ` + named("tab", "Search") + `.click()`))
	p.do(chromedp.KeyEvent("body"))
	p.until("the search that was clicked", search+` === "body"`)
	if got := made.read("index.html"); got != before {
		t.Errorf("got the file %q, want it untouched", got)
	}

	p.press("button", made.Name)
	p.do(chromedp.KeyEvent("Typed over"), chromedp.KeyEvent(kb.Enter))
	p.until("the new name", `document.querySelector('h1')?.textContent === 'Typed over'`)
	p.wantQuiet()
}

// aLongListOfModels opens the choice of models before they are there, and finds one by typing.
func aLongListOfModels(t *testing.T, c *chromium, s *service) {
	let := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-let
		var models []string
		for i := range 60 {
			models = append(models, fmt.Sprintf(`{"id":"model-%02d"}`, i))
		}
		_, _ = fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(models, ","))
	}))
	t.Cleanup(server.Close)
	u := s.signUp(t)
	u.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(u.workspace)+"/ai-providers",
		map[string]string{"kind": "openai", "name": "Many", "baseUrl": server.URL + "/v1", "apiKey": "k", "defaultModel": "model-00"}, nil)
	p := c.workbench(t, u.create("static-html"))
	p.press("button", "Model: Default model")
	p.until("the list without models", `document.querySelector('.finder__foot')?.textContent.includes('Loading') === true`)
	close(let)
	last := named("option", "model-59")
	p.until("the models", last+" !== null")
	for _, shape := range shapes[:6] {
		p.show(shape.width, shape.height, shape.scheme)
		if got := evaluate[string](p, `(() => {
			const { top, bottom, left, right } = document.querySelector('.finder').getBoundingClientRect();
			return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth ? '' : JSON.stringify({ top, bottom, left, right, innerHeight, innerWidth });
		})()`); got != "" {
			t.Errorf("%s: got the list at %s, want it in the window", shape.name, got)
		}
		p.snapshot("models " + shape.name)
	}
	p.do(chromedp.KeyEvent("many 59"))
	p.until("the one that was typed", `document.querySelectorAll('.finder [role=option]').length === 1 && `+last+`?.getAttribute('aria-selected') === 'true'`)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until("the choice", named("button", "Model: model-59")+" !== null && document.querySelector('dialog[open]') === null")
	p.wantQuiet()
}
