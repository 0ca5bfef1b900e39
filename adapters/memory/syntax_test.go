package memory_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/build/buildtest"
)

func TestSyntaxChecker(t *testing.T) {
	buildtest.RunSyntaxChecker(t, func(*testing.T) build.SyntaxChecker { return memory.NewBuilder() })
}

func FuzzSyntaxEndsOnEveryPage(f *testing.F) {
	for _, seed := range []string{"<", "</", "<!-", "<a b", "<script></", "<1", "<>", "</>", "<!-->"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found, err := memory.NewBuilder().Syntax(t.Context(), "a.html", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range found {
			if d.Line < 1 || d.Column < 1 {
				t.Errorf("got %+v, want a place", d)
			}
		}
	})
}
