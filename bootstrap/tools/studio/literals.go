package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// tokensFile is the one file whose sizes are literal; everything else names them.
const tokensFile = "styles/tokens.css"

// projectTokensFile holds the theme of people's projects, which is not the studio's.
const projectTokensFile = "pages/project/preview/tokens.ts"

var (
	// pixels matches a literal length; weights a literal font weight, but no range of them,
	// as fonts have.
	pixels  = regexp.MustCompile(`\d*\.?\d+px\b`)
	weights = regexp.MustCompile(`\bfont-weight: *\d+ *[;}]`)
	// conditions matches queries for the width of the window or of a container, in which
	// custom properties do not work.
	conditions = regexp.MustCompile(`\((?:min|max)-(?:width|height): *[^)]*\)`)
	// comments matches those of style sheets, and quoted the texts of scripts, in which their
	// styles are.
	comments = regexp.MustCompile(`(?s)/\*.*?\*/`)
	quoted   = regexp.MustCompile("'[^'\n]*'|\"[^\"\n]*\"|`[^`]*`")
)

// checkLiterals fails with the list of literals.
func checkLiterals(web fs.FS) error {
	found, err := literals(web)
	if err != nil || len(found) == 0 {
		return err
	}
	return errors.New(strings.Join(found, "\n"))
}

// literals lists the lengths in pixels and the font weights in the style sheets and scripts
// of the studio that are no tokens.
func literals(web fs.FS) (found []string, err error) {
	err = fs.WalkDir(web, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || name == tokensFile || name == projectTokensFile || strings.HasSuffix(name, ".test.ts") {
			return err
		}
		content, err := fs.ReadFile(web, name)
		if err != nil {
			return err
		}
		switch path.Ext(name) {
		case ".css":
			found = append(found, literalsIn(name, blanked(string(content), comments))...)
		case ".ts", ".tsx":
			// Everything outside of quotes is code.
			found = append(found, literalsIn(name, onlyQuoted(string(content)))...)
		}
		return nil
	})
	return found, err
}

// literalsIn finds the literals in a text whose lines are those of the file.
func literalsIn(name, text string) (found []string) {
	text = blanked(text, conditions)
	for number, line := range strings.Split(text, "\n") {
		for _, kind := range []*regexp.Regexp{pixels, weights} {
			for _, at := range kind.FindAllStringIndex(line, -1) {
				found = append(found, fmt.Sprintf("%s:%d:%d: %s is a literal; name a token of %s", name, number+1, at[0]+1, line[at[0]:at[1]], tokensFile))
			}
		}
	}
	return found
}

// blanked replaces what matches by blanks, so that everything else keeps its place.
func blanked(text string, what *regexp.Regexp) string { return what.ReplaceAllStringFunc(text, blank) }

// onlyQuoted replaces everything outside of quotes by blanks.
func onlyQuoted(text string) string {
	var kept strings.Builder
	last := 0
	for _, at := range quoted.FindAllStringIndex(text, -1) {
		kept.WriteString(blank(text[last:at[0]]) + text[at[0]:at[1]])
		last = at[1]
	}
	return kept.String() + blank(text[last:])
}

func blank(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return ' '
	}, text)
}
