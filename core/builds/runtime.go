package builds

import (
	"regexp"
	"slices"
	"strings"
)

// Runtime says which tools make a project's pages.
type Runtime string

// The runtimes: a static project's pages are its files; those of RuntimeGo are
// bundled in this process; those of RuntimeNode are made by the project's own tools.
const (
	RuntimeStatic Runtime = "static"
	RuntimeGo     Runtime = "go"
	RuntimeNode   Runtime = "node"
)

// Clues are the facts that decide a project's runtime.
type Clues struct {
	// Chosen is the choice in package.json: {"atelier": {"runtime": "node"}}.
	Chosen Runtime
	// HasManifest says that there is a package.json. Packages are the names of all
	// its dependencies.
	HasManifest bool
	Packages    []string
	// ViteConfig and PostCSSConfig are the sources of those, with their names.
	ViteConfig, ViteConfigName       string
	PostCSSConfig, PostCSSConfigName string
}

// Detect returns a project's runtime, and why it is not the usual one. The project's
// own choice always wins.
func Detect(clues Clues) (Runtime, string) {
	if clues.Chosen != "" {
		return clues.Chosen, "package.json says so (atelier.runtime)"
	}
	if !clues.HasManifest {
		return RuntimeStatic, "there is no package.json"
	}
	for _, name := range slices.Sorted(slices.Values(clues.Packages)) {
		if needsNode(name) {
			return RuntimeNode, "package.json asks for " + name
		}
	}
	if why := foreignPlugin(clues.ViteConfig); why != "" {
		return RuntimeNode, clues.ViteConfigName + " " + why
	}
	if name := foreignStyles(clues.PostCSSConfig, clues.Packages); name != "" {
		return RuntimeNode, clues.PostCSSConfigName + " uses " + name
	}
	return RuntimeGo, ""
}

// needsNode reports whether a package brings its own compiler, bundler or server.
func needsNode(name string) bool {
	switch name {
	case "next", "nuxt", "astro", "vue", "svelte", "solid-js", "solid-start", "gatsby", "parcel", "webpack", "@craco/craco", "react-app-rewired",
		"vitepress", "vinxi", "marko", "riot", "rolldown-vite", "preact-cli", "sass", "sass-embedded", "node-sass", "less", "stylus":
		return true
	}
	for _, scope := range []string{
		"@sveltejs/", "@remix-run/", "@angular/", "@vue/", "@nuxt/", "@astrojs/", "@solidjs/", "@builder.io/qwik",
		"@react-router/dev", "@tanstack/react-start", "@docusaurus/", "@rsbuild/", "@rspack/", "@11ty/", "@stencil/", "@analogjs/", "@vitejs/plugin-legacy",
	} {
		if strings.HasPrefix(name, scope) {
			return true
		}
	}
	return false
}

// importOf matches the imports of a script, in any syntax.
var importOf = regexp.MustCompile(`(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\()\s*["'` + "`" + `]([^"'` + "`" + `\n]*)["'` + "`" + `]`)

// hookOf matches the hooks of a plugin that a configuration defines itself.
var hookOf = regexp.MustCompile(`\b(transform|resolveId|load|transformIndexHtml|configureServer|buildStart|generateBundle|handleHotUpdate|preprocessorOptions)\s*[(:]`)

// foreignPlugin returns the first part of a Vite configuration that this process
// does not support, "" if there is none.
func foreignPlugin(config string) string {
	config = withoutComments(config)
	for _, found := range importOf.FindAllStringSubmatch(config, -1) {
		if !harmless(found[1]) {
			return "imports " + found[1]
		}
	}
	if found := hookOf.FindStringSubmatch(config); found != nil {
		return "has a " + found[1] + " of its own"
	}
	if found := rootOf.FindStringSubmatch(config); found != nil && hasName(found[1]) {
		return "has a root of its own"
	}
	return ""
}

// rootOf matches the folder of the pages in a Vite configuration.
var rootOf = regexp.MustCompile(`[{,\s]root\s*:\s*([^\n]+)`)

// hasName reports whether a text has a string that names a folder below the project's.
func hasName(text string) bool {
	for _, found := range quoted.FindAllStringSubmatch(text, -1) {
		if strings.Trim(found[1], "./") != "" {
			return true
		}
	}
	return false
}

var quoted = regexp.MustCompile("[\"'`]([^\"'`\n]*)[\"'`]")

// harmless reports whether a Vite configuration may import a module without effects
// that this process does not support.
func harmless(module string) bool {
	switch module {
	case "vite", "vitest/config", "@vitejs/plugin-react", "@vitejs/plugin-react-swc", "@tailwindcss/vite", "tailwindcss", "autoprefixer",
		"path", "node:path", "url", "node:url", "lovable-tagger", "@dyad-sh/react-vite-component-tagger", "vite-tsconfig-paths",
		"vite-plugin-svgr":
		return true
	}
	// Replit's plugins show errors and sources in its own editor.
	return strings.HasPrefix(module, "@replit/vite-plugin-")
}

// foreignStyles returns the first of the project's packages in a PostCSS
// configuration that this process does not support.
func foreignStyles(config string, packages []string) string {
	config = withoutComments(config)
	for _, name := range slices.Sorted(slices.Values(packages)) {
		switch name {
		case "tailwindcss", "@tailwindcss/postcss", "autoprefixer", "postcss":
			continue
		}
		for _, quote := range []string{`"`, `'`, "`"} {
			if strings.Contains(config, quote+name+quote) {
				return name
			}
		}
	}
	return ""
}

// withoutComments blanks the comments of a script, but not texts in quotes. A
// regular expression with quotes in it may hide the rest of its line.
func withoutComments(script string) string {
	var out strings.Builder
	for i := 0; i < len(script); {
		switch rest := script[i:]; {
		case strings.HasPrefix(rest, "//"):
			i += lengthUntil(rest, "\n")
		case strings.HasPrefix(rest, "/*"):
			i += min(len(rest), lengthUntil(rest[2:], "*/")+4)
			out.WriteByte(' ')
		case strings.ContainsRune("\"'`", rune(rest[0])):
			end := quoteEnd(rest)
			out.WriteString(rest[:end])
			i += end
		default:
			out.WriteByte(rest[0])
			i++
		}
	}
	return out.String()
}

func lengthUntil(text, end string) int {
	if at := strings.Index(text, end); at >= 0 {
		return at
	}
	return len(text)
}

// quoteEnd returns the length of the string that text begins with. Only those in
// back quotes span lines.
func quoteEnd(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		case '\n':
			if text[0] != '`' {
				return i
			}
		}
	}
	return len(text)
}
