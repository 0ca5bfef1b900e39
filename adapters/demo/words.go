package demo

import (
	"fmt"
	"regexp"
	"strings"
)

// words are what the script says, in one language.
type words struct {
	language                                             string
	disclaimer, abilities, cannot, finding, cannotAnswer string
	newOnly, quoteTitle                                  string
	theme, assemble, check                               string
	// shows takes a path and a quoted text, already a quoted text, noPlace both.
	shows, already, noPlace, noPage, unreadable string
	buildFailed, sorry, unchanged, kept         string
	guestbookAdded, hasBackend                  string
	plan, planChange, planChangeHow             string
	planCheck, planCheckHow                     string
	planTheme, planThemeHow, planPage           string
	planData, planDataHow                       string
}

var english = words{
	language:       "en",
	disclaimer:     "This was the demo, a script. **Connect a model** to ask for anything.",
	abilities:      "In a new project I can build a habit tracker, a bakery’s page, an invoice maker, a quiz or a guestbook; in any, change the title to “My page” or add the line “Open daily”.",
	cannot:         "I can’t do that: I’m the demo, a script.",
	finding:        "Something on the page is broken, and I can’t fix it: that takes a model.",
	cannotAnswer:   "I can’t answer questions: I’m the demo, a script.",
	newOnly:        "I can build that in a new project only, so I changed nothing here.",
	quoteTitle:     "Put the new title in quotes, like this: change the title to “My page”.",
	theme:          "Picking colors and type, for light and dark.",
	assemble:       "Putting it together.",
	check:          "Checking the build.",
	shows:          "%s now shows %s.",
	already:        "%s already shows %s, so I changed nothing.",
	noPlace:        "In %s I found no place for %s, so I changed nothing.",
	noPage:         "There is no page yet, so I’m writing one.",
	unreadable:     "I can’t read the page here, so I changed nothing.",
	buildFailed:    "But the build failed: look at the problems, or go back to the previous version.",
	sorry:          "Sorry, a step failed (%s), so I stopped.",
	unchanged:      "I changed nothing.",
	kept:           "My change in %s is kept.",
	guestbookAdded: "Your page has a guestbook. The preview shows sample entries; the published site starts empty.",
	hasBackend:     "This project keeps data already, so I changed nothing.",
	plan:           "Here is my plan.",
	planChange:     "Show %s on the page",
	planChangeHow:  "Change %s so that the page shows it. The rest of the file stays as it is.",
	planCheck:      "Check the build",
	planCheckHow:   "Build the project and make sure that nothing broke.",
	planTheme:      "Pick colors and words",
	planThemeHow:   "Write the theme for light and dark, and everything that the page says.",
	planPage:       "Build the page",
	planData:       "Keep what visitors write",
	planDataHow:    "People sign up, everyone reads the entries, and only their authors delete them.",
}

var german = words{
	language:       "de",
	disclaimer:     "Das war die Demo, ein Skript. **Verbinden Sie ein Modell**, um alles andere zu bauen.",
	abilities:      "In einem neuen Projekt baue ich einen Gewohnheitstracker, die Seite einer Bäckerei, Rechnungen, ein Quiz oder ein Gästebuch; in jedem kann ich den Titel in „Meine Seite“ ändern oder die Zeile „Täglich geöffnet“ hinzufügen.",
	cannot:         "Das kann ich nicht: Ich bin die Demo, ein Skript.",
	finding:        "Auf der Seite ist etwas kaputt, und ich kann es nicht reparieren: Das braucht ein Modell.",
	cannotAnswer:   "Fragen kann ich nicht beantworten: Ich bin die Demo, ein Skript.",
	newOnly:        "Das baue ich nur in ein neues Projekt, deshalb habe ich hier nichts geändert.",
	quoteTitle:     "Setzen Sie den neuen Titel in Anführungszeichen, etwa so: Ändere den Titel in „Meine Seite“.",
	theme:          "Ich wähle Farben und Schrift, hell und dunkel.",
	assemble:       "Ich setze alles zusammen.",
	check:          "Ich prüfe, ob es sich bauen lässt.",
	shows:          "%s zeigt jetzt %s.",
	already:        "%s zeigt schon %s, deshalb habe ich nichts geändert.",
	noPlace:        "In %s habe ich keinen Platz für %s gefunden und nichts geändert.",
	noPage:         "Es gibt noch keine Seite, deshalb schreibe ich eine.",
	unreadable:     "Ich kann die Seite hier nicht lesen und habe nichts geändert.",
	buildFailed:    "Aber es lässt sich nicht bauen: Sehen Sie sich die Probleme an, oder gehen Sie zur vorigen Version zurück.",
	sorry:          "Leider ist ein Schritt fehlgeschlagen (%s), deshalb höre ich auf.",
	unchanged:      "Ich habe nichts geändert.",
	kept:           "Meine Änderung in %s bleibt.",
	guestbookAdded: "Ihre Seite hat ein Gästebuch. Die Vorschau zeigt Beispiele; die veröffentlichte Seite beginnt leer.",
	hasBackend:     "Dieses Projekt speichert schon Daten, deshalb habe ich nichts geändert.",
	plan:           "Das ist mein Plan.",
	planChange:     "%s auf der Seite zeigen",
	planChangeHow:  "%s so ändern, dass die Seite es zeigt. Der Rest der Datei bleibt, wie er ist.",
	planCheck:      "Den Build prüfen",
	planCheckHow:   "Das Projekt bauen und nachsehen, ob noch alles geht.",
	planTheme:      "Farben und Texte wählen",
	planThemeHow:   "Das Farbschema für hell und dunkel schreiben, und alles, was auf der Seite steht.",
	planPage:       "Die Seite bauen",
	planData:       "Speichern, was Besucher schreiben",
	planDataHow:    "Wer will, registriert sich; alle lesen die Einträge, löschen kann sie nur, wer sie schrieb.",
}

