package writegate

import (
	"strings"
	"testing"
)

func TestLinesThatStandForLeftOutCodeAreFound(t *testing.T) {
	for _, line := range []string{
		"// rest of code unchanged", "// ... existing code ...", "/* … */", "{/* rest of component */}", "<!-- remaining content -->",
		"# ... unchanged", "[rest of file]", "// ...", "  // …", "...", "…", "/* ... */", "<!-- ... -->", "{/* ... */}",
		"// ... rest of the component stays the same", "// The rest of your code remains unchanged", "// (rest of the file is unchanged)",
		"// existing imports...", "// ... other imports", "// ... previous code", "/* existing styles unchanged */", "// Keep the rest of the code as is",
		"// --- rest of the code ---", "// handleSubmit remains the same", "// same as before", "// unchanged", "// code omitted for brevity",
		"const a = { /* ... */ }", "useEffect(() => { /* ... existing code ... */ }, [])", "function a() { // ... existing code", "(rest of the code)",
		"<rest of the file>", "... rest of the code ...", "… rest of file", "// ...rest of the code", "// ... rest of TodoList component",
		"-- ... rest of the file", "// [... existing implementation ...]", "/* ... more styles ... */", "// No changes needed below", "[...]", "// etc...",
		"// Rest of the component remains unchanged.", "//...", "// .. existing code ..", "/* rest of the code", "{...}", "{ ... }",
	} {
		if at, found := findElision("a.tsx", "", "const a = 1\n\t"+line+"\nconst b = 2\n"); !found || at.Line != 2 || at.Column < 2 {
			t.Errorf("%s: got %+v, %v, want it found on line 2", line, at, found)
		}
	}
}

func TestOrdinaryLinesAreNoElisions(t *testing.T) {
	for _, line := range []string{
		"...rest,", "...rest", "  ...(a ? b : c),", "{...rest}", "<Card {...props} />", "const { a, ...rest } = props", "f(...args)", "...[1, 2],",
		"// ...rest", "// ...props go to the element", "// The rest of the list is loaded when it is needed", "// Existing users keep their role",
		"// Loading…", "// Wait for more...", "// the same order as the server's", "// Other", "// Rest", "// remaining items", "// Previous value",
		"<p>…</p>", "<span>Loading...</span>", "placeholder=\"...\"", "'...',", "return '// ...'.length", "const a = 'http://x.y/...'", "// https://example.com/...",
		"// render the rest of the page after hydration", "[data-rest]", "(existing)", "// see the original implementation in utils.ts for why this is slow",
		"// what is omitted here counts as zero", "/* Content */", "/* Header styles */", "# Rest of the", "#rest { color: red }", "// 1. one, 2. two, ...", "/** Options. */",
		"// TODO: handle the remaining cases of the protocol that nobody uses", "a ?? b // keep", "*", "//", "/* */", "----", "// -----", "<rest>", "[rest]",
	} {
		if at, found := findElision("a.tsx", "", "const a = 1\n"+line+"\n"); found {
			t.Errorf("%s: got %+v, want no elision", line, at)
		}
	}
}

func TestElisionsCountOnlyWhenTheyAreNewAndInCode(t *testing.T) {
	for name, c := range map[string]struct {
		name, before, after string
		line                int
	}{
		"one that was there":           {"a.ts", "// ...\na\n", "b\n  // ...\n", 0},
		"another one":                  {"a.ts", "// ...\na\n", "b\n// ... existing code\n", 2},
		"prose":                        {"README.md", "", "...\nrest of the file\n", 0},
		"plain text":                   {"a.TXT", "", "...\n", 0},
		"JSON, as a member":            {"a.json", "", "{\n  \"a\": 1,\n  \"...\": \"rest of the config\"\n}\n", 3},
		"JSON, as an element":          {"a.json", "", "[\n  \"...\"\n]\n", 2},
		"JSON, as a note":              {"a.json", "", "{\n  \"// ... existing config\": \"\"\n}\n", 2},
		"a string in a script":         {"a.ts", "", "[\n  \"...\"\n]\n", 0},
		"inside a comment of lines":    {"a.ts", "", "/*\n  rest of the code unchanged\n*/\n", 2},
		"inside a JSDoc comment":       {"a.ts", "", "/**\n * ... existing code ...\n */\n", 2},
		"inside a comment of a page":   {"a.html", "", "<!--\n  remaining content here\n-->\n", 2},
		"after a comment":              {"a.ts", "", "/* a */\nrest of the code unchanged\n", 0},
		"a glob opens no comment":      {"a.ts", "", "glob('src/*.ts')\nrest of the file\n", 0},
		"after a byte order mark":      {"a.ts", "", "\ufeff// ...\n", 1},
		"without a final line break":   {"a.ts", "", "a\n// ...", 2},
		"with a Windows line ending":   {"a.ts", "", "a\r\n// ...\r\n", 2},
		"text on a page is not a note": {"a.html", "", "<p>\n  The rest of the page is unchanged\n</p>\n", 0},
	} {
		if at, found := findElision(c.name, c.before, c.after); found != (c.line > 0) || at.Line != c.line {
			t.Errorf("%s: got %+v, %v, want line %d", name, at, found, c.line)
		}
	}
}

func FuzzElisionsAreLinesOfTheContent(f *testing.F) {
	for _, seed := range []string{"// ...", "/*\n...", "<!--", "\ufeff...", "\"...\"", "# …", "[...]", "\xff// ..."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"a.ts", "a.json"} {
			at, found := findElision(name, "", text)
			if lines := strings.Split(text, "\n"); found && (at.Line < 1 || at.Line > len(lines) || !strings.Contains(lines[at.Line-1], at.Message)) {
				t.Errorf("got %+v, want a line of %q", at, text)
			}
			if _, again := findElision(name, text, text); again {
				t.Errorf("got an elision in %q that was there before", text)
			}
		}
	})
}
