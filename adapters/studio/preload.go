package studio

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// scripted matches the module scripts of a page; quoted matches what may be an import in
// a script of a build. It begins with fixed letters, which are found fast: the scripts
// are large, and every start of the service reads them.
var (
	scripted = regexp.MustCompile(`<script type="module" src="(/assets/[^"]+)"`)
	quoted   = regexp.MustCompile(`"/assets/[^"]+\.js"`)
)

// preloads returns tags with which a browser loads the typeface and all initial scripts
// immediately, instead of discovering them in the style sheet and in each other. built has
// the contents of the build by address.
func preloads(page []byte, built map[string][]byte) []byte {
	given := initial(page)
	return append(fontTags(built), tagsOf(closure(given, built)[len(given):])...)
}

// fontTags returns the tags for the fonts of a build. Browsers fetch fonts without
// credentials, and a preload counts only when it is fetched the same way.
func fontTags(built map[string][]byte) []byte {
	var tags bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(built)) {
		if strings.HasSuffix(name, ".woff2") {
			tags.WriteString(`<link rel="preload" as="font" type="font/woff2" crossorigin href="` + name + `">`)
		}
	}
	return tags.Bytes()
}

// preloadsOf returns the tags for the chunk of a page and what it needs besides the initial
// scripts, none for a build without that chunk.
func preloadsOf(chunk string, page []byte, built map[string][]byte) []byte {
	first := closure(initial(page), built)
	for script := range built {
		if strings.HasPrefix(script, "/assets/"+chunk+"-") && strings.HasSuffix(script, ".js") {
			return tagsOf(closure(append(first, script), built)[len(first):])
		}
	}
	return nil
}

// initial returns the scripts that the page itself names.
func initial(page []byte) []string {
	var found []string
	for _, match := range scripted.FindAllSubmatch(page, -1) {
		found = append(found, string(match[1]))
	}
	return found
}

// closure adds to scripts all that they load before they run.
func closure(scripts []string, built map[string][]byte) []string {
	found := slices.Clone(scripts)
	for i := 0; i < len(found); i++ {
		for _, next := range imports(built[found[i]]) {
			if !slices.Contains(found, next) {
				found = append(found, next)
			}
		}
	}
	return found
}

func tagsOf(scripts []string) []byte {
	var tags bytes.Buffer
	for _, script := range scripts {
		tags.WriteString(`<link rel="modulepreload" href="` + script + `">`)
	}
	return tags.Bytes()
}

// imports returns what a script of a build loads before it runs: esbuild writes such
// imports in one form.
func imports(script []byte) []string {
	var found []string
	for _, at := range quoted.FindAllIndex(script, -1) {
		before := script[:at[0]]
		if bytes.HasSuffix(before, []byte("from")) || bytes.HasSuffix(before, []byte("import")) {
			found = append(found, string(script[at[0]+1:at[1]-1]))
		}
	}
	return found
}
