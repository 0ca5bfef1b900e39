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

// minSecretChars is the least length of a value to look for, without the white space
// at its ends. Shorter ones, such as "true" and "8080", are in many files by chance.
const minSecretChars = 8

// secret is a value that must not be published.
type secret struct {
	key   string
	value []byte
}

// Exposed looks for the values that are not Public in the files of a build. It
// returns a diagnostic for each file and key, which names both but does not quote
// the value.
//
// It finds a value literally, and with the escapes of JavaScript, JSON and HTML,
// also escaped twice, like a script in JSON. It does not find a value in another
// encoding, such as Base64, in pieces, or with less than 8 characters.
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
					Message: "the site would expose the value of " + secret.key + ": only values whose keys begin with " +
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

// readingsOf returns the content of a file, and its readings with escapes undone.
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

// withPlainEnds normalises line ends as JavaScript does.
func withPlainEnds(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }
