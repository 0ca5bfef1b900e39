package core

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNewWorkspacesOfOneNameHaveDifferentSlugs(t *testing.T) {
	for _, name := range []string{"Ada", "日本", strings.Repeat("long ", 40), strings.Repeat("é", 254), "-"} {
		first, second := NewWorkspace(name, false, nil, 5), NewWorkspace(name, true, nil, 5)
		if first.Slug == second.Slug || CheckSlug(first.Slug) != nil || CheckSlug(second.Slug) != nil {
			t.Errorf("%q: got the slugs %q and %q, want two different ones of the shape", name, first.Slug, second.Slug)
		}
		if n := utf8.RuneCountInString(first.Name); n > MaxWorkspaceNameChars || !strings.HasPrefix(name, first.Name) {
			t.Errorf("%q: got the name %q, want at most %d characters of it", name, first.Name, MaxWorkspaceNameChars)
		}
		if first.Personal || !second.Personal || first.CreatedAt != 5 || first.UpdatedAt != 5 {
			t.Errorf("%q: got %+v and %+v, want what was asked for", name, first, second)
		}
	}
}
