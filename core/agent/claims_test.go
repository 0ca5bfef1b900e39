package agent_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// TestWhoClaimsAChangeThatWasNotMadeIsDoubtedOnce: an answer that reads as if something was changed gets
// one hint, if nothing was.
func TestWhoClaimsAChangeThatWasNotMadeIsDoubtedOnce(t *testing.T) {
	const file = "```tsx\n// src/App.tsx\nexport default function App() {\n\treturn <p>hi</p>;\n}\n```"
	for said, want := range map[string]int{
		"I added the button and tested it.":                    1,
		"I've updated the styles.":                             1,
		"I have now created the page.":                         1,
		"Ich habe den Knopf in der Kopfzeile hinzugefügt.":     1,
		"He añadido el botón.":                                 1,
		"Here is the new App:\n\n" + file:                      1,
		"Hello! What shall we build?":                          0,
		"It is written in TypeScript.":                         0,
		"Run it like this:\n\n```sh\nls\n```":                  0,
		"I would add a button to src/App.tsx, if you like.":    0,
		"You could write:\n\n```ts\nconst a = 1;\n```\n there": 0,
	} {
		s := newScene()
		s.model.Say(said).Say("Nothing was changed.")
		s.run(t.Context())
		hints := s.hints()
		if len(hints) != want || want == 1 && !strings.HasPrefix(hints[0], "Nothing was changed:") {
			t.Errorf("%q: got the hints %q, want %d", said, hints, want)
		}
		if s.outcome.Reason != core.ReasonDone || s.err != nil {
			t.Errorf("%q: got %v, %v, want the run done", said, s.outcome, s.err)
		}
	}
}

func TestAClaimThatIsTrueIsBelieved(t *testing.T) {
	s := newScene()
	s.model.Call("write_file", sound).Say("I updated index.html.")
	s.run(t.Context())
	if hints := s.hints(); len(hints) != 0 || s.outcome.Reason != core.ReasonDone {
		t.Errorf("got the hints %q, ending with %v, want none and done", hints, s.outcome)
	}
}

func TestWhoIsDoubtedMayMakeTheChange(t *testing.T) {
	s := newScene()
	s.model.Say("I updated index.html.").Call("write_file", sound).Say("I updated index.html.")
	s.run(t.Context())
	if hints := s.hints(); len(hints) != 1 || s.outcome.Reason != core.ReasonDone {
		t.Errorf("got the hints %q, ending with %v, want one and done", hints, s.outcome)
	}
	if calls := len(s.model.Requests()); calls != 3 {
		t.Errorf("got %d model calls, want three: a claim that is true is believed", calls)
	}
}
