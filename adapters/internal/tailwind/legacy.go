package tailwind

import (
	"bytes"
	_ "embed"
	"regexp"
	"slices"
	"strings"
)

// LegacySheets holds what version 3 has and version 4 lacks, by the names under which a modernised
// sheet imports it: its theme, and what it sets on every page.
func LegacySheets() map[string]string {
	return map[string]string{legacySheet: legacyStyles, legacyBase: legacyBaseStyles}
}

const (
	legacySheet = "tailwindcss/v3.css"
	legacyBase  = "tailwindcss/v3base.css"
	// legacyPlugin is known to the glue.
	legacyPlugin = `@plugin "tailwindcss/v3"; `
)

var (
	//go:embed v3.css
	legacyStyles string
	//go:embed v3base.css
	legacyBaseStyles string
)

var (
	oldDirective = regexp.MustCompile(`@tailwind\s+(base|preflight|components|utilities|screens|variants)\s*;?`)
	oldImport    = regexp.MustCompile(`@import\s+["']tailwindcss/(base|components|utilities|screens|variants)(?:\.css)?["']\s*;?`)
	onlyOld      = regexp.MustCompile(`@tailwind\s+(?:base|preflight|components|screens|variants)\b|@import\s+["']tailwindcss/(?:base|components|screens|variants)\b`)
	onlyNew      = regexp.MustCompile(`@import\s+["']tailwindcss(?:/(?:index|theme|preflight|utilities)(?:\.css)?)?["']|@(?:theme|utility|custom-variant|plugin|config|reference|source)\b`)
	oldScreen    = regexp.MustCompile(`@screen\s+([\w-]+)`)
	oldQuery     = regexp.MustCompile(`@media\b[^{};]*\{`)
	queryScreen  = regexp.MustCompile(`\bscreen\(\s*['"]?([\w-]+)['"]?\s*\)`)
	oldApply     = regexp.MustCompile(`@apply\s+([^;{}]*?)\s*!important\s*(?:[;}])`)
	oldLayer     = regexp.MustCompile(`@layer\s+(components|utilities)\s*\{`)
	ownClass     = regexp.MustCompile(`^\.([a-z][\w-]*)((?:::?[\w-]+)*)$`)
)

// IsLegacy reports whether a style sheet is written for version 3.
func IsLegacy(sheet []byte) bool { return onlyOld.Match(withoutComments(sheet)) }

// IsModern reports whether a style sheet uses what only version 4 knows.
func IsModern(sheet []byte) bool { return onlyNew.Match(withoutComments(sheet)) }

// Modernize rewrites a sheet of version 3 for version 4, line by line. The first sheet of
// a project, or of what is imported into one, also gets theme, defaults and, unless it is
// "", the configuration. A sheet without any of the directives may only refer to them.
func Modernize(sheet []byte, first bool, config string) []byte {
	plain := withoutComments(sheet)
	var edits []edit
	for _, match := range slices.Concat(oldDirective.FindAllSubmatchIndex(plain, -1), oldImport.FindAllSubmatchIndex(plain, -1)) {
		edits = append(edits, edit{match[0], match[1], modernDirectives[string(plain[match[2]:match[3]])]})
	}
	prefix := ""
	switch {
	case first && len(edits) > 0:
		prefix = legacyPrefix + configRule(config)
	case first:
		prefix = `@reference "tailwindcss"; @reference "` + legacySheet + `"; ` + legacyPlugin + configRule(config)
	}
	for _, match := range oldScreen.FindAllSubmatchIndex(plain, -1) {
		edits = append(edits, edit{match[0], match[1], "@media (width >= theme(screens." + string(plain[match[2]:match[3]]) + "))"})
	}
	for _, query := range oldQuery.FindAllIndex(plain, -1) {
		for _, match := range queryScreen.FindAllSubmatchIndex(plain[query[0]:query[1]], -1) {
			edits = append(edits, edit{query[0] + match[0], query[0] + match[1], "(width >= theme(screens." + string(plain[query[0]+match[2]:query[0]+match[3]]) + "))"})
		}
	}
	for _, match := range oldApply.FindAllSubmatchIndex(plain, -1) {
		edits = append(edits, edit{match[2], match[1] - 1, strings.Join(strings.Fields(string(plain[match[2]:match[3]])), "! ") + "!"})
	}
	edits = append(edits, ownUtilities(plain)...)
	return append([]byte(prefix), apply(sheet, edits)...)
}

const legacyPrefix = `@layer theme, preflight, base, components, utilities; @import "tailwindcss/theme.css" layer(theme); @import "` + legacySheet + `"; ` + legacyPlugin

const legacyPreflight = `@import "tailwindcss/preflight.css" layer(preflight); @import "` + legacyBase + `" layer(preflight);`

var modernDirectives = map[string]string{
	"base": legacyPreflight, "preflight": legacyPreflight,
	"utilities": `@import "tailwindcss/utilities.css" layer(utilities);`,
}

func configRule(config string) string {
	if config == "" {
		return ""
	}
	return `@config "` + config + `"; `
}

// edit replaces a part of a text.
type edit struct {
	from, to int
	by       string
}

func apply(text []byte, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out []byte
	done := 0
	for _, e := range edits {
		if e.from < done {
			continue
		}
		out = append(append(out, text[done:e.from]...), e.by...)
		done = e.to
	}
	return append(out, text[done:]...)
}

// ownUtilities makes utilities of the classes in the layers of components and utilities,
// so that they accept variants and @apply as before. Each leaves its layer, and the layer
// begins again after it.
func ownUtilities(plain []byte) []edit {
	var edits []edit
	for _, match := range oldLayer.FindAllSubmatchIndex(plain, -1) {
		layer := string(plain[match[2]:match[3]])
		for at := match[1]; ; {
			open, closed := nextBlock(plain, at)
			if closed < 0 {
				break
			}
			prelude := bytes.TrimSpace(plain[at:open])
			start := at + bytes.Index(plain[at:open], prelude)
			name := ownClass.FindSubmatch(prelude)
			if name != nil && len(bytes.TrimSpace(plain[open+1:closed])) > 0 {
				head, tail := "} @utility "+string(name[1])+" {", "} @layer "+layer+" {"
				if len(name[2]) > 0 {
					head, tail = head+" &"+string(name[2])+" {", "} "+tail
				}
				edits = append(edits, edit{start, open + 1, head}, edit{closed, closed + 1, tail})
			}
			at = closed + 1
		}
	}
	return edits
}

// nextBlock returns the offsets of the next pair of braces at this depth. closed is -1 if
// the surrounding block ends first. It skips declarations before the braces.
func nextBlock(plain []byte, from int) (open, closed int) {
	open = -1
	for at, depth := from, 0; at < len(plain); at++ {
		switch c := plain[at]; c {
		case '\\':
			at++
		case '"', '\'':
			at = endOfString(plain, at)
		case '{':
			if depth == 0 {
				open = at
			}
			depth++
		case '}':
			if depth--; depth == 0 {
				return open, at
			} else if depth < 0 {
				return open, -1
			}
		}
	}
	return open, -1
}

// ConfigNames are the files in which version 3 looks for a configuration.
func ConfigNames() []string {
	return strings.Fields("tailwind.config.ts tailwind.config.js tailwind.config.cjs tailwind.config.mjs tailwind.config.mts tailwind.config.cts")
}
