package studio

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/compress"
	"github.com/atelierhq/atelier/ports/sites"
)

// The studio's weight in compressed bytes: what is loaded before a page shows, and what
// is loaded when the editor is first opened, with a file's language.
const (
	maxFirstLoad = 150 << 10
	maxEditor    = 250 << 10
	// maxFront bounds the front page with its style sheet. On a slow mobile line (1.6 Mbit/s)
	// that is a third of a second.
	maxFront = 60 << 10
)

// deferred matches the dynamic imports of a script of the build.
var deferred = regexp.MustCompile(`import\("/assets/([^"]+\.js)"\)`)

// TestTheStudioIsLight follows the build's own imports.
func TestTheStudioIsLight(t *testing.T) {
	files := scripts(t)
	page, err := fs.ReadFile(Built(), "index.html")
	if err != nil {
		t.Fatal(err)
	}
	entry := regexp.MustCompile(`/assets/(main-[^"]+\.js)`).FindSubmatch(page)
	if entry == nil {
		t.Fatalf("got the page %s, want its script", page)
	}
	first := reach(t, files, string(entry[1]))
	heaviest := 0
	for _, page := range pagesOf(files, first) {
		weight := weigh(files, union(first, reach(t, files, page)))
		t.Logf("%s: %d KiB with all that is loaded before", page, weight>>10)
		if strings.HasPrefix(page, "code-") {
			continue
		}
		heaviest = max(heaviest, weight)
	}
	if heaviest > maxFirstLoad {
		t.Errorf("got %d bytes of scripts on the heaviest page, want %d at most", heaviest, maxFirstLoad)
	}
	for script := range files {
		if strings.HasPrefix(script, "front-") {
			weight := weigh(files, union(first, reach(t, files, script))) + weighStyles(t)
			t.Logf("%s: %d KiB with the style sheet", script, weight>>10)
			if weight > maxFront {
				t.Errorf("got %d bytes of scripts and styles on the front page, want %d at most", weight, maxFront)
			}
		}
		if !strings.HasPrefix(script, "code-") {
			continue
		}
		editor := reach(t, files, script)
		heaviest := 0
		for _, language := range append(pagesOf(files, editor), script) {
			more := slices.DeleteFunc(union(editor, reach(t, files, language)), func(loaded string) bool { return slices.Contains(first, loaded) })
			heaviest = max(heaviest, weigh(files, more))
		}
		t.Logf("%s: %d KiB more with the heaviest of the languages", script, heaviest>>10)
		if heaviest > maxEditor {
			t.Errorf("%s: got %d bytes of scripts more, want %d at most", script, heaviest, maxEditor)
		}
	}
}

// maxFont bounds the typeface, which every first visit loads.
const maxFont = 50 << 10

func TestTheTypefaceIsLight(t *testing.T) {
	names, err := fs.Glob(Built(), "assets/*.woff2")
	if err != nil || len(names) != 1 {
		t.Fatalf("got the fonts %q (%v), want one", names, err)
	}
	content, err := fs.ReadFile(Built(), names[0])
	if err != nil {
		t.Fatal(err)
	}
	if len(content) > maxFont {
		t.Errorf("got a typeface of %d bytes, want %d at most", len(content), maxFont)
	}
}

// maxPicture bounds a template's picture, and maxGallery those of all templates.
const (
	maxPicture = 16 << 10
	maxGallery = 64 << 10
)

func TestTheGalleryIsLight(t *testing.T) {
	names, err := fs.Glob(Built(), "gallery/*")
	if err != nil || len(names) == 0 {
		t.Fatalf("got the pictures %q (%v), want those of the templates", names, err)
	}
	total := 0
	for _, name := range names {
		content, err := fs.ReadFile(Built(), name)
		if err != nil {
			t.Fatal(err)
		}
		if len(content) > maxPicture {
			t.Errorf("%s: got %d bytes, want %d at most", name, len(content), maxPicture)
		}
		total += len(content)
	}
	if total > maxGallery {
		t.Errorf("got %d bytes of pictures, want %d at most", total, maxGallery)
	}
}

// maxHelp bounds the pictures of the manual together.
const maxHelp = 192 << 10

func TestTheManualIsLight(t *testing.T) {
	names, err := fs.Glob(Built(), "help/*")
	if err != nil || len(names) == 0 {
		t.Fatalf("got the pictures %q (%v), want those of the manual", names, err)
	}
	total := 0
	for _, name := range names {
		content, err := fs.ReadFile(Built(), name)
		if err != nil {
			t.Fatal(err)
		}
		total += len(content)
	}
	if total > maxHelp {
		t.Errorf("got %d bytes of pictures, want %d at most", total, maxHelp)
	}
}

// scripts returns the scripts of the build by their names.
func scripts(t *testing.T) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	names, err := fs.Glob(Built(), "assets/*.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		content, err := fs.ReadFile(Built(), name)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(name, "assets/")] = content
	}
	return files
}

// reach returns a script and all that it loads before it runs.
func reach(t *testing.T, files map[string][]byte, script string) []string {
	t.Helper()
	found := []string{script}
	for i := 0; i < len(found); i++ {
		content, there := files[found[i]]
		if !there {
			t.Fatalf("got no assets/%s, which the build names", found[i])
		}
		for _, path := range imports(content) {
			if next := strings.TrimPrefix(path, "/assets/"); !slices.Contains(found, next) {
				found = append(found, next)
			}
		}
	}
	return found
}

// pagesOf returns the dynamic imports of the initial scripts.
func pagesOf(files map[string][]byte, first []string) []string {
	var pages []string
	for _, script := range first {
		for _, match := range deferred.FindAllSubmatch(files[script], -1) {
			pages = append(pages, string(match[1]))
		}
	}
	return pages
}

func union(one, other []string) []string {
	all := slices.Clone(one)
	for _, name := range other {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// weighStyles returns the weight of the style sheet of all pages.
func weighStyles(t *testing.T) int {
	t.Helper()
	names, err := fs.Glob(Built(), "assets/index-*.css")
	if err != nil || len(names) != 1 {
		t.Fatalf("got the style sheets %q (%v), want one", names, err)
	}
	content, err := fs.ReadFile(Built(), names[0])
	if err != nil {
		t.Fatal(err)
	}
	return weigh(map[string][]byte{"": content}, []string{""})
}

// weigh adds up scripts as browsers get them.
func weigh(files map[string][]byte, scripts []string) (total int) {
	for _, script := range scripts {
		content := files[script]
		if form := compress.Form(content, sites.Brotli, compress.Once); form != nil {
			content = form
		}
		total += len(content)
	}
	return total
}
