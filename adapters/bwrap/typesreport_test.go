package bwrap

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/typecheck"
)

func tsconfig() core.ProjectPath { return core.MustPath("tsconfig.json") }

func TestReadTypes(t *testing.T) {
	at := func(path string, line, column int, message string) []core.Diagnostic {
		return []core.Diagnostic{{Path: path, Line: line, Column: column, Message: message}}
	}
	for name, c := range map[string]struct {
		said string
		want []core.Diagnostic
		told bool
	}{
		"nothing":                                 {"", nil, false},
		"a mistake":                               {"src/a.ts(1,7): error TS2322: No.\n", at("src/a.ts", 1, 7, "No."), true},
		"one without a line end":                  {"src/a.ts(1,7): error TS2322: No.", at("src/a.ts", 1, 7, "No."), true},
		"parentheses in the path":                 {"src/(shop)/[id] (1,2).tsx(3,4): error TS1: No.", at("src/(shop)/[id] (1,2).tsx", 3, 4, "No."), true},
		"a message that reads like a line":        {"a.ts(1,7): error TS1: b.ts(2,3): error TS2: No.", at("a.ts", 1, 7, "b.ts(2,3): error TS2: No."), true},
		"more lines of one":                       {"a.ts(1,7): error TS1: No.\n  Type 'x' is not y.\n    Neither.\r\n", at("a.ts", 1, 7, "No.\nType 'x' is not y.\nNeither."), true},
		"a place in none":                         {"error TS18003: No inputs were found in config file '/app/tsconfig.json'.", at("tsconfig.json", 0, 0, "No inputs were found in config file 'tsconfig.json'."), true},
		"outside":                                 {"../etc/passwd(1,1): error TS1005: '{' expected.\n  root:x:0\n/etc/shadow(1,1): error TS1: x", nil, true},
		"in packages":                             {"node_modules/x/a.ts(1,1): error TS1: x\n../packages/v/x@1/node_modules/x/a.d.ts(1,1): error TS1: x", nil, true},
		"in the repository":                       {".git/x.ts(1,1): error TS1: x", nil, true},
		"what it would write":                     {"error TS5033: Could not write file '/app/tsconfig.tsbuildinfo'.", nil, true},
		"an option of older versions":             {"tsconfig.json(3,5): error TS5102: Option 'baseUrl' has been removed.\n  Use '\"paths\"'.", at("tsconfig.json", 3, 5, "Option 'baseUrl' has been removed.\nUse '\"paths\"'."), true},
		"where packages stand":                    {"a.ts(1,1): error TS1: Type 'import(\"/packages/v/react@19.0.0-abc/node_modules/react/index\").X'.", at("a.ts", 1, 1, "Type 'import(\"react/index\").X'."), true},
		"where packages stand, seen from a file":  {"a.ts(1,1): error TS1: Type '../../packages/v/x@1/node_modules/@a/b'.", at("a.ts", 1, 1, "Type '@a/b'."), true},
		"a directory of the project of that name": {"a.ts(1,1): error TS1: No './app/x' in src/app/y, /app/src/z.", at("a.ts", 1, 1, "No './app/x' in src/app/y, src/z."), true},
		"a list of files":                         {"/app/src/a.ts\n../packages/lib.d.ts\n", nil, false},
		"a fall":                                  {"panic: runtime error\n\ngoroutine 1 [running]:\n", nil, false},
		"a number too long":                       {"a.ts(99999999999999999999,1): error TS1: x", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, told := readTypes(c.said, tsconfig())
			if told != c.told || len(got.Diagnostics) != len(c.want) || got.Truncated {
				t.Fatalf("got %+v, %v, want %+v, %v", got, told, c.want, c.told)
			}
			for i, want := range c.want {
				if got.Diagnostics[i] != want {
					t.Errorf("got %+v, want %+v", got.Diagnostics[i], want)
				}
			}
		})
	}
}