var spanish = words{
	language:       "es",
	disclaimer:     "Esto fue la demo, un script. **Conecta un modelo** para pedir lo que quieras.",
	abilities:      "En un proyecto nuevo puedo crear un registro de hábitos, la página de una panadería, facturas, un quiz o un libro de visitas; en cualquiera, cambiar el título a «Mi página» o añadir la línea «Abierto a diario».",
	cannot:         "Eso no lo sé hacer: soy la demo, un script.",
	finding:        "Algo de la página no funciona y no puedo arreglarlo: para eso hace falta un modelo.",
	cannotAnswer:   "No sé responder preguntas: soy la demo, un script.",
	newOnly:        "Eso solo puedo crearlo en un proyecto nuevo, así que aquí no he cambiado nada.",
	quoteTitle:     "Pon el título nuevo entre comillas, así: cambia el título a «Mi página».",
	theme:          "Elijo colores y tipografía, para claro y oscuro.",
	assemble:       "Lo monto todo.",
	check:          "Compruebo que compila.",
	shows:          "%s ahora muestra %s.",
	already:        "%s ya muestra %s, así que no he cambiado nada.",
	noPlace:        "No he encontrado en %s un sitio para %s, así que no he cambiado nada.",
	noPage:         "Todavía no hay página, así que escribo una.",
	unreadable:     "Aquí no puedo leer la página, así que no he cambiado nada.",
	buildFailed:    "Pero no compila: mira los problemas o vuelve a la versión anterior.",
	sorry:          "Lo siento, ha fallado un paso (%s), así que lo dejo.",
	unchanged:      "No he cambiado nada.",
	kept:           "Mi cambio en %s se conserva.",
	guestbookAdded: "Tu página tiene un libro de visitas. La vista previa muestra ejemplos; el sitio publicado empieza vacío.",
	hasBackend:     "Este proyecto ya guarda datos, así que no he cambiado nada.",
	plan:           "Este es mi plan.",
	planChange:     "Mostrar %s en la página",
	planChangeHow:  "Cambiar %s para que la página lo muestre. El resto del archivo queda igual.",
	planCheck:      "Comprobar que compila",
	planCheckHow:   "Compilar el proyecto y asegurarse de que nada se ha roto.",
	planTheme:      "Elegir colores y textos",
	planThemeHow:   "Escribir el tema para claro y oscuro, y todo lo que dice la página.",
	planPage:       "Crear la página",
	planData:       "Guardar lo que escriben las visitas",
	planDataHow:    "La gente se registra, todo el mundo lee los mensajes y solo quien escribió uno lo elimina.",
}

// noPlaceFor says that a file has no place for a text or a file.
func (w *words) noPlaceFor(path, what string) string { return fmt.Sprintf(w.noPlace, path, what) }

// Words that tell German and Spanish from English.
var (
	germanWord  = regexp.MustCompile(`(?i)^(?:der|die|das|den|dem|ein|eine|einen|einem|einer|und|ich|mir|mein|meine|mit|für|bitte|ist|auf|zu|zum|zur|im|in|ins|soll|ändere|füge|mach|mache|baue|deutsch|deutsche|deutsches|seite|titel|zeile|gästebuch|gewohnheitstracker)$`)
	spanishWord = regexp.MustCompile(`(?i)^(?:el|la|los|las|un|una|y|con|para|por|favor|mi|mis|que|de|del|en|se|al|lo|cambia|añade|pon|haz|crea|título|titulo|página|pagina|línea|linea)$`)
)

// wordsFor returns the words in the language of a message: of German and Spanish the one of which it
// has more words, at least two or half of all, else English.
func wordsFor(message string) *words {
	all := strings.FieldsFunc(message, func(r rune) bool { return strings.ContainsRune(" \t\r\n.,;:!?¿¡()\"“”„«»", r) })
	counts := map[*words]int{}
	for _, word := range all {
		if germanWord.MatchString(word) {
			counts[&german]++
		}
		if spanishWord.MatchString(word) {
			counts[&spanish]++
		}
	}
	best := &german
	if counts[&spanish] > counts[best] {
		best = &spanish
	}
	if n := counts[best]; n >= 2 || n > 0 && 2*n >= len(all) {
		return best
	}
	return &english
}
