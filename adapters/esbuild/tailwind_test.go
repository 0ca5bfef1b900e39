package esbuild_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/atelierhq/atelier/ports/build"
)

// styled is a project whose one style sheet is for Tailwind.
func styled(css, app string, more sources) sources {
	all := sources{"src/main.tsx": "import './index.css'\nimport './app'\n", "src/index.css": css, "src/app.ts": app}
	for name, text := range more {
		all[name] = text
	}
	return all
}

// styles returns all that a project's style sheets became: in a preview they are
// texts of scripts.
func styles(t *testing.T, mode build.Mode, s sources) string {
	t.Helper()
	files := result(t, request(mode, s))
	if mode == build.ModeSite {
		return ending(files, ".css")
	}
	return styleText(t, ending(files, ".js"))
}

// styleText returns the style sheets that the scripts of a preview hold.
func styleText(t *testing.T, script string) string {
	t.Helper()
	all := ""
	for _, match := range styleCall.FindAllStringSubmatch(script, -1) {
		var css string
		if err := json.Unmarshal([]byte(match[1]), &css); err != nil {
			t.Fatalf("got %q, want a string: %v", match[1], err)
		}
		all += css
	}
	return all
}

var styleCall = regexp.MustCompile(`\.style\(import\.meta\.url, ("(?:[^"\\]|\\.)*")`)

func TestTailwindStylesTheClassesThatSourcesName(t *testing.T) {
	s := styled("@import \"tailwindcss\";\n@theme { --color-brand: #123456; }\n", "document.body.className = 'bg-brand hover:p-4 dark:w-[17px] unknown-class'", nil)
	for _, mode := range bothModes {
		css := styles(t, mode, s)
		wantIn(t, string(mode), css, "bg-brand", `hover\:p-4`, `dark\:w-\[17px\]`, "17px", "--color-brand")
		wantNotIn(t, string(mode), css, ".unknown-class", ".p-5", "@import", "@theme")
	}
}
