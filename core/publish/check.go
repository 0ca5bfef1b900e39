package publish

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sites"
)

// Bounds of a site.
const (
	// MaxSiteFiles and MaxSiteBytes bound a deployment, MaxSiteFileBytes one of its
	// files.
	MaxSiteFiles     = 20_000
	MaxSiteBytes     = 1 << 30
	MaxSiteFileBytes = 100 << 20
	// maxPageBytes is how much of a page is parsed.
	maxPageBytes = 4 << 20
)

// checkSite checks a build before it replaces a working site, and returns what is
// wrong. A site must have a start page, its pages' own scripts and style sheets
// must exist, and it must be within bounds.
func checkSite(files []sites.File) []core.Diagnostic {
	if wrong := checkBounds(files); len(wrong) > 0 {
		return wrong
	}
	names := make(map[string]bool, len(files))
	for _, file := range files {
		names[file.Path] = true
	}
	if !names["index.html"] {
		return []core.Diagnostic{{Path: "index.html", Message: "the site has no start page: add an index.html at the root of the project"}}
	}
	var wrong []core.Diagnostic
	for _, file := range files {
		switch {
		case path.Ext(file.Path) != ".html":
		case file.Path == "index.html" && strings.TrimSpace(string(file.Content)) == "":
			wrong = append(wrong, core.Diagnostic{Path: file.Path, Message: "the start page is empty"})
		default:
			wrong = append(wrong, missingIn(file, names)...)
		}
	}
	return wrong
}

func checkBounds(files []sites.File) []core.Diagnostic {
	if len(files) > MaxSiteFiles {
		return []core.Diagnostic{{Message: fmt.Sprintf("the site has %d files: at most %d can be published", len(files), MaxSiteFiles)}}
	}
	for _, file := range files {
		if len(file.Content) > MaxSiteFileBytes {
			return []core.Diagnostic{{Path: file.Path, Message: fmt.Sprintf("the file is larger than %d MiB", MaxSiteFileBytes>>20)}}
		}
	}
	if size := sizeOf(files); size > MaxSiteBytes {
		return []core.Diagnostic{{Message: fmt.Sprintf("the site has %d MiB: at most %d can be published", size>>20, MaxSiteBytes>>20)}}
	}
	return nil
}

// missingIn returns a diagnostic for each script and style sheet of the site that a
// page refers to and that does not exist.
func missingIn(page sites.File, names map[string]bool) []core.Diagnostic {
	var wrong []core.Diagnostic
	for _, ref := range references(string(page.Content[:min(len(page.Content), maxPageBytes)])) {
		if target, own := locate(page.Path, ref); own && !names[target] {
			wrong = append(wrong, core.Diagnostic{Path: page.Path, Message: fmt.Sprintf("the page loads %q, which the site does not have", ref)})
		}
	}
	return wrong
}

// locate returns the file of the site that a reference names. References to other
// hosts, and those that do not name a file, are not the site's own.
func locate(page, ref string) (target string, own bool) {
	ref, _, _ = strings.Cut(ref, "#")
	ref, _, _ = strings.Cut(ref, "?")
	if strings.HasPrefix(ref, "//") || strings.Contains(ref, ":") || strings.ContainsAny(ref, "%&{}") {
		return "", false
	}
	switch path.Ext(ref) {
	case ".js", ".mjs", ".css":
	default:
		return "", false
	}
	if rooted, isRooted := strings.CutPrefix(ref, "/"); isRooted {
		return path.Clean(rooted), true
	}
	return path.Join(path.Dir(page), ref), true
}

// playChecks refuses a publish if checks of the project fail, or if there was no time to play them.
// Checks that could not be played for another reason are neither passed nor failed, and refuse
// nothing.
func (s *Service) playChecks(ctx context.Context, id core.ID) error {
	limited, cancel := context.WithTimeout(ctx, checksLimit)
	defer cancel()
	failures, err := s.deps.Checks.Failures(limited, id)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if limited.Err() != nil {
			return core.Errorf(core.CodeUnavailable, "the checks were not played within %d minutes, because others are being played: try again, or publish with ignoreChecks", int(checksLimit.Minutes()))
		}
		s.deps.Log.WarnContext(ctx, "could not play the checks of a project before its publish", "project", id, "error", err)
		return nil
	}
	if len(failures) == 0 {
		return nil
	}
	refused := core.Errorf(core.CodeChecksFailed, "%d checks failed: mend them, or publish with ignoreChecks", len(failures))
	if len(failures) == 1 {
		refused.Message = fmt.Sprintf("the check %q failed: mend it, or publish with ignoreChecks", failures[0].Title)
	}
	refused.Checks = failures
	return refused
}
