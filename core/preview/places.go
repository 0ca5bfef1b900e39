package preview

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/sourcemap"
	"github.com/atelierhq/atelier/ports/build"
)

// Places in what a preview serves, as browsers write them in stacks, with or without its address.
var (
	inModule = regexp.MustCompile(`(?:https?://[^\s()/]+)?/(@app/[^\s()?:]+)(?:\?[^\s():]*)?:(\d+)(?::(\d+))?`)
	// ofPackage matches the line of a stack that is in a package.
	ofPackage = regexp.MustCompile(`^\s*at .*/@deps/`)
)

// InSources returns what a page of a preview said with the places in its modules as those in the project's
// sources, and without the lines of stacks that are in packages: nobody can mend those.
func (s *Service) InSources(project core.ID, text string) string {
	if !strings.Contains(text, "/@") {
		return text
	}
	kept := s.Kept(project)
	if kept == nil {
		return text
	}
	lines := slices.DeleteFunc(strings.Split(text, "\n"), ofPackage.MatchString)
	return sourcemap.Locate(strings.Join(lines, "\n"), inModule, func(module string) *sourcemap.Map {
		at, found := slices.BinarySearchFunc(kept.Files, path.Clean(module)+".map", func(file build.File, name string) int {
			return strings.Compare(file.Path, name)
		})
		if !found {
			return nil
		}
		return sourcemap.Parse(kept.Files[at].Content)
	})
}
