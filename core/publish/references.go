package publish

import (
	"strings"

	"github.com/atelierhq/atelier/core/htmltag"
)

// references lists the references in a page's script and link elements. For a page with a base
// element it returns none, because it does not resolve those.
func references(page string) []string {
	var found []string
	for tag := range htmltag.All(page) {
		if tag.End {
			continue
		}
		switch tag.Name {
		case "base":
			return nil
		case "script":
			found = appendRef(found, tag.Value("src"))
		case "link":
			if rel := strings.ToLower(tag.Value("rel")); rel == "stylesheet" || rel == "modulepreload" {
				found = appendRef(found, tag.Value("href"))
			}
		}
	}
	return found
}

func appendRef(found []string, ref string) []string {
	if ref = strings.TrimSpace(ref); ref == "" {
		return found
	}
	return append(found, ref)
}
