package publish

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/sites"
)

func TestCheckSite(t *testing.T) {
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
		"a whole site":               {[]sites.File{page("index.html", `<script src="/a.js"></script>`), page("a.js", "1")}, "", ""},
		"no start page":              {[]sites.File{page("about.html", "x")}, "index.html", "no start page"},
		"nothing at all":             {nil, "index.html", "no start page"},
		"an empty start page":        {[]sites.File{page("index.html", " \n")}, "index.html", "empty"},
		"an empty page elsewhere":    {[]sites.File{page("index.html", "x"), page("b.html", "")}, "", ""},
		"a script that is not there": {[]sites.File{page("index.html", `<script src="/a.js"></script>`)}, "index.html", `"/a.js"`},
		"a style of another page":    {[]sites.File{page("index.html", "x"), page("docs/a.html", `<link rel=stylesheet href=a.css>`), page("a.css", "")}, "docs/a.html", `"a.css"`},
		"too many files":             {many, "", "20001 files"},
		"a file that is too large":   {[]sites.File{page("index.html", "x"), large}, "film.mp4", "100 MiB"},
		"too much in all":            {heavy, "", "MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			got := checkSite(c.files)
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
