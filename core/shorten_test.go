package core_test

import (
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestShorten(t *testing.T) {
	for text, want := range map[string]string{
		"":              "",
		"häuser":        "häuser",
		"häuserzeile":   "häus…",
		"日本語日本語":        "日…",
		"abcdefghi":     "abcde…",
		"abc\xffdefghi": "abcd…",
	} {
		if got := core.Shorten(text, 8); got != want {
			t.Errorf("Shorten(%q): got %q, want %q", text, got, want)
		}
	}
}

func TestShortenChars(t *testing.T) {
	for text, want := range map[string]string{
		"":            "",
		"häuserze":    "häuserze",
		"häuserzeile": "häuserz…",
		"日本語日本語日本語":   "日本語日本語日…",
	} {
		if got := core.ShortenChars(text, 8); got != want {
			t.Errorf("ShortenChars(%q): got %q, want %q", text, got, want)
		}
	}
}
