package demo

import (
	"embed"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// starterFiles are the applications that the script builds into an untouched project, one a
// directory: the studio's examples, in English and German. They use the template's components, and
// no package besides.
//
//go:embed starters
var starterFiles embed.FS

// starter is an application that the script can build.
type starter struct {
	dir string
	// wish finds a wish for it, in English or German.
	wish *regexp.Regexp
	// title and name are in English and in German: of the page, and in the answer.
	title, titleDE string
	about          string
}

var starters = []starter{
	{"habits", regexp.MustCompile(`(?i)\bhabit tracker|\bgewohnheit`), "Habits", "Gewohnheiten", "a habit tracker with streaks and a calendar, kept in the browser"},
	{"bakery", regexp.MustCompile(`(?i)\bbakery\b|\bbäckerei`), "Linden Bakery", "Bäckerei Linde", "a page for a bakery: today’s breads, opening hours, the way there"},
	{"invoice", regexp.MustCompile(`(?i)\binvoice|\brechnung`), "Invoice", "Rechnung", "an invoice maker: items, tax, and a sheet that prints"},
	{"quiz", regexp.MustCompile(`(?i)\bquiz\b`), "Capitals", "Hauptstädte", "a quiz about capitals: ten questions, points, and a summary"},
}

// germanWish finds wishes for a page in German.
var germanWish = regexp.MustCompile(`(?i)\bdeutsch|\beine?\b|\bich\b`)

// starterOf returns the application that a message asks for, nil if it asks for none.
func starterOf(message string) *starter {
	for i := range starters {
		if starters[i].wish.MatchString(message) {
			return &starters[i]
		}
	}
	return nil
}

// What tells an untouched project from the template blank: its components, and a text of its page.
const (
	appPath       = "src/App.tsx"
	componentPath = "src/components/ui/button.tsx"
	templateText  = "This page is all yours."
)

// canBuildStarter reports whether the user wants an application, and the project is, as far as the
// script has looked, an untouched one.
func (s state) canBuildStarter() bool {
	if s.request.starter == nil || !s.offered[toolList] || !s.offered[toolRead] || !s.offered[toolWrite] {
		return false
	}
	return s.files == nil || s.has(appPath) && s.has(componentPath) && (s.page == nil || strings.Contains(s.page.source, templateText))
}

// buildStarter looks at the project, writes the application, and checks the build.
func (s state) buildStarter() step {
	wanted := s.request.starter
	switch {
	case s.files == nil:
		return step{text: "Let me look at the files first.\n\n", tool: toolList, args: struct{}{}}
	case s.page == nil:
		return step{text: "I read " + appPath + ".\n\n", tool: toolRead, args: map[string]string{"path": appPath}}
	}
	for _, file := range wanted.files(germanWish.MatchString(s.request.message)) {
		if !s.made[file.path] {
			return step{text: file.text, tool: toolWrite, args: map[string]string{"path": file.path, "content": file.content}}
		}
	}
	if s.checked == "" && s.offered[toolCheck] {
		return step{text: "I check that it builds.\n\n", tool: toolCheck, args: struct{}{}}
	}
	text := "Done: " + wanted.about + ". Names, prices and dates are samples; they are in src/texts.ts, and the colours in src/index.css."
	if strings.Contains(s.checked, "Build failed") {
		text += " But the build failed: look at the diagnostics, or restore the previous version."
	}
	return step{text: text + "\n\n" + disclaimer}
}

// planOfStarter is the plan for an application.
func planOfStarter(wanted *starter) step {
	return planAnswer(map[string][]planStep{"steps": {
		{Title: "Choose colours and words", Description: "Write the theme for light and dark, and everything that the page says.", Files: []string{"src/index.css", "src/texts.ts"}, Risk: "low"},
		{Title: "Build the page", Description: "Make " + wanted.about + ".", Files: []string{appPath}, Risk: "low"},
	}})
}

// files are the files of the application, in the order in which they are written: the page that
// uses the others comes last, so that the project builds after each.
func (a *starter) files(german bool) []scriptFile {
	language, title := "en", a.title
	if german {
		language, title = "de", a.titleDE
	}
	files := []scriptFile{
		{"src/index.css", a.read("theme.css") + readStarter("base.css"), "I choose colours and type for it, light and dark.\n\n"},
		{"src/texts.ts", a.read("texts." + language + ".ts"), "I write what the page says.\n\n"},
	}
	for _, name := range a.sources() {
		files = append(files, scriptFile{name, a.read(name), "I write " + name + ".\n\n"})
	}
	return append(files,
		scriptFile{newPagePath, starterPage(language, title), "I give the page its title.\n\n"},
		scriptFile{appPath, a.read(appPath), "I put the page together.\n\n"})
}

// sources are the paths of the application's sources besides its page: modules without a view
// first, because components use them.
func (a *starter) sources() []string {
	var found []string
	root := path.Join("starters", a.dir)
	err := fs.WalkDir(starterFiles, path.Join(root, "src"), func(name string, entry fs.DirEntry, err error) error {
		if name = strings.TrimPrefix(name, root+"/"); err == nil && !entry.IsDir() && name != appPath {
			found = append(found, name)
		}
		return err
	})
	if err != nil {
		panic(err) // The files are embedded.
	}
	slices.SortStableFunc(found, func(a, b string) int { return strings.Compare(path.Ext(a), path.Ext(b)) })
	return found
}

func (a *starter) read(name string) string { return readStarter(path.Join(a.dir, name)) }

func readStarter(name string) string {
	content, err := starterFiles.ReadFile(path.Join("starters", name))
	if err != nil {
		panic(err) // The files are embedded.
	}
	return string(content)
}

func starterPage(language, title string) string {
	return strings.NewReplacer("LANGUAGE", language, "TITLE", title).Replace(readStarter("index.html"))
}
