package tailwind_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/tailwind"
)

// tight limits soon end what never ends by itself.
var tight = tailwind.Limits{Memory: 64 << 20, Time: time.Second}

func TestHostileScriptsAreMistakes(t *testing.T) {
	made := engine(t, tight)
	for _, c := range []struct{ name, script, want string }{
		{"it loops for ever", "for (;;);", "takes longer than"},
		{"it loops in a job", "const spin = () => Promise.resolve().then(spin); spin(); module.exports = () => {}", ""},
		{"it loops when it is asked for its message", "throw { toString() { for (;;); } }", "takes longer than"},
		{"it eats memory", "const all = []; for (;;) all.push(new Array(1e5).fill(1))", "this takes"},
		{"it eats memory in one step", "'x'.repeat(2 ** 29).split('')", "this takes"},
		{"it calls itself", "(function f() { f() })()", "nests too deeply"},
		{"it nests values", "JSON.parse('['.repeat(1e6))", "nests too deeply"},
		{"it nests code", "new Function('('.repeat(1e5))", "nests too deeply"},
		{"it nests a pattern", "new RegExp('('.repeat(1e5))", ""},
		{"it throws", "throw new Error('out of paint')", "out of paint"},
		{"it throws what has no text", "throw Object.create(null)", ""},
		{"it requires a module", "require('fs')", "'require' is not defined"},
		{"it imports a module", "module.exports = import('fs').then((fs) => fs.readFileSync('/etc/passwd'))", ""},
		{"it ends the process", "process.exit(1)", "not a function"},
		{"it calls a host", "fetch('http://169.254.169.254/')", "'fetch' is not defined"},
		{"it looks for QuickJS's own modules", "std.loadFile('/etc/passwd')", "'std' is not defined"},
		{"it breaks promises", "Promise.prototype.then = () => {}", ""},
		{"it breaks JSON", "JSON.stringify = () => { throw new Error('broken') }", ""},
		{"it breaks the bridge", "globalThis.tailwindState = () => '{'", "unexpected end of JSON"},
		{"it asks for what is not there", "hostModule({}, null)", "there is no"},
		{"it asks again and again", "for (;;) hostModule('./x.js', '/src', 'plugin')", "more than 500 files"},
	} {
		t.Run(c.name, func(t *testing.T) {
			loader := loads{scripts: map[string]string{"/src/x.js": c.script}}
			session, err := made.Compile(t.Context(), tailwind.Stylesheet{Path: "/src/a.css", Base: "/src", Content: `@plugin "./x.js"; @tailwind utilities;`}, loader)
			if err == nil {
				defer session.Close()
				_, err = session.Build(t.Context(), []string{"flex"})
			}
			var mistake *tailwind.Mistake
			if c.want == "" && err == nil {
				return // it broke only its own machine
			}
			if !errors.As(err, &mistake) || !strings.Contains(mistake.Message, c.want) {
				t.Errorf("got %v, want a mistake with %q", err, c.want)
			}
		})
	}
}

func TestHostileOutputIsBounded(t *testing.T) {
	loader := loads{scripts: map[string]string{"/src/x.js": `globalThis.tailwindBuild = () => "x".repeat(2 ** 27); module.exports = () => {}`}}
	session, err := open(t, `@plugin "./x.js"; @tailwind utilities;`, loader)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.Build(t.Context(), []string{"flex"}); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("got %v, want that the style sheet grows too large", err)
	}
	if session.Rest() {
		t.Errorf("got a broken session that may wait, want none")
	}
}

func TestHostileSheetsAreMistakes(t *testing.T) {
	var theme strings.Builder
	for i := range 1_000_000 {
		theme.WriteString("--v")
		theme.WriteString(strings.Repeat("x", i%7))
		theme.WriteByte(byte('a' + i%26))
		theme.WriteString(":1;")
	}
	for _, c := range []struct{ name, css, want string }{
		{"imports in a circle", `@import "./a.css";`, "recursion"},
		{"millions of candidates", `@import "tailwindcss"; @source inline("p-{1..100000000}");`, ""},
		{"braces in braces", `@import "tailwindcss"; @source inline("` + strings.Repeat("{a,b}", 40) + `");`, ""},
		{"a million variables", "@theme {" + theme.String() + "}", ""},
		{"deep rules", strings.Repeat("a{", 50_000) + "@apply p-4;" + strings.Repeat("}", 50_000), ""},
		{"utilities that apply each other", `@tailwind utilities; @utility a { @apply b; } @utility b { @apply a; }`, "circular"},
	} {
		t.Run(c.name, func(t *testing.T) {
			loader := loads{sheets: map[string]string{"/src/a.css": `@import "./b.css";`, "/src/b.css": `@import "./a.css";`}}
			session, err := engine(t, tight).Compile(t.Context(), tailwind.Stylesheet{Path: "/src/x.css", Base: "/src", Content: c.css}, loader)
			if err == nil {
				defer session.Close()
				_, err = session.Build(t.Context(), nil)
			}
			var mistake *tailwind.Mistake
			if c.want == "" && err == nil {
				return
			}
			if !errors.As(err, &mistake) || !strings.Contains(strings.ToLower(mistake.Message), c.want) {
				t.Errorf("got %.300v, want a mistake with %q", err, c.want)
			}
		})
	}
}

func TestASessionThatHoldsTooMuchMayNotWait(t *testing.T) {
	loader := loads{scripts: map[string]string{"/src/x.js": `globalThis.kept = new Array(5e6).fill(1.5); module.exports = () => {}`}}
	session, err := open(t, `@plugin "./x.js"; @tailwind utilities;`, loader)
	if err != nil {
		t.Fatal(err)
	}
	wantIn(t, built(t, session, "flex"), ".flex")
	if session.Rest() {
		t.Errorf("got a session of 80 MB that may wait, want none")
	}
}
