package esbuild_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/build"
)

const threeDirectives = "@tailwind base;\n@tailwind components;\n@tailwind utilities;\n"

// tailwind3 returns the sheet of a preview of a project that is written for version 3, without what is
// set on every page, in one line.
func tailwind3(t *testing.T, css, config, classes string) string {
	t.Helper()
	whole := styles(t, build.ModePreview, styled(css, "'"+classes+"'", sources{
		"package.json":       `{"devDependencies": {"tailwindcss": "^3.4.17"}}`,
		"tailwind.config.js": "module.exports = { content: ['./src/**/*.{html,ts}'], " + config + " }",
	}))
	if _, rest, found := strings.Cut(whole, "dialog {\n  margin: auto;\n}"); found {
		whole = rest
	}
	return strings.Join(strings.Fields(whole), " ")
}

// The wanted declarations are those of version 3 itself, but for where the engine of version 4 writes the
// same in another way.
func TestClassesOfTailwind3(t *testing.T) {
	for class, want := range map[string]string{
		"bg-black":                      ".bg-black { --tw-bg-opacity: 1; background-color: rgb(0 0 0 / var(--tw-bg-opacity, 1)); }",
		"bg-opacity-50":                 ".bg-opacity-50 { --tw-bg-opacity: 0.5; }",
		"hover:bg-opacity-20":           `.hover\:bg-opacity-20:hover { --tw-bg-opacity: 0.2; }`,
		"bg-opacity-[0.33]":             `.bg-opacity-\[0\.33\] { --tw-bg-opacity: 0.33; }`,
		"bg-[#ff0000]":                  `.bg-\[\#ff0000\] { --tw-bg-opacity: 1; background-color: rgb(255 0 0 / var(--tw-bg-opacity, 1)); }`,
		"bg-red-500/50":                 `.bg-red-500\/50 { background-color: rgb(239 68 68 / 0.5); }`,
		"bg-transparent":                ".bg-transparent { background-color: transparent; }",
		"text-red-500":                  ".text-red-500 { --tw-text-opacity: 1; color: rgb(239 68 68 / var(--tw-text-opacity, 1)); }",
		"text-opacity-50":               ".text-opacity-50 { --tw-text-opacity: 0.5; }",
		"border-x-red-500":              ".border-x-red-500 { --tw-border-opacity: 1; border-inline-color: rgb(239 68 68 / var(--tw-border-opacity, 1)); }",
		"divide-red-500":                ".divide-red-500 > :not([hidden]) ~ :not([hidden]) { --tw-divide-opacity: 1; border-color: rgb(239 68 68 / var(--tw-divide-opacity, 1)); }",
		"divide-opacity-10":             ".divide-opacity-10 > :not([hidden]) ~ :not([hidden]) { --tw-divide-opacity: 0.1; }",
		"ring-red-500":                  ".ring-red-500 { --tw-ring-opacity: 1; --tw-ring-color: rgb(239 68 68 / var(--tw-ring-opacity, 1)); }",
		"placeholder-red-500":           ".placeholder-red-500::placeholder { --tw-placeholder-opacity: 1; color: rgb(239 68 68 / var(--tw-placeholder-opacity, 1)); }",
		"placeholder-opacity-50":        ".placeholder-opacity-50::placeholder { --tw-placeholder-opacity: 0.5; }",
		"fill-red-500":                  ".fill-red-500 { fill: #ef4444; }",
		"space-y-2":                     ".space-y-2 > :not([hidden]) ~ :not([hidden]) { --tw-space-y-reverse: 0; margin-bottom: calc(calc(var(--spacing) * 2) * var(--tw-space-y-reverse)); margin-top: calc(calc(var(--spacing) * 2) * calc(1 - var(--tw-space-y-reverse))); }",
		"-space-x-px":                   ".-space-x-px > :not([hidden]) ~ :not([hidden]) { --tw-space-x-reverse: 0; margin-right: calc(-1px * var(--tw-space-x-reverse)); margin-left: calc(-1px * calc(1 - var(--tw-space-x-reverse))); }",
		"outline-none":                  ".outline-none { outline: 2px solid transparent; outline-offset: 2px; }",
		"outline":                       ".outline { outline-style: solid; }",
		"outline-2":                     ".outline-2 { outline-width: 2px; }",
		"text-2xl":                      ".text-2xl { font-size: 1.5rem; line-height: 2rem; }",
		"bg-gradient-to-r":              ".bg-gradient-to-r { --tw-gradient-position: to right; background-image: linear-gradient(var(--tw-gradient-stops)); }",
		"hover:p-1":                     `.hover\:p-1:hover { padding: var(--spacing); }`,
		"w-[--sidebar-width]":           `.w-\[--sidebar-width\] { width: var(--sidebar-width); }`,
		"grid-cols-[1fr,minmax(0,2fr)]": `.grid-cols-\[1fr\,minmax\(0\,2fr\)\] { grid-template-columns: 1fr minmax(0, 2fr); }`,
		"max-w-screen-md":               ".max-w-screen-md { max-width: 768px; }",
		"blur-0":                        ".blur-0 { --tw-blur: blur(var(--blur-0));",
		"!mt-4":                         `.\!mt-4 { margin-top: calc(var(--spacing) * 4) !important; }`,
		"flex-shrink-0":                 ".flex-shrink-0 { flex-shrink: 0; }",
		"overflow-ellipsis":             ".overflow-ellipsis { text-overflow: ellipsis; }",
		"-order-first":                  ".-order-first { order: 9999; }",
		"-order-last":                   ".-order-last { order: -9999; }",
		"-order-none":                   ".-order-none { order: 0; }",
		"decoration-clone":              ".decoration-clone { -webkit-box-decoration-break: clone; box-decoration-break: clone; }",
	} {
		wantIn(t, class, tailwind3(t, threeDirectives, "", class), want)
	}
}

