package rules

import (
	"go/ast"
	"os"
	"regexp"
	"strings"
	"testing"
)

// asvs are the requirements of the levels 1 and 2 in the chapters V6 and V7 of OWASP's Application
// Security Verification Standard 5.0.0, without V6.7, which is of level 3.
const asvs = `6.1.1 6.1.2 6.1.3 6.2.1 6.2.2 6.2.3 6.2.4 6.2.5 6.2.6 6.2.7 6.2.8 6.2.9 6.2.10 6.2.11
6.3.1 6.3.2 6.3.3 6.3.4 6.4.1 6.4.2 6.4.3 6.4.4 6.5.1 6.5.2 6.5.3 6.5.4 6.5.5 6.6.1 6.6.2 6.6.3 6.8.1 6.8.2 6.8.3 6.8.4
7.1.1 7.1.2 7.1.3 7.2.1 7.2.2 7.2.3 7.2.4 7.3.1 7.3.2 7.4.1 7.4.2 7.4.3 7.4.4 7.4.5 7.5.1 7.5.2 7.6.1 7.6.2`

// TestEachRequirementNamesATest holds the table in SECURITY.md to a row for every requirement, with
// a verdict and a test that exists.
func TestEachRequirementNamesATest(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../.github/SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := declaredTests(t)
	var rows []string
	for _, row := range regexp.MustCompile("(?m)^\\| (\\d+\\.\\d+\\.\\d+) \\| (.*) \\| .+ \\| `(\\w+)` \\|$").FindAllStringSubmatch(string(text), -1) {
		rows = append(rows, row[1])
		if verdict := row[2]; verdict != "yes" && !strings.HasPrefix(verdict, "partly") && !strings.HasPrefix(verdict, "no") {
			t.Errorf("%s: got the verdict %q, want yes, partly or no", row[1], verdict)
		}
		if !tests[row[3]] {
			t.Errorf("%s: there is no test %s", row[1], row[3])
		}
	}
	if got, want := strings.Join(rows, " "), strings.Join(strings.Fields(asvs), " "); got != want {
		t.Errorf("got the rows\n%s\nwant\n%s", got, want)
	}
}

// declaredTests has the names of all tests.
func declaredTests(t *testing.T) map[string]bool {
	t.Helper()
	found, err := parseSources(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, file := range found.files {
		for _, declaration := range file.syntax.Decls {
			if function, is := declaration.(*ast.FuncDecl); is && file.isTest() {
				names[function.Name.Name] = true
			}
		}
	}
	return names
}
