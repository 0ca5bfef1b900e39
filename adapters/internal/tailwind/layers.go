package tailwind

import (
	"bytes"
	"regexp"
	"strings"
)

var (
	layerBlock     = regexp.MustCompile(`^@layer\s+(theme|preflight|base|components|utilities)\s*\{`)
	layerStatement = regexp.MustCompile(`(?m)^@layer (?:theme|preflight|base|components|utilities)(?:, (?:theme|preflight|base|components|utilities))*;\n?`)
)

// WithoutLayers takes the rules of a compiled sheet out of Tailwind's layers. Version 3 has none: its
// rules compete with all others by their weight and place, so a rule for all links does not win over a
// class. bare leaves out the preflight.
func WithoutLayers(css string, bare bool) string {
	css = layerStatement.ReplaceAllString(css, "")
	plain := withoutComments([]byte(css))
	var parts []layerPart
	first := make(map[string]int)
	done := 0
	for at := 0; ; {
		open, closed := nextBlock(plain, at)
		if closed < 0 {
			break
		}
		start := at + len(plain[at:open]) - len(bytes.TrimLeft(plain[at:open], " \t\r\n"))
		if semicolon := bytes.LastIndexByte(plain[start:open], ';'); semicolon >= 0 {
			rest := plain[start+semicolon+1 : open]
			start = open - len(bytes.TrimLeft(rest, " \t\r\n"))
		}
		if name := layerBlock.FindSubmatch(plain[start : open+1]); name != nil {
			parts = append(parts, layerPart{"", css[done:start]})
			if _, known := first[string(name[1])]; !known {
				first[string(name[1])] = len(parts)
			}
			parts = append(parts, layerPart{string(name[1]), css[open+1 : closed]})
			done = closed + 1
		}
		at = closed + 1
	}
	return joinLayers(append(parts, layerPart{"", css[done:]}), first, bare)
}

// layerPart is a part of a sheet: the content of a layer, or what is in none.
type layerPart struct{ layer, text string }

// joinLayers puts what a layer holds where the layer begins. What a page starts from comes behind the
// preflight, and components come before the utilities.
func joinLayers(parts []layerPart, first map[string]int, bare bool) string {
	behind, isBased := first["preflight"]
	before, isUseful := first["utilities"]
	content := func(layer string) string {
		var out strings.Builder
		for _, part := range parts {
			if part.layer == layer && (layer != "preflight" || !bare) {
				out.WriteString(part.text)
			}
		}
		return out.String()
	}
	var out strings.Builder
	for i, part := range parts {
		switch {
		case part.layer == "":
			out.WriteString(part.text)
		case i != first[part.layer]:
		case part.layer == "base" && isBased, part.layer == "components" && isUseful:
		default:
			if isUseful && i == before {
				out.WriteString(content("components"))
			}
			out.WriteString(content(part.layer))
			if isBased && i == behind {
				out.WriteString(content("base"))
			}
		}
	}
	return out.String()
}
