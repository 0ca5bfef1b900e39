package builds

import (
	"html"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core/htmltag"
)

// reference is what a page asks for.
type reference struct {
	// address is as browsers read it.
	address string
	// essential says that the page does nothing without it: it is a module script.
	essential bool
}

// references lists what a page's elements load by themselves. For a page with a base element it returns
// none, because it does not resolve those.
func references(page string) []reference {
	var found []reference
	add := func(essential bool, addresses ...string) {
		for _, address := range addresses {
			next := reference{strings.TrimSpace(html.UnescapeString(address)), essential}
			if next.address != "" && !slices.Contains(found, next) {
				found = append(found, next)
			}
		}
	}
	for tag := range htmltag.All(page) {
		if tag.End {
			continue
		}
		switch tag.Name {
		case "base":
			return nil
		case "script":
			add(strings.EqualFold(tag.Value("type"), "module"), tag.Value("src"))
		case "link":
			if loads(tag.Value("rel")) {
				add(false, tag.Value("href"))
			}
		case "meta":
			if named := strings.ToLower(tag.Value("property") + tag.Value("name")); named == "og:image" || named == "twitter:image" {
				add(false, tag.Value("content"))
			}
		case "img", "source", "video", "audio", "track", "embed", "input":
			add(false, tag.Value("src"), tag.Value("poster"))
			for candidate := range strings.SplitSeq(tag.Value("srcset"), ", ") {
				address, _, _ := strings.Cut(strings.TrimSpace(candidate), " ")
				add(false, address)
			}
		}
	}
	return found
}

// loads reports whether browsers load what a link with this relation names.
func loads(rel string) bool {
	return slices.ContainsFunc(strings.Fields(strings.ToLower(rel)), func(one string) bool {
		switch one {
		case "stylesheet", "modulepreload", "preload", "prefetch", "icon", "apple-touch-icon", "mask-icon", "manifest":
			return true
		}
		return false
	})
}

// locate returns the file of the site that an address names. Addresses of other hosts and of the
// service's own paths, and those that do not name a file, are not the site's own.
func locate(page, address string) (target string, own bool) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "" || parsed.Host != "" || strings.ContainsAny(address, "{}") || path.Ext(parsed.Path) == "" {
		return "", false
	}
	target = parsed.Path
	if !strings.HasPrefix(target, "/") {
		target = path.Join("/", path.Dir(page), target)
	}
	target = strings.TrimPrefix(path.Clean(target), "/")
	switch first, _, _ := strings.Cut(target, "/"); first {
	case "_data", "_fn", "_site", "@atelier":
		return "", false
	}
	return target, true
}
