package builds

import (
	"errors"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestParseManifest(t *testing.T) {
	t.Run("takes dependencies and the style packages among the development ones", func(t *testing.T) {
		got, err := parseManifest([]byte("\ufeff" + `{
			"dependencies": {"react": "^19.0.0", "tailwindcss": "^4.0.0"},
			"devDependencies": {"vite": "^8.0.0", "tailwindcss": "^3.0.0", "tailwindcss-animate": "1", "@tailwindcss/vite": "4"}
		}`))
		if err != nil {
			t.Fatalf("got %v, want no error", err)
		}
		want := map[string]string{"react": "^19.0.0", "tailwindcss": "^4.0.0", "tailwindcss-animate": "1"}
		if len(got.dependencies) != len(want) {
			t.Fatalf("got %v, want %v", got.dependencies, want)
		}
		for name, version := range want {
			if got.dependencies[name] != version {
				t.Errorf("got %q for %s, want %q", got.dependencies[name], name, version)
			}
		}
	})

	t.Run("places a mistake at its line and column", func(t *testing.T) {
		for _, c := range []struct {
			source       string
			line, column int
		}{
			{"{\n  \"name\": \"x\",\n  oops\n}", 3, 3},
			{"{\n  \"dependencies\": {\"a\": 7}\n}", 2, 25},
			{"", 1, 1},
			{"[]", 1, 1},
		} {
			_, err := parseManifest([]byte(c.source))
			var misplaced *misplacedError
			if !errors.As(err, &misplaced) {
				t.Errorf("got %v for %q, want a mistake with a place", err, c.source)
				continue
			}
			if misplaced.at.Path != "package.json" || misplaced.at.Line != c.line || misplaced.at.Column != c.column {
				t.Errorf("got %+v for %q, want line %d, column %d", misplaced.at, c.source, c.line, c.column)
			}
		}
	})

	t.Run("refuses a file that is too large", func(t *testing.T) {
		_, err := parseManifest([]byte(strings.Repeat(" ", maxManifestBytes+1)))
		if !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("got %v, want %s", err, core.CodeValidationFailed)
		}
	})
}

func TestBlame(t *testing.T) {
	source := `{
  "scripts": {"react": "nothing", "list": [1, {"react-dom": 2}]},
  "devDependencies": {
    "tailwindcss": "^4"
  },
  "dependencies": {
    "react": "^19",
    "react-dom": "^99"
  }
}`
	parsed, err := parseManifest([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		message      string
		line, column int
	}{
		{"no version of react-dom satisfies ^99", 8, 5},
		{"react has no such version", 7, 5},
		{"no such package: tailwindcss", 4, 5},
		{"the registry cannot be reached", 6, 3},
	} {
		var misplaced *misplacedError
		if !errors.As(parsed.blame(core.Errorf(core.CodeValidationFailed, "%s", c.message)), &misplaced) {
			t.Errorf("%q: got no place", c.message)
			continue
		}
		if misplaced.at.Line != c.line || misplaced.at.Column != c.column || misplaced.at.Message != c.message {
			t.Errorf("%q: got %+v, want line %d, column %d", c.message, misplaced.at, c.line, c.column)
		}
	}
}

func FuzzParseManifest(f *testing.F) {
	for _, seed := range []string{`{}`, `{"dependencies":null}`, `{"dependencies":{"a":"1"}}`, `{"a":[{"b":1}],"devDependencies":{"c":"2"}}`, "[", "\ufeff{"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		parsed, err := parseManifest(source)
		if err != nil {
			var misplaced *misplacedError
			if !errors.As(err, &misplaced) || misplaced.at.Line < 1 || misplaced.at.Column < 1 {
				t.Fatalf("got %v, want a mistake with a place", err)
			}
			return
		}
		for name := range parsed.dependencies {
			at := parsed.offsetOfEntry(name)
			if at < 0 || at > len(parsed.source) {
				t.Fatalf("got offset %d for %q in %q", at, name, source)
			}
		}
	})
}
