package core_test

import (
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "Shop": "shop", "Zürich": "zurich", "Zu\u0308rich": "zurich", "STRAßE": "strasse", "Straẞe": "strasse", "Ægir Ø": "aegir o",
		"λόγος": "λογοσ", "Ёлка": "елка", "が": "が", "\u304b\u3099": "が", "한국": "한국", "İstanbul": "istanbul", "naïve café": "naive cafe", "a\xffb": "a\ufffdb",
	} {
		if got := core.Fold(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
