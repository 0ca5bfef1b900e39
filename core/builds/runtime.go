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
	// Scripts are those of package.json.
	Scripts map[string]string
	// UnsupportedVite is what the builder cannot follow of the configurations of Vite and PostCSS.
	UnsupportedVite string
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
	if runner := foreignRunner(clues.Scripts, "dev", 0); runner != "" && slices.Contains(clues.Packages, "vite") {
		return RuntimeNode, `the script "dev" in package.json runs ` + runner
	}
	if clues.UnsupportedVite != "" {
		return RuntimeNode, clues.UnsupportedVite
	}
	return RuntimeGo, ""
}

// needsNode reports whether a package brings its own compiler, bundler or server.
func needsNode(name string) bool {
	switch name {
	case "next", "nuxt", "astro", "vue", "svelte", "solid-js", "solid-start", "gatsby", "parcel", "webpack", "@craco/craco", "react-app-rewired",
		"vitepress", "vinxi", "expo", "marko", "riot", "rolldown-vite", "preact-cli", "sass", "sass-embedded", "node-sass", "less", "stylus":
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

// maxNested is how far scripts are followed that run one another.
const maxNested = 5

// A script is commands, with variables before them.
var (
	betweenCommands = regexp.MustCompile(`&&|\|\||[;&|]`)
	variable        = regexp.MustCompile(`^[A-Za-z_]\w*=\S*$`)
)

// foreignRunner returns the first program in a script that does more than serve pages with Vite: a
// server of the project's own, or several programs at once.
func foreignRunner(scripts map[string]string, name string, depth int) string {
	for _, command := range betweenCommands.Split(scripts[name], -1) {
		words := slices.DeleteFunc(strings.Fields(command), func(word string) bool {
			return variable.MatchString(word) || slices.Contains([]string{"cross-env", "npx", "bunx", "--bun", "exec", "--"}, word)
		})
		if len(words) > 0 && slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, words[0]) {
			words = slices.DeleteFunc(words[1:], func(word string) bool { return word == "run" })
			if len(words) > 0 && scripts[words[0]] != "" && depth < maxNested {
				if runner := foreignRunner(scripts, words[0], depth+1); runner != "" {
					return runner
				}
				continue
			}
		}
		if len(words) > 0 && isRunner(words[0]) {
			return words[0]
		}
	}
	return ""
}

// isRunner reports whether a program runs scripts or other programs.
func isRunner(program string) bool {
	switch program {
	case "node", "tsx", "ts-node", "ts-node-dev", "nodemon", "deno", "concurrently", "npm-run-all", "run-p", "run-s", "turbo", "nx", "lerna",
		"netlify", "vercel", "wrangler", "firebase", "convex", "expo", "electron", "electron-forge", "python", "python3", "php", "docker":
		return true
	}
	return strings.HasSuffix(program, ".ts") || strings.HasSuffix(program, ".js") || strings.HasSuffix(program, ".mjs")
}
