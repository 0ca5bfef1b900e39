package demo_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// template returns what the script looks at in an untouched project.
func template(t *testing.T) map[string]string {
	t.Helper()
	app, err := os.ReadFile("../scaffold/templates/blank/src/App.tsx")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{"src/App.tsx": string(app), "src/components/ui/button.tsx": "x", "src/index.css": "x", "index.html": "<title>New project</title>"}
}

func TestTheExamplesAreBuilt(t *testing.T) {
	for wish, want := range map[string]struct{ title, text string }{
		"A habit tracker: tick off habits each day, with a calendar that shows my streaks.":                                      {"Habits", "Walk before breakfast"},
		"A page for a small bakery: opening hours, today’s breads with prices, and where to find us.":                            {"Linden Bakery", "Bread that takes its time"},
		"An invoice maker: items, tax, and a sheet that prints well.":                                                            {"Invoice", "Studio Marlow"},
		"A quiz about capitals with ten questions, points, and a summary at the end.":                                            {"Capitals", "Canberra"},
		"Ein Gewohnheitstracker auf Deutsch: jeden Tag abhaken, mit einem Kalender, der meine Serien zeigt.":                     {"Gewohnheiten", "Spaziergang vor dem Frühstück"},
		"Eine deutsche Seite für eine kleine Bäckerei: Öffnungszeiten, die Brote von heute mit Preisen, und wie man uns findet.": {"Bäckerei Linde", "Brot, das sich Zeit nimmt"},
		"Ein Programm für Rechnungen auf Deutsch: Posten, Steuer, und ein Blatt, das sich gut drucken lässt.":                    {"Rechnung", "Gärtnerei Farnweg"},
		"Ein deutsches Quiz über Hauptstädte mit zehn Fragen, Punkten und einer Auswertung am Ende.":                             {"Hauptstädte", "Bolivien"},
		"Un registro de hábitos: marcar los hábitos de cada día, con un calendario que muestre mis rachas.":                      {"Hábitos", "Pasear antes de desayunar"},
		"Una página para una panadería pequeña: horario, los panes de hoy con precios y cómo llegar.":                            {"Panadería El Tilo", "Pan que se toma su tiempo"},
		"Un creador de facturas: conceptos, impuestos y una hoja que se imprima bien.":                                           {"Factura", "Jardines del Helecho"},
		"Un quiz sobre capitales con diez preguntas, puntos y un resumen al final.":                                              {"Capitales", "Kazajistán"},
		"A guestbook where people sign in and leave a message":                                                                   {"Guestbook", "Lovely that you came by"},
		"Ein Gästebuch, in das sich Leute eintragen":                                                                             {"Gästebuch", "Schön, dass Sie da sind"},
		"Un libro de visitas donde la gente deje un mensaje":                                                                     {"Libro de visitas", "Qué bien que hayas venido"},
	} {
		d := &desk{t: t, files: template(t), broken: "Build succeeded."}
		answer := d.run("", wish, allTools...)
		confesses(t, answer)
		if !strings.Contains(answer, "is ready") && !strings.Contains(answer, "ist fertig") && !strings.Contains(answer, "está list") {
			t.Errorf("%s: got the answer %q", wish, answer)
		}
		if !strings.Contains(d.files["index.html"], "<title>"+want.title+"</title>") || !strings.Contains(d.files["src/texts.ts"], want.text) {
			t.Errorf("%s: got the page %s and the texts %s, want %+v", wish, d.files["index.html"], d.files["src/texts.ts"], want)
		}
		if !strings.Contains(d.files["src/App.tsx"], "from '@/texts'") || !strings.HasPrefix(d.files["src/index.css"], `@import "tailwindcss";`) {
			t.Errorf("%s: got the files %q", wish, slices.Sorted(maps.Keys(d.files)))
		}
		if n := len(d.used); d.used[n-1] != "check_build" || d.used[1] != "read_file" || slices.Contains(d.used, "edit_file") {
			t.Errorf("%s: got the tools %q, want a look before and a check after", wish, d.used)
		}
	}
}

func TestAnExampleReplacesNobodysWork(t *testing.T) {
	mine := template(t)
	mine["src/App.tsx"] = "export default () => <h1>Mine</h1>"
	plain := template(t)
	delete(plain, "src/components/ui/button.tsx")
	for name, files := range map[string]map[string]string{"another page": mine, "no components": plain} {
		d := &desk{t: t, files: files, broken: "Build succeeded."}
		d.run("", "A quiz about capitals", allTools...)
		if d.files["src/texts.ts"] != "" {
			t.Errorf("%s: got a quiz, want the page left alone", name)
		}
	}
	d := &desk{t: t, files: template(t), broken: "Build succeeded."}
	d.run("", `Change the title to "Quiz"`, allTools...)
	if d.files["src/texts.ts"] != "" || !strings.Contains(d.files["src/App.tsx"], "<h1>Quiz</h1>") {
		t.Error("got a quiz for a title")
	}
	plan := d.run(`Answer with {"steps":[…]}.`, "A quiz about capitals", "list_files", "read_file")
	if !strings.Contains(plan, `"src/texts.ts"`) {
		t.Errorf("got the plan %s, want that of a quiz", plan)
	}
}
