package pocketbase

import (
	"encoding/json"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// checkStatements rejects SQL in a schema that is more than one statement, or not of the
// expected kind. Otherwise a view could attach another project's database.
func checkStatements(schema backend.Schema) error {
	for _, collection := range schema.Collections {
		if collection.Type == backend.View {
			var query string
			if err := json.Unmarshal(collection.Options["viewQuery"], &query); err != nil || checkSelect(query) != nil {
				return &backend.Problem{Collection: collection.Name, Member: "viewQuery", Message: "viewQuery must be one SELECT."}
			}
		}
		for _, index := range collection.Indexes {
			if checkStatement(index, "create") != nil {
				return &backend.Problem{Collection: collection.Name, Member: "indexes", Message: "An index must be one CREATE INDEX statement."}
			}
		}
	}
	return nil
}

// checkSelect returns core.CodeValidationFailed unless the text is one SELECT.
func checkSelect(sql string) error { return checkStatement(sql, "select", "with", "values") }

// checkStatement returns core.CodeValidationFailed unless the text is one statement that
// begins with one of the words. A semicolon may only be at the end, strings and comments
// must be closed, and parentheses balanced, so that text around the statement cannot become
// part of it.
func checkStatement(sql string, words ...string) error {
	refusal := core.Errorf(core.CodeValidationFailed, "the query must be one %s statement", strings.ToUpper(words[0]))
	// PocketBase's query builder would replace these, even in quoted texts.
	for _, placeholder := range []string{"[[", "{{", "{:"} {
		if strings.Contains(sql, placeholder) {
			return core.Errorf(core.CodeValidationFailed, "the query must not contain %s", placeholder)
		}
	}
	scan := scanner{text: sql}
	first, depth, ended := "", 0, false
	for {
		token, ok := scan.next()
		if !ok {
			break
		}
		if ended || scan.broken {
			return refusal
		}
		if first == "" {
			first = strings.ToLower(token)
		}
		switch token {
		case "(":
			depth++
		case ")":
			depth--
		case ";":
			ended = true
		}
		if depth < 0 {
			return refusal
		}
	}
	if scan.broken || depth != 0 {
		return refusal
	}
	for _, word := range words {
		if first == word {
			return nil
		}
	}
	return refusal
}

// scanner splits SQL into words, quoted texts and single characters, as SQLite does. It
// skips white space and comments.
type scanner struct {
	text string
	// broken is true after an unclosed text or comment, or a NUL.
	broken bool
}

// next returns the next token, or false at the end.
func (s *scanner) next() (string, bool) {
	s.skip()
	if s.text == "" || s.broken {
		return "", false
	}
	c := s.text[0]
	switch c {
	case 0:
		s.broken = true
		return "", false
	case '\'', '"', '`':
		return s.quoted(c)
	case '[':
		return s.until("]", 1)
	}
	length := 1
	if isWord(c) {
		for length < len(s.text) && isWord(s.text[length]) {
			length++
		}
	}
	token := s.text[:length]
	s.text = s.text[length:]
	return token, true
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// quoted returns a quoted text. A doubled quote is an escaped one.
func (s *scanner) quoted(quote byte) (string, bool) {
	for i := 1; i < len(s.text); i++ {
		if s.text[i] != quote {
			continue
		}
		if i+1 < len(s.text) && s.text[i+1] == quote {
			i++
			continue
		}
		token := s.text[:i+1]
		s.text = s.text[i+1:]
		return token, true
	}
	s.broken = true
	return "", false
}

func (s *scanner) until(end string, from int) (string, bool) {
	at := strings.Index(s.text[from:], end)
	if at < 0 {
		s.broken = true
		return "", false
	}
	at += from + len(end)
	token := s.text[:at]
	s.text = s.text[at:]
	return token, true
}

// skip drops white space and comments.
func (s *scanner) skip() {
	for {
		s.text = strings.TrimLeft(s.text, " \t\n\f\r")
		switch {
		case strings.HasPrefix(s.text, "--"):
			_, rest, _ := strings.Cut(s.text, "\n")
			s.text = rest
		case strings.HasPrefix(s.text, "/*"):
			if _, ok := s.until("*/", 2); !ok {
				return
			}
		default:
			return
		}
	}
}
