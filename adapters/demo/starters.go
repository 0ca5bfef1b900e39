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
// directory: the studio's examples, in English, German and Spanish. They use the template's components,
// and no package besides.
//
//go:embed starters
var starterFiles embed.FS

// starter is an application that the script can build.
type starter struct {
	dir string
	// wish finds a wish for it, in any of the languages.
	wish *regexp.Regexp
	// titles and ready are the page's title and the answer, by language.
	titles, ready map[string]string
}

// byLanguage are texts of a language each.
func byLanguage(en, de, es string) map[string]string {
	return map[string]string{"en": en, "de": de, "es": es}
}

var starters = []*starter{
	{
		dir: "guestbook", wish: guestbookWish,
		titles: byLanguage("Guestbook", "Gästebuch", "Libro de visitas"),
		ready: byLanguage(
			"Your guestbook is ready: people sign up, write, and delete only their own entries. The preview shows sample entries; the published site starts empty.",
			"Ihr Gästebuch ist fertig: Wer will, registriert sich, schreibt und löscht nur eigene Einträge. Die Vorschau zeigt Beispiele; die veröffentlichte Seite beginnt leer.",
			"Tu libro de visitas está listo: la gente se registra, escribe y solo elimina sus propios mensajes. La vista previa muestra ejemplos; el sitio publicado empieza vacío."),
	},
	{
		dir: "habits", wish: regexp.MustCompile(`(?i)\bhabit tracker|\bgewohnheit|h[áa]bitos`),
		titles: byLanguage("Habits", "Gewohnheiten", "Hábitos"),
		ready: byLanguage(
			"Your habit tracker is ready: streaks, a calendar, saved in this browser. The names are samples.",
			"Ihr Gewohnheitstracker ist fertig: Serien und ein Kalender, gespeichert in diesem Browser. Die Namen sind Beispiele.",
			"Tu registro de hábitos está listo: rachas y un calendario, guardados en este navegador. Los nombres son ejemplos."),
	},
	{
		dir: "bakery", wish: regexp.MustCompile(`(?i)\bbakery\b|\bbäckerei|panader[íi]a`),
		titles: byLanguage("Linden Bakery", "Bäckerei Linde", "Panadería El Tilo"),
		ready: byLanguage(
			"Your bakery’s page is ready: today’s breads, opening hours, the way there. Names, prices and times are samples.",
			"Die Seite Ihrer Bäckerei ist fertig: die Brote von heute, Öffnungszeiten, der Weg. Namen, Preise und Zeiten sind Beispiele.",
			"La página de tu panadería está lista: los panes de hoy, el horario y cómo llegar. Nombres, precios y horas son ejemplos."),
	},
	{
		dir: "invoice", wish: regexp.MustCompile(`(?i)\binvoice|\brechnung|\bfactura`),
		titles: byLanguage("Invoice", "Rechnung", "Factura"),
		ready: byLanguage(
			"Your invoice maker is ready: items, tax, and a sheet that prints. Names and numbers are samples.",
			"Ihre Rechnung ist fertig: Posten, Steuer und ein Blatt zum Drucken. Namen und Zahlen sind Beispiele.",
			"Tu creador de facturas está listo: conceptos, IVA y una hoja para imprimir. Nombres y números son ejemplos."),
	},
	{
		dir: "quiz", wish: regexp.MustCompile(`(?i)\bquiz\b|\bcuestionario`),
		titles: byLanguage("Capitals", "Hauptstädte", "Capitales"),
		ready: byLanguage(
			"Your quiz is ready: ten questions about capitals, points, and a summary at the end.",
			"Ihr Quiz ist fertig: zehn Fragen über Hauptstädte, Punkte und eine Auswertung am Ende.",
			"Tu quiz está listo: diez preguntas sobre capitales, puntos y un resumen al final."),
	},
}

// starterOf returns the application that a message asks for, nil if it asks for none.
func starterOf(message string) *starter {
	for _, known := range starters {
		if known.wish.MatchString(message) {
			return known
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

// isUntouched reports whether the project is, as far as the script has looked, one in which nobody has
// built yet.
func (s state) isUntouched() bool {
	return s.files == nil || s.has(appPath) && s.has(componentPath) && (s.page == nil || strings.Contains(s.page.source, templateText))
}

// build looks at the project, writes the application, and checks the build. Into a project of
// somebody's it builds nothing but the guestbook.
func (s state) build() step {
	wanted, said := s.request.starter, s.request.said
	switch {
	case !s.offered[toolList] || !s.offered[toolRead] || !s.offered[toolWrite]:
		return s.refuse(said.cannot)
	case s.files == nil:
		return call(toolList, struct{}{})
	case wanted.dir == guestbookDir && s.has(schemaPath):
		return s.refuse(said.hasBackend)
	case s.page == nil && s.has(appPath):
		return call(toolRead, map[string]string{"path": appPath})
	case !s.isUntouched() && wanted.dir == guestbookDir && s.offered[toolEdit]:
		return s.addGuestbook()
	case !s.isUntouched():
		return s.refuse(said.newOnly)
	}
	for _, file := range wanted.files(said) {
		if !s.made[file.path] {
			return file.write()
		}
	}
	return s.finish(wanted.ready[said.language])
}

// finish checks the build, and tells what was done.
func (s state) finish(done string) step {
	if s.checked == "" && s.offered[toolCheck] {
		return step{text: s.request.said.check + "\n\n", tool: toolCheck, args: struct{}{}}
	}
	if strings.Contains(s.checked, "Build failed") {
		done += " " + s.request.said.buildFailed
	}
	return step{text: done + "\n\n" + s.request.said.disclaimer}
}

// planOf is the plan for an application.
func (r request) planOf() step {
	said := r.said
	steps := []planStep{
		{Title: said.planTheme, Description: said.planThemeHow, Files: []string{"src/index.css", "src/texts.ts"}, Risk: "low"},
		{Title: said.planPage, Description: r.starter.titles[said.language], Files: []string{appPath}, Risk: "low"},
	}
	if r.starter.dir == guestbookDir {
		steps = append([]planStep{{Title: said.planData, Description: said.planDataHow, Files: []string{schemaPath, seedPath}, Risk: "low"}}, steps...)
	}
	return r.plan(steps)
}

// scriptFile is a file that the script writes, and what it says before.
type scriptFile struct{ path, content, text string }

func (f scriptFile) write() step {
	next := call(toolWrite, map[string]string{"path": f.path, "content": f.content})
	if f.text != "" {
		next.text = f.text + "\n\n"
	}
	return next
}

// files are the files of the application, in the order in which they are written: the page that
// uses the others comes last, so that the project builds after each.
func (a *starter) files(said *words) []scriptFile {
	files := []scriptFile{
		{"src/index.css", a.read("theme.css") + readStarter("base.css"), said.theme},
		{"src/texts.ts", a.read("texts." + said.language + ".ts"), ""},
	}
	if a.dir == guestbookDir {
		files = append(backendFiles(said.language), files...)
	}
	for _, name := range a.sources() {
		files = append(files, scriptFile{name, a.read(name), ""})
	}
	return append(files,
		scriptFile{newPagePath, starterPage(said.language, a.titles[said.language]), ""},
		scriptFile{appPath, a.read(appPath), said.assemble})
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