func TestReadRuns(t *testing.T) {
	const mark = "\n\n" + functionsMark + "\n"
	many := strings.Repeat("src/a.ts(1,7): error TS1: No.\n", typecheck.MaxDiagnostics)
	for name, c := range map[string]struct {
		said, want  string
		isTruncated bool
	}{
		"one run":                       {"src/a.ts(1,7): error TS1: No.", "src/a.ts:1 No.", false},
		"a function":                    {mark + "functions/a.ts(2,3): error TS1: No.\n  Why.", "functions/a.ts:2 No.\nWhy.", false},
		"a file of both":                {"src/a.ts(1,7): error TS1: No." + mark + "src/a.ts(1,7): error TS1: No.\nfunctions/a.ts(1,7): error TS1: No.", "src/a.ts:1 No.;functions/a.ts:1 No.", false},
		"an option of both":             {"tsconfig.json(1,7): error TS1: No.\n  Use './a'." + mark + "../tmp/functions.json(1,9): error TS1: No.\n  Use '../app/a'.", "tsconfig.json:1 No.\nUse './a'.", false},
		"an option of the functions":    {mark + "../tmp/functions.json(1,9): error TS5069: No.", "tsconfig.json:0 The functions are not checked: No.", false},
		"a library of the functions":    {mark + "error TS2318: No.\nerror TS2318: Nor.", "tsconfig.json:0 The functions are not checked: No.;tsconfig.json:0 The functions are not checked: Nor.", false},
		"a file of the project's":       {mark + "tmp/functions.json(1,9): error TS1: No.", "tmp/functions.json:1 No.", false},
		"a mark in a message of a line": {"src/a.ts(1,7): error TS1: " + functionsMark, "src/a.ts:1 " + functionsMark, false},
		"as many as there may be":       {many + mark + "src/a.ts(1,7): error TS1: No.", strings.TrimSuffix(strings.Repeat("src/a.ts:1 No.;", typecheck.MaxDiagnostics), ";"), false},
		"one more than that":            {many + mark + "functions/a.ts(1,7): error TS1: No.", strings.TrimSuffix(strings.Repeat("src/a.ts:1 No.;", typecheck.MaxDiagnostics), ";"), true},
	} {
		t.Run(name, func(t *testing.T) {
			got, told := readRuns(c.said, tsconfig())
			var lines []string
			for _, one := range got.Diagnostics {
				lines = append(lines, fmt.Sprintf("%s:%d %s", one.Path, one.Line, one.Message))
			}
			if all := strings.Join(lines, ";"); all != c.want || got.Truncated != c.isTruncated || !told {
				t.Errorf("got %q, truncated %v, told %v, want %q", all, got.Truncated, told, c.want)
			}
		})
	}
}

func TestALongMessageIsCutBetweenCharacters(t *testing.T) {
	got, _ := readTypes("a.ts(1,1): error TS1: x"+strings.Repeat("é", typecheck.MaxMessageBytes)+"\n  more", tsconfig())
	if message := got.Diagnostics[0].Message; len(message) > typecheck.MaxMessageBytes || !utf8.ValidString(message) || !strings.HasSuffix(message, "é…") {
		t.Errorf("got %d bytes ending in %q, want %d at most and whole characters", len(message), message[len(message)-6:], typecheck.MaxMessageBytes)
	}
}

func TestOutputIsCutAtALine(t *testing.T) {
	ended := 0
	said := typesOutput{end: func(error) { ended++ }}
	line := strings.Repeat("x", 999) + "\n"
	for range 2 * typecheck.MaxOutputBytes / len(line) {
		if n, err := said.Write([]byte(line)); n != len(line) || err != nil {
			t.Fatalf("got %d, %v, want all taken", n, err)
		}
	}
	text, full := said.lines()
	if want := typecheck.MaxOutputBytes / len(line) * len(line); !full || len(text) != want || ended == 0 {
		t.Errorf("got %d bytes, full %v, ended %d times, want %d and an end", len(text), full, ended, want)
	}
}

func FuzzReadTypes(f *testing.F) {
	f.Add("src/a.ts(1,7): error TS2322: No.\n  More.\nerror TS1: x\n../x(1,1): error TS2: y")
	f.Fuzz(func(t *testing.T, said string) {
		got, told := readRuns(said, tsconfig())
		if len(got.Diagnostics) > typecheck.MaxDiagnostics || len(got.Diagnostics) > 0 && !told {
			t.Fatalf("got %d diagnostics, told %v", len(got.Diagnostics), told)
		}
		for _, found := range got.Diagnostics {
			path, err := core.ParsePath(found.Path)
			if err != nil || path.Generated() || len(found.Message) > typecheck.MaxMessageBytes || !utf8.ValidString(found.Message) || strings.ContainsRune(found.Message, 0) {
				t.Errorf("got %+v", found)
			}
		}
	})
}
