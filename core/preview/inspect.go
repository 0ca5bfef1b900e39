package preview

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/ctxsync"
)

const (
	// maxInspected bounds the modules that are requested after a change, and
	// inspectLimit the time that this takes.
	maxInspected = 300
	inspectLimit = 30 * time.Second
	// quietTime is how long a server must be silent before its output counts as
	// complete.
	quietTime = 100 * time.Millisecond
)

// inspect requests the first page and the modules that it loads, as a browser
// would, and returns the server's errors for those that it could not make. There is
// no other way: tools check a module only when it is requested, and report nothing
// about a good one.
func (d *devServer) inspect(ctx context.Context) []core.Diagnostic {
	ctx, cancel := context.WithTimeout(ctx, inspectLimit)
	defer cancel()
	mark := d.heard.Count()
	seen := map[string]bool{"/": true}
	waiting := []string{"/"}
	var broken []core.Diagnostic
	for len(waiting) > 0 && len(seen) <= maxInspected && ctx.Err() == nil && !d.over() {
		path := waiting[0]
		waiting = waiting[1:]
		said, err := d.get(ctx, path)
		if err != nil {
			continue
		}
		if said.status >= http.StatusInternalServerError {
			broken = append(broken, core.Diagnostic{Path: sourceOf(path), Message: fmt.Sprintf("the development server answers %s with status %d", path, said.status)})
			continue
		}
		for _, next := range linksIn(said) {
			if !seen[next] {
				seen[next] = true
				waiting = append(waiting, next)
			}
		}
	}
	if len(broken) == 0 {
		return nil
	}
	d.awaitQuiet(ctx)
	if told := builds.Diagnose(d.heard.Since(mark)); len(told) > 0 {
		return told
	}
	return broken[:1]
}

// awaitQuiet waits until the server has been silent for quietTime.
func (d *devServer) awaitQuiet(ctx context.Context) {
	for before := -1; before != d.heard.Count(); {
		before = d.heard.Count()
		if ctxsync.Sleep(ctx, quietTime) != nil {
			return
		}
	}
}

var (
	// pageLink and moduleLink find what pages and modules load from their own host.
	pageLink   = regexp.MustCompile(`(?:src|href)="(/[^"\s]+)"|import\(?\s*["'](/[^"'\s]+)["']`)
	moduleLink = regexp.MustCompile(`(?:from|import)\s*\(?\s*["'](/[^"'\s]+)["']`)
)

// linksIn returns the project's modules to which an answer links. It leaves out
// packages and the tools' own modules.
func linksIn(said answer) []string {
	find := moduleLink
	switch {
	case strings.HasPrefix(said.kind, "text/html"):
		find = pageLink
	case !strings.Contains(said.kind, "javascript"):
		return nil
	}
	var links []string
	for _, found := range find.FindAllSubmatch(said.body, -1) {
		link := string(found[1])
		if link == "" {
			link = string(found[2])
		}
		if isOfProject(link) {
			links = append(links, link)
		}
	}
	return links
}

func isOfProject(link string) bool {
	if strings.HasPrefix(link, "//") || strings.Contains(link, "/node_modules/") || strings.HasPrefix(link, clientDir) {
		return false
	}
	for _, own := range []string{"/@vite/", "/@id/", "/@react-refresh", "/@vite-plugin"} {
		if strings.HasPrefix(link, own) {
			return false
		}
	}
	return true
}

// clientDir is the path of the preview host's own files.
const clientDir = "/@atelier/"

// sourceOf returns the file of a module's path, "" for a page.
func sourceOf(path string) string {
	path, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(path, "/"), "@fs/app/"), "?")
	if _, err := core.ParsePath(path); err != nil {
		return ""
	}
	return path
}
