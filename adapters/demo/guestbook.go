package demo

import (
	_ "embed"
	"path"
	"regexp"
	"strings"
)

// The files of the guestbook in a page of somebody's. It calls the backend by fetch and EventSource,
// because the stock client is a package, and the demo works without a registry.
var (
	//go:embed guestbook/guestbook.js
	guestbookScript string
	//go:embed guestbook/guestbook.css
	guestbookStyle string
)

const (
	guestbookDir = "guestbook"
	schemaPath   = "backend/schema.json"
	seedPath     = "backend/seed.json"
	// guestbookElement is where the script shows the guestbook.
	guestbookElement = `<link rel="stylesheet" href="/guestbook.css" />` + "\n" + `<section id="guestbook"></section>` + "\n" +
		`<script type="module" src="/guestbook.js"></script>` + "\n"
)

// guestbookWish finds a wish for a guestbook, in English, German or Spanish.
var guestbookWish = regexp.MustCompile(`(?i)\b(?:guest[ -]?book|gästebuch|libro de visitas)`)

// backendFiles are the schema and the samples. Test data are made, with the samples, as soon as there
// is a schema, so that comes last.
func backendFiles(language string) []scriptFile {
	root := path.Join(guestbookDir, "backend")
	return []scriptFile{
		{seedPath, readStarter(path.Join(root, "seed."+language+".json")), ""},
		{schemaPath, readStarter(path.Join(root, "schema.json")), ""},
	}
}

// addGuestbook adds a guestbook to a page of somebody's.
func (s state) addGuestbook() step {
	files := append(backendFiles(s.request.said.language), scriptFile{"guestbook.css", guestbookStyle, ""}, scriptFile{"guestbook.js", guestbookScript, ""})
	for _, file := range files {
		if !s.made[file.path] {
			return file.write()
		}
	}
	if !s.made[newPagePath] {
		return s.showGuestbook()
	}
	return s.finish(s.request.said.guestbookAdded)
}

// showGuestbook puts the guestbook at the end of the page's main part.
func (s state) showGuestbook() step {
	if !s.has(newPagePath) {
		content := strings.Replace(newPage("Guestbook"), "  </body>", guestbookElement+"  </body>", 1)
		return scriptFile{newPagePath, content, s.request.said.noPage}.write()
	}
	if s.page == nil || s.page.path != newPagePath {
		return call(toolRead, map[string]string{"path": newPagePath})
	}
	at := lastClosingTag(s.page.source, false)
	if at < 0 {
		at = len(s.page.source)
	}
	change, possible := s.page.replace(at, at, guestbookElement)
	if !possible {
		return s.refuse(s.request.said.noPlaceFor(newPagePath, "guestbook.js"))
	}
	return call(toolEdit, change)
}
