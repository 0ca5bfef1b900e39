package tailwindclass

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	tokenPattern   = regexp.MustCompile(`^var\(--([a-z0-9-]+)\)$`)
	spacingPattern = regexp.MustCompile(`^calc\(var\(--spacing\) \* (-?\d+(?:\.\d+)?)\)$`)
	pixelPattern   = regexp.MustCompile(`^(\d+)px$`)
	columnsPattern = regexp.MustCompile(`^repeat\((\d+), ?minmax\(0(?:px)?, ?1fr\)\)$`)
	plainColour    = regexp.MustCompile(`^(#[0-9a-fA-F]{3,8}|(rgb|rgba|hsl|hsla|hwb|lab|lch|oklab|oklch)\(.*\))$`)
	plainLength    = regexp.MustCompile(`^-?(\d+\.?\d*|\.\d+)(px|rem|em|%)$`)
)

// classOf returns the class of a declaration.
func classOf(property, value string) string {
	if class, is := keywords[property+": "+strings.ToLower(value)]; is {
		return class
	}
	if root, is := spacings[property]; is {
		return spacingClass(property, root, value)
	}
	if root, is := colours[property]; is {
		hint := "color:"
		if plainColour.MatchString(value) {
			hint = ""
		}
		return themed(value, root, "color", hint)
	}
	if root, is := corners[property]; is {
		return radiusClass(root, value)
	}
	if root, is := edges[property]; is {
		return widthClass(root, value)
	}
	switch property {
	case "font-size":
		hint := "length:"
		if plainLength.MatchString(value) {
			hint = ""
		}
		return themed(value, "text", "text", hint)
	case "font-weight":
		if name, is := weights[value]; is {
			return "font-" + name
		}
		return themed(value, "font", "font-weight", "weight:")
	case "font-family":
		return themed(strings.ReplaceAll(value, `"`, "'"), "font", "font", "family-name:")
	case "line-height":
		if n, is := spacingOf(value); is && !strings.HasPrefix(n, "-") {
			return "leading-" + n
		}
		return themed(value, "leading", "leading", "")
	case "letter-spacing":
		return themed(value, "tracking", "tracking", "")
	case "box-shadow":
		return themed(value, "shadow", "shadow", "")
	case "opacity":
		return opacityClass(value)
	case "grid-template-columns":
		if found := columnsPattern.FindStringSubmatch(value); found != nil {
			return "grid-cols-" + found[1]
		}
		return "grid-cols-" + arbitrary(value)
	case "z-index":
		if n, err := strconv.Atoi(value); err == nil && n >= 0 {
			return "z-" + value
		}
		return "z-" + arbitrary(value)
	}
	return "[" + property + ":" + underscored(value) + "]"
}

// themed returns the class of a token of a namespace of the theme, else of an arbitrary
// value. hint tells Tailwind what kind of value it is.
func themed(value, root, namespace, hint string) string {
	if found := tokenPattern.FindStringSubmatch(value); found != nil {
		if name, is := strings.CutPrefix(found[1], namespace+"-"); is && !strings.Contains(name, "--") {
			return root + "-" + name
		}
	}
	return root + "-[" + hint + underscored(value) + "]"
}

func arbitrary(value string) string { return "[" + underscored(value) + "]" }

// underscored writes blanks as Tailwind reads them.
func underscored(value string) string { return strings.ReplaceAll(value, " ", "_") }

// spacingOf returns the multiple of the spacing unit that a value is.
func spacingOf(value string) (string, bool) {
	switch value {
	case "0", "0px", "0rem":
		return "0", true
	case "1px":
		return "px", true
	case "var(--spacing)":
		return "1", true
	}
	found := spacingPattern.FindStringSubmatch(value)
	if found == nil {
		return "", false
	}
	n, err := strconv.ParseFloat(found[1], 64)
	if err != nil || n*4 != float64(int(n*4)) {
		return "", false
	}
	return strconv.FormatFloat(n, 'f', -1, 64), true
}

func spacingClass(property, root, value string) string {
	if n, is := spacingOf(value); is {
		if rest, negative := strings.CutPrefix(n, "-"); negative {
			return "-" + root + "-" + rest
		}
		return root + "-" + n
	}
	if name, is := map[string]string{"auto": "auto", "100%": "full", "fit-content": "fit", "min-content": "min", "max-content": "max"}[value]; is && takesKeyword(property, value) {
		return root + "-" + name
	}
	switch {
	case value == "100vw" && strings.HasSuffix(property, "width"), value == "100vh" && strings.HasSuffix(property, "height"):
		return root + "-screen"
	case value == "none" && strings.HasPrefix(property, "max-"):
		return root + "-none"
	case strings.HasSuffix(property, "width"):
		return themed(value, root, "container", "")
	}
	return root + "-" + arbitrary(value)
}

// takesKeyword reports whether a spacing utility has a name for a value.
func takesKeyword(property, value string) bool {
	isSize := strings.HasSuffix(property, "width") || strings.HasSuffix(property, "height")
	isPlace := slices.Contains(strings.Fields("top right bottom left inset flex-basis"), property)
	switch value {
	case "auto":
		return strings.HasPrefix(property, "margin") || isPlace || isSize && !strings.HasPrefix(property, "max-")
	case "100%":
		return isSize || isPlace
	}
	return isSize
}

func radiusClass(root, value string) string {
	switch found := pixelPattern.FindStringSubmatch(value); {
	case value == "0" || value == "0px":
		return root + "-none"
	case value == "var(--radius)":
		return root
	case strings.Contains(value, "infinity") || found != nil && len(found[1]) >= 4:
		return root + "-full"
	}
	return themed(value, root, "radius", "")
}

func widthClass(root, value string) string {
	if value == "0" {
		return root + "-0"
	}
	found := pixelPattern.FindStringSubmatch(value)
	switch {
	case found == nil || len(found[1]) > 3:
		return root + "-[length:" + underscored(value) + "]"
	case found[1] == "1":
		return root
	}
	return root + "-" + found[1]
}

func opacityClass(value string) string {
	n, err := strconv.ParseFloat(strings.TrimSuffix(value, "%"), 64)
	if !strings.HasSuffix(value, "%") {
		n *= 100
	}
	if rounded := float64(int(n + 0.5)); err == nil && n >= 0 && n <= 100 && rounded-n < 1e-9 && n-rounded < 1e-9 {
		return "opacity-" + strconv.Itoa(int(rounded))
	}
	return "opacity-" + arbitrary(value)
}
