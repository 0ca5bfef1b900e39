package environment

import (
	"bytes"
	"context"
	"html"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

// minSecretChars is how long a value is at least that is looked for, without the
// white space at its ends. Shorter ones, such as "true" and "8080", stand in many a
// file by chance.
const minSecretChars = 8

// secret is a value that must not be published.
type secret struct {
	key   string
	value []byte
}

// Exposed looks for the project's other values, those that are not Public, in the
// files of a build, and returns a diagnostic for each file and key, which names both
// and nothing of the value.
//
// A value is found as it stands, and as the escapes of JavaScript, JSON and HTML
// write it, also twice over, as JSON holds a script. It is not found in another
// encoding, such as Base64, in pieces, or when it has less than 8 characters.
func (s *Service) Exposed(ctx context.Context, project core.ID, files []build.File) ([]core.Diagnostic, error) {
	var secrets []secret
	hidden := func(v core.Variable) bool { return !v.Public() }
	err := s.open(ctx, project, hidden, func(key, value string) {
		if value = strings.TrimSpace(value); utf8.RuneCountInString(value) >= minSecretChars {
			secrets = append(secrets, secret{key, withPlainEnds([]byte(value))})
		}
	})
	if err != nil || len(secrets) == 0 {
		return nil, err
	}
	var found []core.Diagnostic
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		readings := readingsOf(file.Content)
		for _, secret := range secrets {
			if isIn(readings, secret.value) {
				found = append(found, core.Diagnostic{
					Path: file.Path,
					Message: "the site would show the value of " + secret.key + ": only values whose keys begin with " +
						core.PublicVariablePrefix + " may be published",
				})
			}
		}
	}
	return found, nil
}

func isIn(readings [][]byte, value []byte) bool {
	for _, reading := range readings {
		if bytes.Contains(reading, value) {
			return true
		}
	}
	return false
}

// readingsOf returns a file as it stands and as those may read it who undo its
// escapes.
func readingsOf(content []byte) [][]byte {
	readings := [][]byte{withPlainEnds(content)}
	for range 2 {
		last := readings[len(readings)-1]
		if bytes.IndexByte(last, '\\') < 0 {
			break
		}
		readings = append(readings, withPlainEnds(unescaped(last)))
	}
	for _, reading := range readings {
		if bytes.IndexByte(reading, '&') >= 0 {
			readings = append(readings, []byte(html.UnescapeString(string(reading))))
		}
	}
	return readings
}

// withPlainEnds ends lines as JavaScript reads them.
func withPlainEnds(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }
