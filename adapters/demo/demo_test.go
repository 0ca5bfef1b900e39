package demo_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/demo"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

func TestProvider(t *testing.T) { aitest.RunUnscripted(t, demo.New()) }

var allTools = []string{"list_files", "read_file", "search_files", "edit_file", "write_file", "delete_file", "check_build"}

// desk is a project whose tools answer like the agent's.
type desk struct {
	t     testing.TB
	files map[string]string
	// fails names a tool that fails.
	fails string
	// broken is the answer of check_build.
	broken string
	used   []string
	// hints are what the agent asks for after an answer, one after the other.
	hints []string
}

// run plays the agent's loop and returns the last answer.
func (d *desk) run(system, message string, tools ...string) string {
	req := ai.Request{System: system, Messages: []ai.Message{
		{Role: ai.RoleUser, Text: "Change the title to Earlier"},
		{Role: ai.RoleAssistant, Text: "Done."},
		{Role: ai.RoleUser, Text: message},
	}}
	for _, tool := range tools {
		req.Tools = append(req.Tools, ai.Tool{Name: tool})
	}
	for range 20 {
		answer := ai.Message{Role: ai.RoleAssistant}
		_, err := demo.New().Generate(d.t.Context(), req, func(chunk ai.Chunk) error {
			answer.Text += chunk.Text
			if chunk.Call != nil {
				answer.Calls = append(answer.Calls, *chunk.Call)
			}
			return nil
		})
		if err != nil {
			d.t.Fatal(err)
		}
		req.Messages = append(req.Messages, answer)
		if len(answer.Calls) == 0 {
			if len(d.hints) == 0 {
				return answer.Text
			}
			req.Messages = append(req.Messages, ai.Message{Role: ai.RoleUser, Hint: true, Text: d.hints[0]})
			d.hints = d.hints[1:]
		}
		for _, call := range answer.Calls {
			if !slices.Contains(tools, call.Tool) {
				d.t.Fatalf("called %q, which was not offered", call.Tool)
			}
			text, err := d.call(call)
			result := ai.Message{Role: ai.RoleTool, CallID: call.ID, Tool: call.Tool, Text: text}
			if err != nil {
				result.Text, result.Failed = err.Error(), true
			}
			req.Messages = append(req.Messages, result)
		}
	}
	d.t.Fatal("the script does not come to an end")
	return ""
}

func (d *desk) call(call ai.Call) (string, error) {
	d.used = append(d.used, call.Tool)
	var args struct{ Path, Content, OldText, NewText, Hash string }
	if err := json.Unmarshal(call.Args, &args); err != nil {
		d.t.Fatalf("arguments %s: %v", call.Args, err)
	}
	if call.Tool == d.fails {
		return "", fmt.Errorf("not_found: no such thing")
	}
	switch call.Tool {
	case "list_files":
		if len(d.files) == 0 {
			return "There are no files here.", nil
		}
		list := ""
		for _, path := range slices.Sorted(maps.Keys(d.files)) {
			list += fmt.Sprintf("%s (%d)\n", path, len(d.files[path]))
		}
		return list, nil
	case "read_file":
		return args.Path + " hash h1\n" + d.files[args.Path], nil
	case "edit_file":
		if args.Hash != "h1" {
			return "", fmt.Errorf("hash %q is not the file's", args.Hash)
		}
		if n := strings.Count(d.files[args.Path], args.OldText); n != 1 {
			return "", fmt.Errorf("oldText %q is in the file %d times", args.OldText, n)
		}
		d.files[args.Path] = strings.Replace(d.files[args.Path], args.OldText, args.NewText, 1)
		return args.Path + " modified.\n", nil
	case "write_file":
		d.files[args.Path] = args.Content
		return args.Path + " created.\n", nil
	case "check_build":
		return d.broken, nil
	}
	d.t.Fatalf("called %q, which the script has no use for", call.Tool)
	return "", nil
}

const app = `import { useState } from "react"

export default function App() {
  const [done, setDone] = useState<string[]>([])
  return (
    <main className="page">
      <h1 className={done.length > 3 ? "a" : "b"} title="x > y">
        Things to <em>do</em>
      </h1>
      <ul>{done.map((item) => <li key={item}>{item}</li>)}</ul>
    </main>
  )
}
`

func TestTheMainJob(t *testing.T) {
	for _, row := range []struct {
		name, message, path, source string
		// want is in the file afterwards.
		want string
	}{
		{"a quoted text becomes the heading", `Change the heading to "Hello, world!"`, "src/App.tsx", app, `title="x > y">Hello, world!</h1>`},
		{"typographic quotes", "The title should say „Grüße“", "src/App.tsx", app, `>Grüße</h1>`},
		{"a text without quotes", "please change the title to My Shop.", "src/App.tsx", app, ">My Shop</h1>"},
		{"a text that JSX would take for code", `title: "{a} < b & c"`, "src/App.tsx", app, `>{"{a} \u003c b \u0026 c"}</h1>`},
		{"one named text replaces the other", `Replace 'Things to' by 'Work to'`, "src/App.tsx", app, "Work to <em>do</em>"},
		{"a comment", "Please do what this comment on the page / asks for, about <h1> “Hello”:\n\nAdd the line Call us\n\nReplies:\n- Kay: Yes", "src/App.tsx", app, "</h1>\n      <p>Call us</p>\n      <ul>"},
		{"a line", "Add the line Call us", "src/App.tsx", app, "</h1>\n      <p>Call us</p>\n      <ul>"},
		{"a line that is quoted", `Please add the line "Open daily"`, "src/App.tsx", app, "<p>Open daily</p>"},
		{"a line with its place", `Add "Open daily" below the heading.`, "src/App.tsx", app, "<p>Open daily</p>"},
		{"German", "Ändere den Titel in „Meine Aufgaben“.", "src/App.tsx", app, ">Meine Aufgaben</h1>"},
		{"a German line", "Füge die Zeile „Täglich geöffnet“ hinzu", "src/App.tsx", app, "<p>Täglich geöffnet</p>"},
		{"Spanish", "Cambia el título de la página a «Mis tareas»", "src/App.tsx", app, ">Mis tareas</h1>"},
		{"a Spanish line", "Añade la línea «Abierto a diario»", "src/App.tsx", app, "<p>Abierto a diario</p>"},
		{"a heading without an element around it", `Add "tea"`, "App.tsx", "export default () => <h1>Hi</h1>\n", "() => <><h1>Hi</h1><p>tea</p></>"},
		{"a page without a heading", `Add "tea"`, "src/Page.jsx", "export const Page = () => (\n  <div>\n    <b>x</b>\n  </div>\n)\n", "<p>tea</p></div>"},
		{"an element that only looks like a heading", "Title: 'Tea'", "index.html", "<hr><header>x</header><h2>Old</h2>", "<h2>Tea</h2>"},
		{"HTML", `Title: "a < b"`, "index.html", "<body>\n<h1>Old</h1>\n</body>", "<h1>a &lt; b</h1>"},
		{"HTML without a heading", `Add "tea"`, "index.html", "<body><div>x</div></body>", "<div>x</div><p>tea</p></body>"},
		{"two equal headings", `Title "Tea"`, "index.html", "<h1>A</h1>\n<p>1</p>\n<h1>A</h1>\n<p>2</p>\n", "<h1>Tea</h1>\n<p>1</p>\n<h1>A</h1>"},
		{"Windows line endings", `Title "Tea"`, "index.html", "<body>\r\n<h1>\r\nOld</h1>\r\n</body>\r\n", "<body>\r\n<h1>Tea</h1>\r\n</body>"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := &desk{t: t, files: map[string]string{row.path: row.source, "README.md": "x", "zz.html": "<h1>no</h1>"}, broken: "Build succeeded."}
			answer := d.run("", row.message, allTools...)
			if got := d.files[row.path]; !strings.Contains(got, row.want) {
				t.Errorf("file: got %s, want it to hold %q", got, row.want)
			}
			if want := []string{"list_files", "read_file", "edit_file", "check_build"}; !slices.Equal(d.used, want) {
				t.Errorf("tools: got %q, want %q", d.used, want)
			}
			confesses(t, answer)
			if !strings.Contains(answer, row.path) || d.hears(answer) {
				t.Errorf("answer: got %q, want it to name the file", answer)
			}
		})
	}
}

// hears reports whether an answer says that nothing was done.
func (d *desk) hears(answer string) bool { return strings.Contains(answer, "changed nothing") }

// confesses wants an answer to say that it is a script's, in the language of the wish.
func confesses(t *testing.T, answer string) {
	t.Helper()
	for _, words := range []string{"This was the demo, a script. **Connect a model**", "Das war die Demo, ein Skript. **Verbinden Sie ein Modell**", "Esto fue la demo, un script. **Conecta un modelo**"} {
		if strings.Contains(answer, words) {
			return
		}
	}
	t.Errorf("answer: got %q, want it to say that it is a script", answer)
}

// TestAWishThatItDoesNotUnderstandChangesNothing: it is never written onto the page.
func TestAWishThatItDoesNotUnderstandChangesNothing(t *testing.T) {
	for wish, want := range map[string]string{
		"Make it dark and add a weekly chart":                               "I’m the demo",
		"Make it blue":                                                      "I’m the demo",
		"Add a phone number":                                                "I’m the demo",
		"Add a button “Buy” that opens a form":                              "I’m the demo",
		"Make the title bigger and move it to the left":                     "I’m the demo",
		"Change the title to something more playful":                        "in quotes",
		"Change the title to My Shop and make it blue":                      "in quotes",
		"Make the title of the “About” section bigger":                      "I’m the demo",
		"Make a page like “Airbnb”":                                         "I’m the demo",
		"Write a test for the calendar":                                     "I’m the demo",
		"The button “Add two” only adds one. Please fix it.":                "I’m the demo",
		"Can you make the quiz harder?":                                     "new project only",
		"Change the title":                                                  "in quotes",
		"Mach es dunkel und füge ein Diagramm für die Woche hinzu":          "Ich bin die Demo",
		"Füge eine Suche hinzu":                                             "Ich bin die Demo",
		"Ändere die Farbe der Überschrift auf Blau":                         "Ich bin die Demo",
		"Bitte speichere die Aufgaben, damit sie nach dem Neuladen da sind": "Ich bin die Demo",
		"Hazlo oscuro y añade un gráfico semanal":                           "soy la demo",
		"Añade un buscador con filtros":                                     "soy la demo",
		"Cambia el color del título a azul, por favor":                      "soy la demo",
		"Pon las tareas hechas al final de la lista":                        "soy la demo",
	} {
		d := &desk{t: t, files: map[string]string{"src/App.tsx": app}, broken: "Build succeeded."}
		answer := d.run("", wish, allTools...)
		confesses(t, answer)
		if d.files["src/App.tsx"] != app || len(d.files) != 1 || slices.Contains(d.used, "check_build") {
			t.Errorf("%s: got %v after %q, want nothing changed", wish, d.files, d.used)
		}
		if !strings.Contains(answer, want) {
			t.Errorf("%s: got %q, want %q in it", wish, answer, want)
		}
	}
}

// TestWhatTheAgentFindsIsLeftToAModel: a finding is no wish, whatever it quotes.
func TestWhatTheAgentFindsIsLeftToAModel(t *testing.T) {
	d := &desk{t: t, files: map[string]string{"src/App.tsx": app}, broken: "Build succeeded."}
	d.hints = []string{`Its page / does not work: Cannot read properties of null (reading 'b'). Change the title to "b".`, "The same again."}
	answer := d.run("", "Ändere den Titel in „Hauptstädte der Welt“", allTools...)
	if !strings.Contains(d.files["src/App.tsx"], ">Hauptstädte der Welt</h1>") || !strings.Contains(answer, "Das braucht ein Modell") {
		t.Errorf("got %q and %s, want the title of the wish, and the finding left alone", answer, d.files["src/App.tsx"])
	}
	if len(d.used) != 4 {
		t.Errorf("got the tools %q, want those of the wish", d.used)
	}
}

func TestAnEmptyProjectGetsAPage(t *testing.T) {
	for name, files := range map[string]map[string]string{"no files": {}, "no page": {"main.go": "package main", "a.css": ""}} {
		d := &desk{t: t, files: files, broken: "Build succeeded."}
		confesses(t, d.run("", `Title "Tea & <b>"`, allTools...))
		if got := d.files["index.html"]; !strings.Contains(got, "<h1>Tea &amp; &lt;b&gt;</h1>") {
			t.Errorf("%s: got page %q, want one with the text", name, got)
		}
	}
}

func TestFewTools(t *testing.T) {
	for _, row := range []struct {
		name  string
		tools []string
		used  []string
	}{
		{"none", nil, nil},
		{"only reading", []string{"list_files", "read_file", "search_files"}, nil},
		{"no editing", []string{"list_files", "read_file", "write_file"}, []string{"list_files", "read_file", "write_file"}},
		{"no reading", []string{"list_files", "edit_file", "write_file"}, []string{"list_files"}},
		{"no list", []string{"read_file", "edit_file", "write_file"}, []string{"write_file"}},
		{"only editing", []string{"edit_file"}, nil},
		{"only a tool that it does not know", []string{"run_command"}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := &desk{t: t, files: map[string]string{"src/App.tsx": app, "index.html": "<h1>kept</h1>"}}
			confesses(t, d.run("", `Title "Tea"`, row.tools...))
			if !slices.Equal(d.used, row.used) {
				t.Errorf("tools: got %q, want %q", d.used, row.used)
			}
			if got := d.files["index.html"]; got != "<h1>kept</h1>" {
				t.Errorf("index.html: got %q, want it untouched", got)
			}
			if len(d.files) == 2 && slices.Contains(row.used, "write_file") && !strings.Contains(d.files["src/App.tsx"], ">Tea</h1>") {
				t.Errorf("App.tsx: got %q, want the text in it", d.files["src/App.tsx"])
			}
		})
	}
}

