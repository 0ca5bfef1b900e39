package tailwindclass

import (
	"regexp"
	"slices"
	"strings"
)

// properties returns the properties that a class without variants sets, none if it is not
// known.
func properties(utility string) []string {
	if inner, is := strings.CutPrefix(utility, "["); is {
		property, _, _ := strings.Cut(inner, ":")
		return longhands(property)
	}
	if property, is := keywordClasses[utility]; is {
		return longhands(property)
	}
	name := withoutModifier(strings.TrimPrefix(utility, "-"))
	root, rest := name, ""
	// Brackets may hold hyphens.
	limit := len(name)
	if at := strings.IndexAny(name, "[("); at >= 0 {
		limit = at
	}
	for {
		if property := propertyOf(root, rest); property != "" {
			return longhands(property)
		}
		at := strings.LastIndexByte(root[:min(limit, len(root))], '-')
		if at < 0 {
			return nil
		}
		root, rest = name[:at], name[at+1:]
	}
}

// withoutModifier cuts what follows a slash, such as an opacity.
func withoutModifier(name string) string {
	depth := 0
	for i := range len(name) {
		switch name[i] {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case '/':
			if depth == 0 {
				return name[:i]
			}
		}
	}
	return name
}

var (
	sizePattern  = regexp.MustCompile(`^(xs|sm|base|lg|\d*xl|\[(length|percentage|absolute-size|relative-size):.*\]|\[-?[\d.]+[a-z%]+\]|\[(clamp|calc|min|max)\(.*\]|\(length:.*\))$`)
	widthPattern = regexp.MustCompile(`^(|px|\d+|\[length:.*\]|\[[\d.]+[a-z]+\]|\(length:.*\))$`)
	depthPattern = regexp.MustCompile(`^(|inner|2xs|xs|sm|md|lg|xl|2xl|\[[^#].* .*\]|\[.*_.*\])$`)
	partPattern  = regexp.MustCompile(`^\d+$|^\d+/\d+$|^\[.*\]$`)
	heavyPattern = regexp.MustCompile(`^(thin|extralight|light|normal|medium|semibold|bold|extrabold|black|\[\d+\]|\[weight:.*\]|\(weight:.*\))$`)
	thickPattern = regexp.MustCompile(`^(\d+|auto|from-font|\[length:.*\]|\[[\d.]+(px|rem|em|%)\])$`)
)

// propertyOf returns the property that a utility sets, "" if there is none with that root.
func propertyOf(root, rest string) string {
	switch root {
	case "text":
		return either(sizePattern.MatchString(rest), "font-size", "color")
	case "font":
		return either(heavyPattern.MatchString(rest), "font-weight", "font-family")
	case "bg":
		if strings.HasPrefix(rest, "linear-") || strings.HasPrefix(rest, "gradient-") || strings.HasPrefix(rest, "radial") || strings.HasPrefix(rest, "conic") || strings.HasPrefix(rest, "[url(") {
			return "background-image"
		}
		if slices.ContainsFunc(strings.Fields("clip- origin- blend- repeat- size- position-"), func(p string) bool { return strings.HasPrefix(rest, p) }) {
			return "background-" + rest[:strings.IndexByte(rest, '-')]
		}
		return "background-color"
	case "border", "border-t", "border-r", "border-b", "border-l":
		side := map[string]string{"t": "-top", "r": "-right", "b": "-bottom", "l": "-left"}[strings.TrimPrefix(root, "border-")]
		return "border" + side + either(widthPattern.MatchString(rest), "-width", "-color")
	case "border-x", "border-y":
		return root + either(widthPattern.MatchString(rest), "-width", "-color")
	case "outline":
		return either(widthPattern.MatchString(rest), "outline-width", "outline-color")
	case "decoration":
		return either(thickPattern.MatchString(rest), "text-decoration-thickness", either(slices.Contains(strings.Fields("solid double dotted dashed wavy"), rest), "text-decoration-style", "text-decoration-color"))
	case "shadow":
		return either(depthPattern.MatchString(rest), "box-shadow", "shadow-color")
	case "flex":
		return either(partPattern.MatchString(rest), "flex", "")
	case "rounded":
		return "border-radius"
	case "rounded-t", "rounded-r", "rounded-b", "rounded-l", "size", "grow", "shrink":
		return map[string]string{"grow": "flex-grow", "shrink": "flex-shrink"}[root] + either(root == "grow" || root == "shrink", "", root)
	}
	if slices.Contains(strings.Fields("leading tracking opacity grid-cols z aspect cursor inset-x inset-y"), root) {
		return pairs(`leading line-height tracking letter-spacing opacity opacity grid-cols grid-template-columns z z-index
			aspect aspect-ratio cursor cursor inset-x inset-inline inset-y inset-block`)[root]
	}
	for _, table := range []map[string]string{spacings, corners, colours} {
		for property, class := range table {
			if class == root && rest != "" {
				return property
			}
		}
	}
	return ""
}

func either(is bool, then, otherwise string) string {
	if is {
		return then
	}
	return otherwise
}

// longhands returns what a property consists of; itself if it is no shorthand.
func longhands(property string) []string {
	for line := range strings.Lines(shorthands) {
		name, parts, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if name == property {
			return strings.Fields(parts)
		}
	}
	if property == "" {
		return nil
	}
	return []string{property}
}

const shorthands = `padding: padding-top padding-right padding-bottom padding-left padding-inline-start padding-inline-end
	padding-inline: padding-right padding-left padding-inline-start padding-inline-end
	padding-block: padding-top padding-bottom
	margin: margin-top margin-right margin-bottom margin-left margin-inline-start margin-inline-end
	margin-inline: margin-right margin-left margin-inline-start margin-inline-end
	margin-block: margin-top margin-bottom
	gap: row-gap column-gap
	inset: top right bottom left
	inset-inline: right left
	inset-block: top bottom
	size: width height
	overflow: overflow-x overflow-y
	flex: flex-grow flex-shrink flex-basis
	background: background-color background-image background-size background-position background-repeat background-attachment
	font: font-size font-weight font-family font-style line-height
	border: border-top-width border-right-width border-bottom-width border-left-width border-top-color border-right-color border-bottom-color border-left-color border-style
	border-width: border-top-width border-right-width border-bottom-width border-left-width
	border-x-width: border-right-width border-left-width
	border-y-width: border-top-width border-bottom-width
	border-color: border-top-color border-right-color border-bottom-color border-left-color
	border-x-color: border-right-color border-left-color
	border-y-color: border-top-color border-bottom-color
	border-radius: border-top-left-radius border-top-right-radius border-bottom-right-radius border-bottom-left-radius
	rounded-t: border-top-left-radius border-top-right-radius
	rounded-r: border-top-right-radius border-bottom-right-radius
	rounded-b: border-bottom-right-radius border-bottom-left-radius
	rounded-l: border-top-left-radius border-bottom-left-radius
	text-decoration: text-decoration-line text-decoration-color text-decoration-style text-decoration-thickness`
