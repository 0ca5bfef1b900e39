package demo

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
)

// The files of the guestbook. The page calls the backend by fetch and EventSource, because the
// stock client is a package, and the demo works without a registry.
var (
	//go:embed guestbook/schema.json
	guestbookSchema string
	//go:embed guestbook/seed.json
	guestbookSeed string
	//go:embed guestbook/guestbook.js
	guestbookScript string
)

const (
	schemaPath = "backend/schema.json"
	// guestbookElement is where the script shows the guestbook.
	guestbookElement = `<section id="guestbook"></section>` + "\n" + `<script type="module" src="/guestbook.js"></script>` + "\n"
)

// guestbookRequest finds a wish for a guestbook, in English, German or Spanish.
var guestbookRequest = regexp.MustCompile(`(?i)\b(?:guest[ -]?book|gästebuch|libro de visitas)`)

// guestbookFiles are written in this order: test data are made, with the seed, as soon as there
// is a schema.
func guestbookFiles() []scriptFile {
	return []scriptFile{
		{"backend/seed.json", guestbookSeed, "I write some records for the preview.\n\n"},
		{schemaPath, guestbookSchema, "I write the schema of the backend: users, and entries that everybody reads and only their authors delete.\n\n"},
		{"guestbook.js", guestbookScript, "I write the script of the page.\n\n"},
	}
}

// scriptFile is a file that the script writes.
type scriptFile struct{ path, content, text string }

// canBuildGuestbook reports whether the tools are offered that a guestbook takes.
func (s state) canBuildGuestbook() bool {
	return s.offered[toolList] && s.offered[toolRead] && s.offered[toolEdit] && s.offered[toolWrite]
}

// guestbook is the script of a project with a backend: it writes the files, shows them in the
// page, and checks the build.
func (s state) guestbook() step {
	switch {
	case s.files == nil:
		return step{text: "I look at the project's files first.\n\n", tool: toolList, args: struct{}{}}
	case s.has(schemaPath):
		return step{text: "The project has a backend already, so I changed nothing.\n\n" + disclaimer}
	}
	for _, file := range guestbookFiles() {
		if !s.made[file.path] {
			return step{text: file.text, tool: toolWrite, args: map[string]string{"path": file.path, "content": file.content}}
		}
	}
	switch {
	case !s.made[newPagePath]:
		return s.showGuestbook()
	case s.checked == "" && s.offered[toolCheck]:
		return step{text: "I check that the project still builds.\n\n", tool: toolCheck, args: struct{}{}}
	}
	text := "Done: the project has a guestbook with a backend. The preview shows test data; the published site begins empty. " +
		"The page uses fetch, so that it needs no package; the package pocketbase would do the same."
	if strings.Contains(s.checked, "Build failed") {
		text += " But the build failed: look at the diagnostics, or restore the previous version."
	}
	return step{text: text + "\n\n" + disclaimer}
}

// showGuestbook puts the guestbook at the end of the page's main part.
func (s state) showGuestbook() step {
	if !s.has(newPagePath) {
		content := strings.Replace(newPage(request{text: "Guestbook"}), "  </body>", guestbookElement+"  </body>", 1)
		return step{text: "I write a page for it.\n\n", tool: toolWrite, args: map[string]string{"path": newPagePath, "content": content}}
	}
	if s.page == nil {
		return step{text: "I read " + newPagePath + ".\n\n", tool: toolRead, args: map[string]string{"path": newPagePath}}
	}
	at := lastClosingTag(s.page.source, false)
	if at < 0 {
		at = len(s.page.source)
	}
	change, possible := s.page.replace(at, at, guestbookElement)
	if !possible {
		return step{text: "I found no place in " + newPagePath + " for the guestbook; its files are there.\n\n" + disclaimer}
	}
	return step{text: "I show it in " + newPagePath + ".\n\n", tool: toolEdit, args: change}
}

// has reports whether the project had a file when the run began.
func (s state) has(path string) bool { return slices.Contains(s.files, path) }

// planOfGuestbook is the plan for a guestbook.
func planOfGuestbook() step {
	plan := map[string][]planStep{"steps": {
		{
			Title:       "Give the project a backend for a guestbook",
			Description: "Users sign up, everybody reads the entries, and only their authors delete them.",
			Files:       []string{schemaPath, "backend/seed.json"}, Risk: "low",
		},
		{Title: "Show the guestbook in the page", Description: "Add a script, and a place for it.", Files: []string{"guestbook.js", newPagePath}, Risk: "low"},
	}}
	return planAnswer(plan)
}
