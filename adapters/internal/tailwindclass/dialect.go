package tailwindclass

import (
	"strings"

	"github.com/atelierhq/atelier/ports/markup"
)

// Dialect is how a project writes classes.
type Dialect markup.Dialect

// foreign is the utility of a class that is none of Tailwind's. It sets nothing.
const foreign = "-"

// split separates the variants of a class from its utility, without prefix and without the mark for
// important ones.
func (d Dialect) split(class string) (variants []string, utility string) {
	variants, utility = d.parts(class)
	utility = strings.TrimSuffix(strings.TrimPrefix(utility, "!"), "!")
	switch {
	case d.Prefix == "":
	case !d.Three:
		if len(variants) == 0 || variants[0] != d.Prefix {
			return variants, foreign
		}
		variants = variants[1:]
	case !strings.HasPrefix(utility, "["):
		bare, negative := strings.CutPrefix(utility, "-")
		name, own := strings.CutPrefix(bare, d.Prefix)
		switch {
		case !own:
			return variants, foreign
		case negative:
			name = "-" + name
		}
		utility = name
	}
	return variants, utility
}

// parts cuts a class at the separators outside of brackets.
func (d Dialect) parts(class string) (variants []string, utility string) {
	separator := d.separator()
	depth, begin := 0, 0
	for i := 0; i < len(class); i++ {
		switch class[i] {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		}
		if depth == 0 && strings.HasPrefix(class[i:], separator) {
			variants = append(variants, class[begin:i])
			begin = i + len(separator)
			i = begin - 1
		}
	}
	return variants, class[begin:]
}

func (d Dialect) separator() string {
	if d.Three && d.Separator != "" {
		return d.Separator
	}
	return ":"
}

func (d Dialect) isImportant(class string) bool {
	_, utility := d.parts(class)
	return strings.HasPrefix(utility, "!") || strings.HasSuffix(utility, "!")
}

// written returns a class as it stands in a list. variant is that of a Change.
func (d Dialect) written(variant, class string, important bool) string {
	var all []string
	if variant != "" {
		all = strings.Split(variant, ":")
	}
	if !d.Three {
		if d.Prefix != "" {
			all = append([]string{d.Prefix}, all...)
		}
		if important {
			class += "!"
		}
		return strings.Join(append(all, class), ":")
	}
	if !strings.HasPrefix(class, "[") {
		bare, negative := strings.CutPrefix(class, "-")
		class = d.Prefix + bare
		if negative {
			class = "-" + class
		}
	}
	if important {
		class = "!" + class
	}
	return strings.Join(append(all, class), d.separator())
}
