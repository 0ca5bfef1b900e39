package tailwindclass

import (
	"regexp"
	"slices"
	"strings"
)

// MaxVariantBytes bounds a variant.
const MaxVariantBytes = 100

var variantPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*(:[a-z0-9][a-z0-9-]*)*$`)

// IsVariant reports whether a text is a variant, or several joined by colons, such as
// "md:hover", or "" without any.
func IsVariant(variant string) bool {
	return variant == "" || len(variant) <= MaxVariantBytes && variantPattern.MatchString(variant)
}

// Change sets a property under a variant, such as "md:hover". An empty value removes the
// classes that set it.
// Dialect is how classes are written.
type Change struct {
	Variant, Property, Value string
	Dialect                  Dialect
}

// Class returns the class of a change without its variant, "" for an empty value. It
// returns false if the value cannot be written as a class.
func (c Change) Class() (string, bool) {
	if c.Value == "" {
		return "", true
	}
	class := classOf(c.Property, strings.Join(strings.Fields(c.Value), " "))
	return class, isClass(class)
}

// isClass reports whether a class can be written in an attribute and in a string of a
// script without escapes, which Tailwind's scanner would not read.
func isClass(class string) bool {
	depth := 0
	for _, r := range class {
		switch {
		case strings.ContainsRune("[(", r):
			depth++
		case strings.ContainsRune("])", r):
			depth--
		case r <= ' ' || r > '~' || strings.ContainsRune("\"`<>&{}\\;", r):
			return false
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0 && class != "" && len(class) <= 1000
}

// Write returns a list of classes in which the change is made. The new class takes the
// place of the first one that it replaces; all other classes and the white space between
// them stay. It returns false if the value cannot be written as a class.
func Write(classes string, c Change) (string, bool) {
	class, ok := c.Class()
	if !ok {
		return "", false
	}
	replaced := c.Replaced(classes)
	if class != "" {
		important := slices.ContainsFunc(replaced, func(s Span) bool { return c.Dialect.isImportant(classes[s.Start:s.End]) })
		class = c.Dialect.written(c.Variant, class, important)
	}
	return rewrite(classes, replaced, class), true
}

// Span is a range of bytes.
type Span struct{ Start, End int }

// Replaced returns where the classes are that the change replaces: those of the same
// variant that set nothing but what it sets.
func (c Change) Replaced(classes string) []Span {
	own := c.sets()
	var replaced []Span
	for _, at := range words(classes) {
		variants, utility := c.Dialect.split(classes[at.Start:at.End])
		if sameVariants(variants, c.Variant) && overrides(own, properties(utility)) {
			replaced = append(replaced, at)
		}
	}
	return replaced
}

// Touches reports whether a beginning of a class, such as "bg-", can become a class that
// the change replaces.
func (c Change) Touches(begin string) bool {
	variants, utility := c.Dialect.split(begin)
	return utility == "" || sameVariants(variants, c.Variant) && (overrides(c.sets(), properties(utility)) || overrides(c.sets(), properties(strings.TrimSuffix(utility, "-")+"-[x]")))
}

// Covers reports whether a declaration of an inline style sets nothing but what the change
// sets. Hides reports whether it sets that and more.
func (c Change) Covers(property string) bool { return overrides(c.sets(), longhands(property)) }

// Hides is described at Covers.
func (c Change) Hides(property string) bool {
	return !c.Covers(property) && slices.ContainsFunc(longhands(property), func(p string) bool { return slices.Contains(c.sets(), p) })
}

func (c Change) sets() []string { return longhands(c.Property) }

func overrides(own, theirs []string) bool {
	return len(theirs) > 0 && !slices.ContainsFunc(theirs, func(p string) bool { return !slices.Contains(own, p) })
}

// rewrite puts a class in the place of the first of some spans, and removes the others with
// the white space before them. Without spans it appends the class.
func rewrite(classes string, replaced []Span, class string) string {
	if len(replaced) == 0 {
		if class == "" {
			return classes
		}
		body := strings.TrimRight(classes, " \t\r\n")
		if body == "" {
			return class
		}
		return body + " " + class + classes[len(body):]
	}
	var out strings.Builder
	done := 0
	for i, at := range replaced {
		before := classes[done:at.Start]
		if i == 0 && class != "" {
			out.WriteString(before + class)
		} else if kept := strings.TrimRight(before, " \t\r\n"); out.Len() > 0 || kept != "" {
			out.WriteString(kept)
		}
		done = at.End
	}
	rest := classes[done:]
	if out.Len() == 0 {
		rest = strings.TrimLeft(rest, " \t\r\n")
	}
	return out.String() + rest
}

// words returns where the classes of a list are.
func words(classes string) []Span {
	var all []Span
	for at := 0; at < len(classes); {
		if strings.IndexByte(" \t\r\n\f", classes[at]) >= 0 {
			at++
			continue
		}
		length := strings.IndexAny(classes[at:], " \t\r\n\f")
		if length < 0 {
			length = len(classes) - at
		}
		all = append(all, Span{at, at + length})
		at += length
	}
	return all
}

func sameVariants(have []string, want string) bool {
	if want == "" {
		return len(have) == 0
	}
	wanted := strings.Split(want, ":")
	slices.Sort(wanted)
	return slices.Equal(slices.Sorted(slices.Values(have)), wanted)
}
