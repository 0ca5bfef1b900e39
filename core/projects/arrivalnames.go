package projects

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// maxNamesRead bounds what is read of an archive's sources to find the names of environment
// values, and maxMissing the names that are told.
const (
	maxNamesRead = 32 << 20
	maxMissing   = 20
)

var (
	// publicName is where a source, or a page, reads an environment value that reaches browsers.
	publicName = regexp.MustCompile("(?:\\benv\\??\\.|\\benv\\[[\"'`]|%|[{,]\\s*)((?:VITE|REACT_APP|NEXT_PUBLIC)_[A-Z0-9_]+)")
	setName    = regexp.MustCompile(`(?m)^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=`)
)

// findNames notes the environment values that sources read and no .env file sets. The
// person who imports knows them: exports rarely carry them.
func (a *arrival) findNames() error {
	set, missing, left := map[string]bool{}, map[string]string{}, int64(maxNamesRead)
	for i := range a.files {
		name := a.files[i].path.String()
		isEnv := strings.HasPrefix(name, ".env") && !strings.Contains(name, "example") && !strings.Contains(name, "/")
		if !isEnv && !isSource(name) || int64(a.files[i].file.UncompressedSize64) > maxSourceBytes {
			continue
		}
		if left -= int64(a.files[i].file.UncompressedSize64); left < 0 {
			break
		}
		text, err := a.files[i].read(maxSourceBytes)
		if err != nil {
			return err
		}
		if isEnv {
			for _, found := range setName.FindAllSubmatch(text, -1) {
				set[string(found[1])] = true
			}
			continue
		}
		for _, found := range publicName.FindAllSubmatch(text, -1) {
			if key := string(found[1]); missing[key] == "" {
				missing[key] = name
			}
		}
	}
	var told []string
	for key := range missing {
		if !set[key] {
			told = append(told, key)
		}
	}
	slices.SortFunc(told, func(a, b string) int { return cmp.Or(cmp.Compare(missing[a], missing[b]), cmp.Compare(a, b)) })
	for _, key := range told[:min(len(told), maxMissing)] {
		a.note(core.Phrasef("%s reads %s, which no .env file sets: set %s among the project's environment values", missing[key], key, ownName(key)))
	}
	return nil
}

// ownName is the key of the environment value that a name stands for: only those that begin
// with VITE_ reach pages.
func ownName(name string) string {
	for _, prefix := range []string{"REACT_APP_", "NEXT_PUBLIC_"} {
		if rest, found := strings.CutPrefix(name, prefix); found {
			return "VITE_" + rest
		}
	}
	return name
}

// isSource reports whether a file may become part of a page.
func isSource(name string) bool {
	for _, folder := range []string{"dist/", "build/", "out/", ".next/", "node_modules/"} {
		if strings.HasPrefix(name, folder) || strings.Contains(name, "/"+folder) {
			return false
		}
	}
	switch path.Ext(name) {
	case ".ts", ".tsx", ".js", ".jsx", ".mjs", ".mts", ".vue", ".svelte", ".astro", ".html":
		return !strings.Contains(path.Base(name), ".config.")
	}
	return false
}