func TestAPlanIsJSON(t *testing.T) {
	d := &desk{t: t, files: map[string]string{"src/App.tsx": app}}
	answer := d.run(`Answer with {"steps":[…]}.`, `Title "Tea"`, "list_files", "read_file", "search_files")
	confesses(t, answer)
	_, rest, _ := strings.Cut(answer, "```json\n")
	block, _, fenced := strings.Cut(rest, "```")
	var plan struct {
		Steps []struct {
			Title, Description, Risk string
			Files                    []string
		}
	}
	if err := json.Unmarshal([]byte(block), &plan); err != nil || !fenced {
		t.Fatalf("plan: got %q (%v), want JSON in a fenced block", answer, err)
	}
	if len(plan.Steps) != 2 || plan.Steps[0].Files[0] != "src/App.tsx" || plan.Steps[0].Risk != "low" || !strings.Contains(plan.Steps[0].Title, "“Tea”") {
		t.Errorf("plan: got %+v, want two steps about src/App.tsx", plan)
	}
}

func TestAPlanIsCarriedOutForWhatItWasMadeFor(t *testing.T) {
	d := &desk{t: t, files: map[string]string{"src/App.tsx": app}, broken: "Build succeeded."}
	d.run("", `Carry this out: {"steps":[{"title":"Show \"Other\""}]}`, allTools...)
	if !strings.Contains(d.files["src/App.tsx"], ">Earlier</h1>") {
		t.Errorf("App.tsx: got %s, want the heading of the message before the plan", d.files["src/App.tsx"])
	}
}

func TestAFailureEndsTheRun(t *testing.T) {
	for i, tool := range []string{"list_files", "read_file", "edit_file", "check_build"} {
		d := &desk{t: t, files: map[string]string{"src/App.tsx": app}, fails: tool}
		answer := d.run("", `Title "Tea"`, allTools...)
		confesses(t, answer)
		if !strings.HasPrefix(answer, "Sorry, a step failed (not_found: no such thing)") {
			t.Errorf("%s: got %q, want an apology", tool, answer)
		}
		if len(d.used) != i+1 {
			t.Errorf("%s: got tools %q, want it to stop there", tool, d.used)
		}
		if changed := strings.Contains(answer, "My change in src/App.tsx is kept."); changed != (tool == "check_build") {
			t.Errorf("%s: got %q, want it to say what is kept", tool, answer)
		}
	}
}

func TestABrokenBuildIsTold(t *testing.T) {
	d := &desk{t: t, files: map[string]string{"src/App.tsx": app}, broken: "Build failed:\nsrc/App.tsx:1:1: no"}
	if answer := d.run("", `Title "Tea"`, allTools...); !strings.Contains(answer, "the build failed") {
		t.Errorf("got %q, want it to say so", answer)
	}
}

func TestNothingToChange(t *testing.T) {
	for source, want := range map[string]string{
		"<h1>Tea</h1>":               "already shows",
		"body { color: red }":        "found no place",
		"":                           "found no place",
		"<h1>A</h1><h1>A</h1>broken": "now shows",
	} {
		d := &desk{t: t, files: map[string]string{"index.html": source}, broken: "Build succeeded."}
		if answer := d.run("", `Title "Tea"`, allTools...); !strings.Contains(answer, want) {
			t.Errorf("source %q: got %q, want %q", source, answer, want)
		}
	}
}

func TestTheAnswerComesInPiecesAndIsTheSameEachTime(t *testing.T) {
	var answers [2][]string
	for i := range answers {
		_, err := demo.New().Generate(t.Context(), ai.Request{}, func(chunk ai.Chunk) error {
			answers[i] = append(answers[i], chunk.Text)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(answers[0]) < 10 || !slices.Equal(answers[0], answers[1]) {
		t.Errorf("got %q and %q, want the same ten or more pieces", answers[0], answers[1])
	}
}

func FuzzScript(f *testing.F) {
	f.Add(`Title "Tea"`, "src/App.tsx", app, uint8(255))
	f.Add("Add 'x'", "index.html", "<h1", uint8(3))
	f.Add("", "a.jsx", "<h1>{</h1></", uint8(31))
	f.Add("“", "a b (c).html", "<h1>a</h1>a</h1>", uint8(127))
	f.Fuzz(func(t *testing.T, message, path, source string, mask uint8) {
		var tools []string
		for i, tool := range allTools {
			if mask&(1<<i) != 0 {
				tools = append(tools, tool)
			}
		}
		d := &desk{t: t, files: map[string]string{path: source}, broken: "Build succeeded."}
		answer := d.run("", message, tools...)
		confesses(t, answer)
		for i, tool := range d.used {
			if slices.Contains(d.used[:i], tool) {
				t.Errorf("tools: got %q, want none twice", d.used)
			}
		}
	})
}