func TestConfigurationsOfTailwind3(t *testing.T) {
	for name, c := range map[string]struct{ config, classes, want, unwanted string }{
		"a prefix":               {"prefix: 'tw-'", "tw-p-4 -tw-ml-2 hover:tw-bg-[#fff] !tw-m-1 p-9 group-hover:tw-p-1", `.\!tw-m-1 {|.-tw-ml-2 { margin-left: calc(var(--spacing) * -2);|.tw-p-4 {|.hover\:tw-bg-\[\#fff\]:hover {|(.tw-group):hover`, ".p-9"},
		"a prefix in @apply":     {"prefix: 'tw-'", "btn", ".btn { padding: calc(var(--spacing) * 4);", ""},
		"a separator in @apply":  {"separator: '_'", "btn", ".btn { width: calc(1px + 2px); &:hover { padding: calc(var(--spacing) * 2) !important; } }", ""},
		"an important selector":  {"important: '#root'", "p-4", "#root .p-4 {", ""},
		"everything important":   {"important: true", "p-4", "padding: calc(var(--spacing) * 4) !important;", ""},
		"colours by name":        {"theme: { extend: { colors: { brand: require('tailwindcss/colors').rose } } }", "bg-brand-500", "rgb(244 63 94 / var(--tw-bg-opacity, 1))", ""},
		"colours of variables":   {"theme: { extend: { colors: { v: 'rgb(var(--v) / <alpha-value>)' } } }", "bg-v text-v/50", "background-color: rgb(var(--v) / var(--tw-bg-opacity, 1));|color: rgb(var(--v) / 0.5);", ""},
		"colours of functions":   {"theme: { extend: { colors: { f: ({ opacityValue }) => `rgb(1 2 3 / ${opacityValue})` } } }", "text-f", "color: rgb(1 2 3 / var(--tw-text-opacity, 1));", ""},
		"opacities":              {"theme: { extend: { backgroundOpacity: { faint: '0.02' } } }", "bg-opacity-faint", "--tw-bg-opacity: 0.02;", ""},
		"screens of both units":  {"theme: { extend: { screens: { xs: '400px', '3xl': '1800px' } } }", "3xl:p-1 2xl:p-2 xs:p-3", `(width >= 400px) { .xs\:p-3 { padding: calc(var(--spacing) * 3); } } @media (width >= 1536px) { .\32xl\:p-2 { padding: calc(var(--spacing) * 2); } } @media (width >= 1800px)`, ""},
		"presets":                {"presets: [{ prefix: 'x-', theme: { extend: { colors: { brand: '#010203' } } } }]", "x-bg-brand", "rgb(1 2 3 /", ""},
		"a separator":            {"separator: '_'", "hover_p-2 md_hover_w-[calc(1px_+_2px)] hover:p-9", `.hover_p-2:hover {|.md_hover_w-\[calc\(1px_\+_2px\)\]`, "p-9"},
		"a safelist of patterns": {"safelist: ['p-9', { pattern: /^bg-(red|blue)-(100|200)$/, variants: ['hover'] }, { pattern: /text-cent/ }]", "p-1", `.p-9 {|.bg-blue-200 {|.hover\:bg-red-100:hover {|.text-center {`, "bg-red-300"},
		"patterns with a prefix": {"prefix: 'tw-', safelist: [{ pattern: /^-?tw-m[tb]-4$/ }]", "x", ".tw-mt-4 {|.-tw-mb-4 {", ""},
		"no container":           {"corePlugins: { container: false }", "container p-1", ".p-1 {", ".container"},
		"plain colours":          {"corePlugins: { backgroundOpacity: false }", "bg-red-500 text-red-500 bg-opacity-50 bg-red-500/50", ".bg-red-500 { background-color: #ef4444; }|rgb(239 68 68 / var(--tw-text-opacity, 1))|background-color: rgb(239 68 68 / 0.5);", ".bg-opacity"},
		"no presets":             {"presets: []", "p-4", ".p-4 {", ""},
		"no preflight":           {"corePlugins: { preflight: false }", "p-4", ".p-4 {", "box-sizing"},
		"a blocklist":            {"blocklist: ['p-4']", "p-4 p-5", ".p-5 {", ".p-4"},
		"content as text":        {"content: { files: ['./src/**/*.ts', { raw: '<p class=\"p-7\">' }] }", "p-1", ".p-7 {|.p-1 {", ""},
		"a dark class":           {"darkMode: ['class', '[data-theme=\"dark\"]']", "dark:p-4", `.dark\:p-4:is([data-theme=dark] *) {`, ""},
		"a container":            {"theme: { container: { center: true, padding: '2rem', screens: { '2xl': '1400px' } } }", "container", "margin-inline: auto; padding-inline: 2rem;|max-width: 1400px;", ""},
		"colours of their own":   {"theme: { colors: { only: '#010203' } }", "bg-only bg-red-500", "rgb(1 2 3 /", "bg-red-500"},
	} {
		css := threeDirectives
		switch name {
		case "a prefix in @apply":
			css += "@layer components { .btn { @apply tw-p-4; } }"
		case "a separator in @apply":
			css += "@layer components { .btn { @apply w-[calc(1px_+_2px)];\n@apply hover_p-2 !important } }"
		}
		got := tailwind3(t, css, c.config, c.classes)
		for want := range strings.SplitSeq(c.want, "|") {
			wantIn(t, name, got, want)
		}
		if c.unwanted != "" {
			wantNotIn(t, name, got, c.unwanted)
		}
	}
}

