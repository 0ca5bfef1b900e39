package builds

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

const (
	// maxPageBytes is how much of a page is searched.
	maxPageBytes = 4 << 20
	// maxWarnings bounds the warnings of a build.
	maxWarnings = 20
)

// judge judges what a build made, a preview as a site: what would refuse a publish is told by the
// preview before. A secret that only a preview shows is a warning there, because a site may leave
// out the code that holds it.
func (m *Maker) judge(ctx context.Context, project core.ID, mode build.Mode, made build.Result) (build.Result, error) {
	if len(made.Diagnostics) > 0 {
		return made, nil
	}
	files := made.Files
	if mode == build.ModePreview {
		files = readable(files)
	}
	exposed, err := m.deps.Environment.Exposed(ctx, project, files)
	if err != nil {
		return build.Result{}, err
	}
	wrong, warnings := judgePages(made.Files)
	warnings = slices.Concat(made.Warnings, warnings)
	if mode == build.ModePreview {
		warnings = append(exposed, warnings...)
	} else {
		wrong = append(exposed, wrong...)
	}
	warnings = warnings[:min(len(warnings), maxWarnings)]
	if len(wrong) > 0 {
		return build.Result{Diagnostics: wrong, Warnings: warnings}, nil
	}
	made.Warnings = warnings
	return made, nil
}

// readable returns what a preview makes of the project's own sources, under their names there:
// bundled packages and source maps are no part of a site.
func readable(files []build.File) []build.File {
	var own []build.File
	for _, file := range files {
		if !file.Immutable && path.Ext(file.Path) != ".map" {
			file.Path = strings.TrimPrefix(file.Path, "@app/")
			own = append(own, file)
		}
	}
	return own
}

// pointers warns of files whose contents stayed with Git LFS.
func pointers(files []build.File) []core.Diagnostic {
	var warnings []core.Diagnostic
	for _, file := range files {
		if core.IsLFSPointer(file.Content) {
			warnings = append(warnings, core.Diagnostic{Path: strings.TrimPrefix(file.Path, "@app/"), Message: "this file is only a pointer of Git LFS: fetch its content with git lfs pull, and upload it to the project"})
		}
	}
	return warnings
}

// judgePages says what is wrong with pages: there must be one to start with, and its module scripts
// must exist. Everything else that a page asks for may come into being later or be missed by nobody,
// so that its absence is a warning.
func judgePages(files []build.File) (wrong, warnings []core.Diagnostic) {
	names := make(map[string]bool, len(files))
	for _, file := range files {
		names[file.Path] = true
	}
	if !names["index.html"] {
		return []core.Diagnostic{{Path: "index.html", Message: "the site has no start page: add an index.html at the root of the project"}}, nil
	}
	for _, file := range files {
		if path.Ext(file.Path) != ".html" {
			continue
		}
		if file.Path == "index.html" && strings.TrimSpace(string(file.Content)) == "" {
			wrong = append(wrong, core.Diagnostic{Path: file.Path, Message: "the start page is empty"})
		}
		for _, ref := range references(string(file.Content[:min(len(file.Content), maxPageBytes)])) {
			target, own := locate(file.Path, ref.address)
			if !own || names[target] {
				continue
			}
			missing := core.Diagnostic{Path: file.Path, Message: fmt.Sprintf("the page loads %q, which the site does not have", ref.address)}
			if ref.essential {
				wrong = append(wrong, missing)
			} else {
				warnings = append(warnings, missing)
			}
		}
	}
	return wrong, append(warnings, pointers(files)...)
}
