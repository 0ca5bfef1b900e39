package pgschema

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenKind says what a token is.
type tokenKind int

const (
	// word is a name or a key word. Without quotes it is in lower case, as Postgres reads it.
	word tokenKind = iota
	// text is a literal in quotes or between dollars.
	text
	// number is a literal without a sign.
	number
	// sign is any other character, or a few that belong together.
	sign
)

type token struct {
	kind   tokenKind
	value  string
	quoted bool
}

func (t token) is(words ...string) bool {
	for _, value := range words {
		if !t.quoted && t.kind != text && t.value == value {
			return true
		}
	}
	return false
}

// signs are those of more than one character that expressions have.
var signs = []string{"::", "<=", ">=", "<>", "!=", "||", "->>", "->"}

// scanner reads tokens. What is not closed ends with the SQL.
type scanner struct {
	rest string
	// begins is true at the begin of a line, where a command of psql stands.
	begins bool
}

// scan splits SQL into statements. Comments, commands of psql and the rows of COPY are left out.
func scan(sql string) [][]token {
	s := scanner{rest: sql, begins: true}
	var statements [][]token
	var statement []token
	for {
		next, ok := s.next()
		if ok && !next.is(";") {
			statement = append(statement, next)
			continue
		}
		if len(statement) > 0 {
			statements = append(statements, statement)
			if statement[0].is("copy") && statement[len(statement)-1].is("stdin") {
				s.skipRows()
			}
		}
		if !ok {
			return statements
		}
		statement = nil
	}
}

// skipRows skips the rows of a COPY: all lines up to one with a backslash and a dot.
func (s *scanner) skipRows() {
	_, s.rest, _ = strings.Cut(s.rest, "\n\\.")
	_, s.rest, _ = strings.Cut(s.rest, "\n")
	s.begins = true
}

func (s *scanner) next() (token, bool) {
	s.skipBlanks()
	if s.rest == "" {
		return token{}, false
	}
	s.begins = false
	switch first, _ := utf8.DecodeRuneInString(s.rest); {
	case first == '\'':
		return token{kind: text, value: s.quoted('\'', false)}, true
	case first == '"':
		return token{kind: word, value: s.quoted('"', false), quoted: true}, true
	case (first == 'e' || first == 'E') && strings.HasPrefix(s.rest[1:], "'"):
		s.rest = s.rest[1:]
		return token{kind: text, value: s.quoted('\'', true)}, true
	case first == '$':
		if value, ok := s.betweenDollars(); ok {
			return token{kind: text, value: value}, true
		}
		return token{kind: sign, value: s.take(1)}, true
	case first >= '0' && first <= '9':
		return token{kind: number, value: s.take(countWhile(s.rest, func(r rune) bool { return r == '.' || r >= '0' && r <= '9' }))}, true
	case isLetter(first):
		name := s.take(countWhile(s.rest, func(r rune) bool { return isLetter(r) || r == '$' || unicode.IsDigit(r) }))
		return token{kind: word, value: strings.ToLower(name)}, true
	}
	for _, longer := range signs {
		if strings.HasPrefix(s.rest, longer) {
			return token{kind: sign, value: s.take(len(longer))}, true
		}
	}
	_, size := utf8.DecodeRuneInString(s.rest)
	return token{kind: sign, value: s.take(size)}, true
}

func isLetter(r rune) bool { return r == '_' || unicode.IsLetter(r) }

func countWhile(of string, holds func(rune) bool) int {
	if end := strings.IndexFunc(of, func(r rune) bool { return !holds(r) }); end >= 0 {
		return end
	}
	return len(of)
}

func (s *scanner) take(count int) string {
	taken := s.rest[:count]
	s.rest = s.rest[count:]
	return taken
}

// skipBlanks skips blanks, comments, and lines that are commands of psql.
func (s *scanner) skipBlanks() {
	for s.rest != "" {
		switch {
		case strings.HasPrefix(s.rest, "--"), s.begins && s.rest[0] == '\\':
			_, rest, _ := strings.Cut(s.rest, "\n")
			s.rest, s.begins = rest, true
		case strings.HasPrefix(s.rest, "/*"):
			s.skipComment()
		case strings.ContainsRune(" \t\r\n\f\v\ufeff", firstRune(s.rest)):
			s.begins = s.begins || s.rest[0] == '\n'
			s.take(utf8.RuneLen(firstRune(s.rest)))
		default:
			return
		}
	}
}

func firstRune(of string) rune {
	first, _ := utf8.DecodeRuneInString(of)
	return first
}

// skipComment skips a comment, in which others may stand.
func (s *scanner) skipComment() {
	for depth := 0; s.rest != ""; {
		switch {
		case strings.HasPrefix(s.rest, "/*"):
			depth++
			s.take(2)
		case strings.HasPrefix(s.rest, "*/"):
			depth--
			s.take(2)
			if depth == 0 {
				return
			}
		default:
			s.take(1)
		}
	}
}

// quoted reads what is in quotes. Two quotes are one; with escapes, so is one behind a backslash.
func (s *scanner) quoted(quote byte, escapes bool) string {
	var value strings.Builder
	for s.take(1); s.rest != ""; {
		at := s.rest[0]
		switch {
		case at == quote && strings.HasPrefix(s.rest[1:], string(quote)), escapes && at == '\\' && len(s.rest) > 1:
			value.WriteByte(s.rest[1])
			s.take(2)
		case at == quote:
			s.take(1)
			return value.String()
		default:
			value.WriteByte(at)
			s.take(1)
		}
	}
	return value.String()
}

// betweenDollars reads a text such as $$ … $$ or $body$ … $body$.
func (s *scanner) betweenDollars() (string, bool) {
	name := countWhile(s.rest[1:], func(r rune) bool { return isLetter(r) || unicode.IsDigit(r) })
	if !strings.HasPrefix(s.rest[1+name:], "$") {
		return "", false
	}
	mark := s.take(name + 2)
	value, rest, _ := strings.Cut(s.rest, mark)
	s.rest = rest
	return value, true
}
