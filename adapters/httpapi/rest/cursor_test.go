package rest

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
)

func TestACursorGivesItsPlaceBack(t *testing.T) {
	c := Cursors{memory.NewSealer()}
	at := core.Position{CreatedAt: 1_900_000_000_123, ID: core.NewID()}
	page, err := c.Page("projects", Query{"cursor": c.Position("projects", at), "limit": "7"})
	if err != nil || page.Limit != 7 || *page.Before != at {
		t.Errorf("got %+v, %v, want limit 7 before %+v", page, err, at)
	}
	for _, place := range []string{"", "a", "é 1", strings.Repeat("x", 300)} {
		if got, err := c.Read("versions", c.Write("versions", place)); err != nil || got != place {
			t.Errorf("got %q, %v, want %q", got, err, place)
		}
	}
}

func TestTamperedCursorsAreRefused(t *testing.T) {
	c := Cursors{memory.NewSealer()}
	good := c.Position("projects", core.Position{CreatedAt: 1, ID: core.NewID()})
	forged := base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat("a", 26) + "1 x"))
	texts := []string{"", "x", "null", "0", good + "A", good[1:], good[:len(good)-1], good + "=", " " + good, good + "\n", forged,
		strings.Repeat("A", 513), strings.Repeat("A", 100_000), Cursors{memory.NewSealer()}.Write("projects", "1 x"), c.Write("audit", "1 x")}
	for i := range len(good) {
		changed := []byte(good)
		changed[i] ^= 1
		texts = append(texts, string(changed))
	}
	for _, text := range texts {
		if place, err := c.Read("projects", text); !core.IsCode(err, core.CodeInvalidCursor) {
			t.Errorf("%.80q: got %q, %v, want %s", text, place, err, core.CodeInvalidCursor)
		}
	}
}

func TestLimits(t *testing.T) {
	c := Cursors{memory.NewSealer()}
	for text, want := range map[string]int{"1": 1, "100": 100, "101": 100, "99999": 100, "007": 7} {
		if page, err := c.Page("projects", Query{"limit": text}); err != nil || page.Limit != want {
			t.Errorf("limit %q: got %d, %v, want %d", text, page.Limit, err, want)
		}
	}
	if page, err := c.Page("projects", Query{}); err != nil || page.Limit != 20 || page.Before != nil {
		t.Errorf("no limit: got %+v, %v, want the first 20", page, err)
	}
	for _, text := range []string{"", "0", "-1", "+5", "1.5", "1e2", "0x10", " 5", "five", "99999999999999999999", "５"} {
		if page, err := c.Page("projects", Query{"limit": text}); !core.IsCode(err, core.CodeInvalidRequest) {
			t.Errorf("limit %q: got %d, %v, want %s", text, page.Limit, err, core.CodeInvalidRequest)
		}
	}
}

func FuzzCursor(f *testing.F) {
	c := Cursors{memory.NewSealer()}
	good := c.Write("list", "1 x")
	f.Add(good)
	f.Add("")
	f.Add(strings.Repeat("A", 60))
	f.Fuzz(func(t *testing.T, text string) {
		if place, err := c.Read("list", text); err == nil && text != good && c.Write("list", place) != text {
			t.Errorf("%q: got the place %q, want it refused", text, place)
		}
	})
}
