package tailwind

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Source is a place of class names that a sheet names: a file, a directory or a pattern,
// from the root of the virtual disk.
type Source struct {
	Pattern string
	Negated bool
}

// Sources returns the places of class names. automatic describes the files that are found
// automatically: "" for the whole project, else a directory or pattern, or none for no
// files.
func (s *Session) Sources() (automatic string, none bool, explicit []Source) {
	for _, source := range s.about.Sources {
		explicit = append(explicit, Source{Pattern: join(source.Base, source.Pattern), Negated: source.Negated})
	}
	var word string
	var root struct{ Base, Pattern string }
	switch {
	case json.Unmarshal(s.about.Root, &word) == nil && word == "none":
		none = true
	case json.Unmarshal(s.about.Root, &root) == nil && root.Pattern != "":
		automatic = join(root.Base, root.Pattern)
	}
	return automatic, none, explicit
}

// join resolves a pattern that a sheet or a configuration in base names. It never leads
// above the root.
func join(base, pattern string) string {
	if strings.HasPrefix(pattern, "/") {
		return path.Clean(pattern)
	}
	return path.Clean("/" + base + "/" + pattern)
}

// Safelist returns the class names that a configuration requests whether they are used or
// not.
func (s *Session) Safelist() []string { return s.about.Safelist }

// Bare reports whether a configuration of version 3 wants no preflight.
func (s *Session) Bare() bool { return s.about.Bare }

// Passive reports whether the sheet has no place for utilities, so that candidates change
// nothing.
func (s *Session) Passive() bool { return s.about.Features&featureUtilities == 0 }

// featureUtilities is the compiler's feature bit for such a place.
const featureUtilities = 16

// Build compiles exactly these candidates, which may be any words. A session can only add
// to what it has compiled before: see [Session.Covers].
func (s *Session) Build(ctx context.Context, candidates []string) (string, error) {
	var added []string
	for _, candidate := range candidates {
		if !s.given[candidate] {
			added = append(added, candidate)
		}
	}
	if len(added) == 0 && s.output != "" {
		return s.output, nil
	}
	text, err := json.Marshal(added)
	if err != nil {
		return "", err
	}
	err = s.machine.During(ctx, func() (err error) {
		s.output, err = s.machine.Call("tailwindBuild", string(text), maxOutput)
		if len(s.output) > utf8.UTFMax*maxOutput {
			return errors.New("the style sheet grows too large")
		}
		return err
	})
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", mistakeOf(err.Error(), "")
	}
	for _, candidate := range added {
		s.given[candidate] = true
	}
	return s.output, nil
}

// Covers reports whether the session, which keeps all earlier candidates, would compile
// these as a new session does: no earlier candidate that left a trace in the output is
// missing from them.
func (s *Session) Covers(candidates []string) bool {
	if s.machine.Broken {
		return false
	}
	missing := maps.Clone(s.given)
	for _, candidate := range candidates {
		delete(missing, candidate)
	}
	if len(missing) > maxMissing {
		return false
	}
	for candidate := range missing {
		if strings.HasPrefix(candidate, "--") && names(s.output, candidate) || names(s.output, "."+escape(candidate)) {
			return false
		}
	}
	return true
}

// maxMissing bounds the search of [Session.Covers]. A new session takes less time than a
// longer search.
const maxMissing = 500

// names reports whether a whole name occurs in a sheet.
func names(sheet, name string) bool {
	for {
		_, after, found := strings.Cut(sheet, name)
		if !found {
			return false
		}
		if after == "" || after[0] != '\\' && !isName(after[0]) {
			return true
		}
		sheet = after
	}
}

// Given returns how many candidates the session has seen. It remembers them all, so
// callers close sessions that have seen too many.
func (s *Session) Given() int { return len(s.given) }

// Close frees the session's memory.
func (s *Session) Close() { s.machine.Close() }

// escape writes a class name as in a selector.
func escape(name string) string {
	var out strings.Builder
	for i, r := range name {
		switch {
		case r >= '0' && r <= '9' && (i == 0 || i == 1 && name[0] == '-'):
			out.WriteString(`\3`)
			out.WriteRune(r)
			out.WriteByte(' ')
		case r == '-' && len(name) == 1:
			out.WriteString(`\-`)
		case r >= 0x80, r == '-', r == '_', r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			out.WriteRune(r)
		default:
			out.WriteByte('\\')
			out.WriteRune(r)
		}
	}
	return out.String()
}

// Sorted returns a set of candidates in order.
func Sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// MaxIdleMemory bounds the memory of an idle session, in bytes.
const MaxIdleMemory = 24 << 20

// Rest reports whether the session is small and sound enough to wait for the next
// candidates.
func (s *Session) Rest() bool {
	if s.machine.Broken {
		return false
	}
	// The engine does not report its memory, but refuses what exceeds its limit.
	err := s.machine.During(context.Background(), func() error {
		s.machine.VM.SetMemoryLimit(MaxIdleMemory)
		_, err := s.machine.Call("tailwindRest")
		return err
	})
	if err != nil {
		return false
	}
	s.machine.VM.SetMemoryLimit(s.machine.Limits.Memory)
	return true
}
