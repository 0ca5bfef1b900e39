package core_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestSlugify(t *testing.T) {
	long := strings.Repeat("a", 63)
	for name, want := range map[string]string{
		"Todo App": "todo-app", "todo-app": "todo-app", "  --Hello,   World!-- ": "hello-world", "a_b.c/d": "a-b-c-d", "2048": "2048", "A": "a",
		"": "project", "   ": "project", "---": "project", "日本語": "project", "👍": "project", "\x00\xff": "project",
		"Café": "cafe", "über uns": "uber-uns", "Straße": "strasse", "日本 app": "app", "app 日本": "app", "a\x00b": "a-b", "xn--80ak6aa92e": "xn-80ak6aa92e",
		long: long, long + "a": long, strings.Repeat("a", 62) + " b": strings.Repeat("a", 62), strings.Repeat("ab ", 40): strings.Repeat("ab-", 20) + "ab-"[:2],
	} {
		if got := core.Slugify(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestNumberedSlug(t *testing.T) {
	long := strings.Repeat("a", 63)
	for _, c := range []struct {
		slug string
		n    int
		want string
	}{
		{"todo", 0, "todo"}, {"todo", 1, "todo"}, {"todo", 2, "todo-2"}, {"todo", 10, "todo-10"}, {"todo-2", 2, "todo-2-2"},
		{long, 1, long}, {long, 2, long[:61] + "-2"}, {long, 1000, long[:58] + "-1000"}, {strings.Repeat("a", 60) + "-bc", 2, strings.Repeat("a", 60) + "-2"},
	} {
		if got := core.NumberedSlug(c.slug, c.n); got != c.want {
			t.Errorf("%q, %d: got %q, want %q", c.slug, c.n, got, c.want)
		}
	}
}

func FuzzSlugify(f *testing.F) {
	for _, seed := range []string{"Todo App", "日本語", strings.Repeat("ab ", 40), "xn--a", "\u0130", "\u212a"} {
		f.Add(seed, 2)
	}
	f.Fuzz(func(t *testing.T, name string, n int) {
		slug := core.Slugify(name)
		for _, made := range []string{slug, core.NumberedSlug(slug, n)} {
			if err := core.CheckSlug(made); err != nil {
				t.Fatalf("%q, %d: got %q, which is refused: %v", name, n, made, err)
			}
		}
		if strings.Contains(slug, "--") || core.Slugify(slug) != slug {
			t.Fatalf("%q: got %q, want single hyphens and a slug that stays as it is", name, slug)
		}
		if n >= 2 && core.NumberedSlug(slug, n) == slug && !strings.HasSuffix(slug, fmt.Sprint("-", n)) {
			t.Fatalf("%q: the choice %d does not differ from the first", slug, n)
		}
	})
}

func TestCheckSlug(t *testing.T) {
	for slug, ok := range map[string]bool{
		"a": true, "0": true, "todo-app": true, "a--b": true, strings.Repeat("a", 63): true,
		"": false, "-": false, "-a": false, "a-": false, "A": false, "a_b": false, "a.b": false, "a b": false, "a/b": false, "é": false, "a\x00": false, "a\n": false, "..": false, strings.Repeat("a", 64): false,
	} {
		err := core.CheckSlug(slug)
		if (err == nil) != ok || err != nil && core.CodeOf(err) != core.CodeValidationFailed {
			t.Errorf("%q: got %v, want accepted %v", slug, err, ok)
		}
	}
}

func TestReservedSlug(t *testing.T) {
	for slug, want := range map[string]bool{
		"www": true, "api": true, "app": true, "admin": true, "mail": true, "preview": true, "static": true, "assets": true, "studio": true,
		"login": true, "sign-in": true, "sso": true, "wpad": true, "autodiscover": true, "autoconfig": true, "mta-sts": true, "isatap": true,
		"localhost": true, "postmaster": true, "hostmaster": true, "security": true, "ns1": true, "smtp": true,
		"dashboard": false, "blog": false, "shop": false, "docs": false, "login-page": false, "my-login": false,
		"xn--80ak6aa92e": true, "ab--cd": true, "a1--": true,
		"wwww": false, "api-2": false, "todo": false, "a--b": false, "abc--d": false, "ab-cd": false, "ab-": false, "": false,
	} {
		if got := core.ReservedSlug(slug); got != want {
			t.Errorf("%q: got %v, want %v", slug, got, want)
		}
	}
}

func TestCheckDescription(t *testing.T) {
	for text, ok := range map[string]bool{
		"": true, "two\nlines": true, strings.Repeat("é", core.MaxDescriptionChars): true,
		strings.Repeat("a", core.MaxDescriptionChars+1): false, "a\x00": false, "a\xff": false,
	} {
		err := core.CheckDescription(text)
		if (err == nil) != ok || err != nil && core.CodeOf(err) != core.CodeValidationFailed {
			t.Errorf("%.20q: got %v, want accepted %v", text, err, ok)
		}
	}
}

func TestParseVisibility(t *testing.T) {
	for _, word := range constantsOf(t, "project.go", "Visibility") {
		if got, err := core.ParseVisibility(word); err != nil || string(got) != word {
			t.Errorf("%q: got %q, %v, want it unchanged", word, got, err)
		}
		for _, other := range []string{"", strings.ToUpper(word), word + " ", word + "\x00", "other"} {
			if got, err := core.ParseVisibility(other); core.CodeOf(err) != core.CodeValidationFailed || got != "" {
				t.Errorf("%q: got %q, %v, want code validation_failed", other, got, err)
			}
		}
	}
}

func TestParseProviderKind(t *testing.T) {
	for _, word := range append(constantsOf(t, "provider.go", "ProviderKind"), "house-2", strings.Repeat("k", 32)) {
		if got, err := core.ParseProviderKind(word); err != nil || string(got) != word {
			t.Errorf("%q: got %q, %v, want it unchanged", word, got, err)
		}
	}
	for _, other := range []string{"", "Ollama", "ollama ", "ollama\x00", "öl", strings.Repeat("k", 33)} {
		if got, err := core.ParseProviderKind(other); core.CodeOf(err) != core.CodeValidationFailed || got != "" {
			t.Errorf("%q: got %q, %v, want code validation_failed", other, got, err)
		}
	}
}
