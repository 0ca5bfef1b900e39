package writegate

import (
	"fmt"
	"strings"
	"testing"
)

// numberedLines are n meaningful lines, numbered from from.
func numberedLines(from, n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, "  export const value%d = %d\n", from+i, from+i)
	}
	return out.String()
}

func TestLossesAreFound(t *testing.T) {
	for name, c := range map[string]struct{ name, before, after, want string }{
		"most of a long file":              {"a.ts", numberedLines(0, 31), numberedLines(100, 9), "less than half"},
		"most of a large file":             {"a.ts", strings.Repeat("x", 1025), "y", "less than half"},
		"all of a file":                    {"a.ts", "a\n", " \n", "empty"},
		"the end of a short file":          {"a.ts", "const a = 1\nconst b = 2\n", "const a = 1\n", "stops before the end"},
		"the end of a line":                {"a.ts", "export default App\n", "export default A\n", "stops before the end"},
		"the end, over Windows endings":    {"a.ts", "one\r\ntwo\r\n", "one\n", "stops before the end"},
		"the end with a change before":     {"a.ts", numberedLines(0, 20), "// new\n" + numberedLines(0, 16), "end of the file would be lost"},
		"the end with a change at the end": {"a.ts", numberedLines(0, 40), numberedLines(0, 25) + "// new\n", "end of the file would be lost"},
		"the end of a new page":            {"index.html", "", "<html><body><p>a</p>", "<html> is never closed"},
		"the end of a page":                {"index.html", "<body>a</body>", "<BODY>b", "<body> is never closed"},
		"the end of a picture":             {"a.svg", "", "<svg><path/>", "<svg> is never closed"},
	} {
		if got := findLoss(c.name, c.before, c.after); !strings.Contains(got, c.want) || got == "" {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestOrdinaryRewritesLoseNothing(t *testing.T) {
	for name, c := range map[string]struct{ name, before, after string }{
		"a new file":                    {"a.ts", "", "a"},
		"the same":                      {"a.ts", numberedLines(0, 40), numberedLines(0, 40)},
		"another end of line":           {"a.ts", "a\r\nb;\r\n", "a\nb"},
		"a short file made shorter":     {"a.ts", numberedLines(0, 10), numberedLines(20, 2)},
		"forty percent":                 {"a.ts", strings.Repeat("x", 2000), strings.Repeat("y", 800)},
		"another end":                   {"a.ts", numberedLines(0, 40), numberedLines(0, 25) + numberedLines(100, 6)},
		"a middle taken out":            {"a.ts", numberedLines(0, 40), numberedLines(0, 20) + numberedLines(30, 10)},
		"lines moved":                   {"a.ts", numberedLines(0, 40), numberedLines(30, 10) + numberedLines(0, 30)},
		"two lines less and a change":   {"a.ts", numberedLines(0, 20), "// new\n" + numberedLines(0, 18)},
		"a page without end tags":       {"a.html", "<html><p>a", "<html><p>a<p>b"},
		"a page that is a part":         {"a.html", "", "<p>a</p>"},
		"a rule taken out of a style":   {"a.css", "a {\n  color: red;\n  margin: 0;\n}\n.b {\n  color: red;\n  margin: 0;\n}\n", ".b {\n  color: red;\n  margin: 0;\n}\n"},
		"html in a script is no page":   {"a.ts", "", "const a = '<html>'"},
		"a file of nothing but letters": {"a.txt", "abc", "abcd"},
		"a file written anew":           {"a.ts", numberedLines(0, 25), numberedLines(50, 14)},
	} {
		if got := findLoss(c.name, c.before, c.after); got != "" {
			t.Errorf("%s: got %q, want nothing", name, got)
		}
	}
}
