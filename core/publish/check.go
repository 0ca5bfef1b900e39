package publish

import (
	"context"
	"fmt"

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
)

// checkBounds says, in one diagnostic, which bound of a deployment a build does not keep.
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
