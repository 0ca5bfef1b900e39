package publish

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/sites"
)

func TestCheckBounds(t *testing.T) {
	page := func(path, content string) sites.File { return sites.File{Path: path, Content: []byte(content)} }
	many := make([]sites.File, MaxSiteFiles+1)
	large := page("film.mp4", strings.Repeat("x", MaxSiteFileBytes+1))
	var heavy []sites.File
	for range MaxSiteBytes/MaxSiteFileBytes + 1 {
		heavy = append(heavy, sites.File{Path: "part.bin", Content: large.Content[:MaxSiteFileBytes]})
	}
	for name, c := range map[string]struct {
		files []sites.File
		path  string
		said  string
	}{
		"a whole site":             {[]sites.File{page("index.html", "x"), page("a.js", "1")}, "", ""},
		"too many files":           {many, "", "20001 files"},
		"a file that is too large": {[]sites.File{page("index.html", "x"), large}, "film.mp4", "100 MiB"},
		"too much in all":          {heavy, "", "MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			got := checkBounds(c.files)
			if c.said == "" {
				if len(got) > 0 {
					t.Errorf("got %+v, want nothing wrong", got)
				}
				return
			}
			if len(got) != 1 || got[0].Path != c.path || !strings.Contains(got[0].Message, c.said) {
				t.Errorf("got %+v, want one about %q that says %q", got, c.path, c.said)
			}
		})
	}
}
