package directsave

import (
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/ports/markup"
)

func TestDialectOf(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  markup.Dialect
	}{
		"nothing":                     {nil, markup.Dialect{}},
		"version 3":                   {map[string]string{"package.json": `{"devDependencies": {"tailwindcss": "^3.4.17"}}`}, markup.Dialect{Three: true}},
		"version 4":                   {map[string]string{"package.json": `{"dependencies": {"tailwindcss": "^4.1.0"}}`}, markup.Dialect{}},
		"a prefix of version 3":       {map[string]string{"tailwind.config.js": `export default { prefix: "tw-", content: ["./src/**/*.tsx"] };`}, markup.Dialect{Three: true, Prefix: "tw-"}},
		"a prefix in a comment":       {map[string]string{"tailwind.config.ts": "export default {\n  // prefix: 'old-',\n  content: ['https://a/b'], // prefix: 'no-'\n  separator: '_',\n}"}, markup.Dialect{Three: true, Separator: "_"}},
		"a prefix of version 4":       {map[string]string{"src/a/main.css": "@import \"tailwindcss\" prefix(tw);", "tailwind.config.js": "module.exports = { prefix: 'no-' }"}, markup.Dialect{Prefix: "tw"}},
		"version 4 in parts":          {map[string]string{"app.css": "@import 'tailwindcss/theme.css' layer(theme) prefix(ab);"}, markup.Dialect{Prefix: "ab"}},
		"what is in packages":         {map[string]string{"node_modules/x/a.css": "@import 'tailwindcss' prefix(no);"}, markup.Dialect{}},
		"imports of version 3":        {map[string]string{"a.css": "@import 'tailwindcss/base';", "tailwind.config.cjs": "module.exports = {}"}, markup.Dialect{Three: true}},
		"a package.json with a fault": {map[string]string{"package.json": `{"dependencies": 1`}, markup.Dialect{}},
	} {
		files := fstest.MapFS{}
		for path, text := range c.files {
			files[path] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := dialectOf(files); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}
