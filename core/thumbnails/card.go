package thumbnails

import (
	"context"
	"fmt"
	"hash/fnv"
	"html"
	"strings"
	"unicode"

	"github.com/atelierhq/atelier/core"
)

// Card returns an SVG for a project without a picture: its initials on a calm tint of
// its own, so that it does not outshine the pictures around it. Equal projects and names give equal cards. Errors are those of
// access.Gate.Project.
func (s *Service) Card(ctx context.Context, by core.Actor, project core.ID) ([]byte, error) {
	found, err := s.deps.Gate.Project(ctx, by, core.ActionProjectRead, project)
	if err != nil {
		return nil, err
	}
	return CardOf(found.ID, found.Name), nil
}

// CardOf is Card for anything that has an id and a name.
func CardOf(id core.ID, name string) []byte {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(id))
	hue := sum.Sum32() % 360
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="%[4]s">
<rect width="%[1]d" height="%[2]d" fill="hsl(%[3]d 16%% 80%%)"/>
<text x="50%%" y="50%%" dominant-baseline="central" text-anchor="middle" font-family="system-ui, sans-serif" font-size="120" font-weight="600" fill="hsl(%[3]d 22%% 34%%)">%[5]s</text>
</svg>
`, Width, Height, hue, html.EscapeString(written(name)), html.EscapeString(initials(name)))
}

// initials are the first letters of the first two words that have letters.
func initials(name string) string {
	var found []rune
	for word := range strings.FieldsSeq(written(name)) {
		for _, r := range word {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				found = append(found, unicode.ToUpper(r))
				break
			}
		}
		if len(found) == 2 {
			break
		}
	}
	return string(found)
}

// written returns a name that is valid in XML, without control characters.
func written(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) || r == unicode.ReplacementChar || r > 0xfffd && r < 0x10000 {
			return ' '
		}
		return r
	}, name)
}