// TestCorePluginsOfTailwind3 has classes of each core plugin, as version 3.4.17 lists them.
func TestCorePluginsOfTailwind3(t *testing.T) {
	text, err := os.ReadFile("testdata/tailwind3-plugins.txt")
	if err != nil {
		t.Fatal(err)
	}
	// Every second plugin is on.
	var on, off, all []string
	wanted := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		plugin, classes := "'"+words[0]+"'", words[1:]
		if all = append(all, classes...); len(on) > len(off) {
			off = append(off, plugin)
			continue
		}
		on = append(on, plugin)
		for _, class := range classes {
			wanted[class] = true
		}
	}
	for name, config := range map[string]string{
		"a list":   "corePlugins: [" + strings.Join(on, ", ") + "]",
		"switches": "corePlugins: { " + strings.Join(off, ": false, ") + ": false }",
	} {
		got := tailwind3(t, threeDirectives, config, strings.Join(all, " "))
		for _, class := range all {
			selector := "." + regexp.MustCompile(`[./%]`).ReplaceAllString(class, `\$0`)
			if has := regexp.MustCompile(regexp.QuoteMeta(selector) + `[ :]`).MatchString(got); has != wanted[class] {
				t.Errorf("%s: got a rule for %s: %v, want %v", name, class, has, wanted[class])
			}
		}
	}
}

func TestRulesCompeteAsInTailwind3(t *testing.T) {
	const css = "@tailwind base;\n@tailwind components;\n@tailwind utilities;\na { color: blue }\n" +
		"@layer base { h1 { @apply font-bold !important; } }\n@layer components { .card > h2 { color: red } }\n" +
		"@media screen(md) and (orientation: landscape) { .wide { width: 900px } }\n"
	got := tailwind3(t, css, "", "text-red-500")
	places := make([]int, 0, 5)
	for _, rule := range []string{"h1 { ", ".card > h2 {", ".text-red-500 {", "a { color: blue", "@media (width >= 48rem) and (orientation: landscape)"} {
		places = append(places, strings.Index(got, rule))
	}
	if places[0] < 0 || !slices.IsSorted(places) || !strings.Contains(got, "font-weight: var(--font-weight-bold) !important") {
		t.Errorf("got %s, want the base, the components, the utilities and then the rest, at %v", got, places)
	}
	wantNotIn(t, "layers", got, "@layer base", "@layer utilities", "@layer components")
}

func TestBordersAreGrayInTailwind3(t *testing.T) {
	for config, want := range map[string]string{
		"": "#e5e7eb",
		"theme: { extend: { borderColor: { DEFAULT: '#010203' } } }":  "#010203",
		"theme: { extend: { colors: { gray: { 200: '#040506' } } } }": "#040506",
	} {
		s := styled(threeDirectives, "'border'", sources{"package.json": `{"devDependencies": {"tailwindcss": "3"}}`, "tailwind.config.js": "module.exports = { " + config + " }"})
		css := styles(t, build.ModePreview, s)
		colors := regexp.MustCompile(`(?s)\*,\s*::after,\s*::before,[^{]*\{[^}]*?border(-color)?: ([^;]*);`).FindAllStringSubmatch(css, -1)
		if len(colors) != 2 || colors[1][2] != want {
			t.Errorf("%s: got %q, want the border of the preflight and then %s", config, colors, want)
		}
	}
}
