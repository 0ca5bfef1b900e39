package splice

import (
	"slices"
	"strings"
	"unicode"

	"github.com/atelierhq/atelier/adapters/internal/tailwindclass"
	"github.com/atelierhq/atelier/ports/markup"
)

// kind says what a property of an element is in its source.
type kind int

const (
	kindText kind = iota
	kindAttribute
	kindStyle
	kindClass
)

// target is what a patch of an element sets. name is an HTML attribute, in lower case
// except for properties of components, or a CSS property.
type target struct {
	kind kind
	name string
}

// targetOf returns what a property of an element is: its text, an attribute, or a
// property of its inline style. A name that is both counts as a style, except on a
// component that has such an attribute.
func targetOf(e *element, patch markup.Patch) (target, error) {
	name := patch.Property
	lower := attributeKey(name)
	switch {
	case patch.As != "" || patch.Variant != "":
		return classTarget(patch)
	case name == "textContent":
		return target{kindText, name}, nil
	case !isAttributeName(name):
		return target{}, invalid("%q is not the name of a property", name)
	case strings.HasPrefix(lower, "on") || slices.Contains(forbiddenProperties(), lower):
		return target{}, invalid("%q cannot be set by a patch", name)
	case e.component && e.attribute(lower) != nil:
		return attributeTarget(name, patch.Value)
	case isAttribute(lower):
		return attributeTarget(lower, patch.Value)
	}
	if style := propertyKey(name); isStyle(style) {
		return target{kindStyle, style}, checkStyleValue(patch.Value)
	}
	if e.component || e.attribute(lower) != nil {
		return attributeTarget(name, patch.Value)
	}
	return target{}, invalid("%q is neither an attribute nor a CSS property", name)
}

// classTarget is a declaration that is written as a class.
func classTarget(patch markup.Patch) (target, error) {
	property := propertyKey(patch.Property)
	switch {
	case patch.As != markup.AsClass:
		return target{}, invalid("as must be %q, or left out together with variant", markup.AsClass)
	case !tailwindclass.IsVariant(patch.Variant):
		return target{}, invalid("%.80q is not a variant of classes, such as hover or md:hover", patch.Variant)
	case !isStyle(property) || strings.HasPrefix(property, "-"):
		return target{}, invalid("%q is not a CSS property that classes can set", patch.Property)
	case patch.Value == "":
		return target{kindClass, property}, nil
	}
	return target{kindClass, property}, checkStyleValue(patch.Value)
}

func attributeTarget(name, value string) (target, error) {
	address := slices.Contains(strings.Fields("href src action formaction data poster cite background manifest ping xlink:href to srcset"), attributeKey(name))
	if address && runsCode(value) {
		return target{}, invalid("the address in %s would run code", name)
	}
	return target{kindAttribute, name}, nil
}

// runsCode reports whether browsers run an address as a script. They skip control
// characters and white space.
func runsCode(address string) bool {
	compact := strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			return -1
		}
		return r
	}, address))
	for _, scheme := range []string{"javascript:", "vbscript:", "data:text/html", "data:image/svg", "data:application/xhtml", "data:text/xml"} {
		if strings.HasPrefix(compact, scheme) {
			return true
		}
	}
	return false
}

// forbiddenProperties would run code or are not part of the markup. The style is set
// property by property instead.
func forbiddenProperties() []string {
	return strings.Fields("style srcdoc dangerouslysetinnerhtml innerhtml outerhtml innertext outertext children key ref nodevalue textcontent data-loc http-equiv is")
}

// attributeKey returns the name under which an attribute is looked up: HTML's, in lower
// case.
func attributeKey(name string) string {
	switch lower := strings.ToLower(name); lower {
	case "classname":
		return "class"
	case "htmlfor":
		return "for"
	case "xlinkhref":
		return "xlink:href"
	case "httpequiv":
		return "http-equiv"
	default:
		return lower
	}
}

func isAttributeName(name string) bool {
	for i, r := range name {
		letter := r|0x20 >= 'a' && r|0x20 <= 'z'
		if !letter && (i == 0 && r != '-' || i > 0 && !strings.ContainsRune("0123456789-_:", r)) {
			return false
		}
	}
	return name != "" && len(name) <= 100
}

// isAttribute reports whether a name is an HTML attribute and no CSS property.
func isAttribute(lower string) bool {
	return strings.HasPrefix(lower, "data-") || strings.HasPrefix(lower, "aria-") || slices.Contains(strings.Fields(htmlAttributes), lower)
}

const htmlAttributes = `abbr accept accept-charset accesskey action allow allowfullscreen alt async autocapitalize autocomplete autofocus
	autoplay charset checked cite class cols colspan content contenteditable controls coords crossorigin datetime decoding default
	defaultchecked defaultvalue defer dir dirname disabled download draggable enctype enterkeyhint for form formaction formmethod
	formnovalidate formtarget headers hidden high href hreflang id inert inputmode integrity itemid itemprop itemref itemscope itemtype
	kind label lang list loading loop low max maxlength media method min minlength multiple muted name nomodule nonce novalidate open
	optimum pattern ping placeholder playsinline popover popovertarget poster preload readonly referrerpolicy rel required reversed role
	rows rowspan sandbox scope selected shape sizes slot span spellcheck src srclang srcset start step summary tabindex target title
	translate type usemap value viewbox wrap xlink:href data`

// booleanAttributes are on if present.
func booleanAttributes() []string {
	return strings.Fields(`allowfullscreen async autofocus autoplay checked controls default defaultchecked defer disabled formnovalidate
		hidden inert itemscope loop multiple muted nomodule novalidate open playsinline readonly required reversed selected`)
}

// switchedOn parses the value of a boolean attribute.
func switchedOn(name, value string) (bool, error) {
	switch strings.ToLower(value) {
	case "", "true", attributeKey(name):
		return true, nil
	case "false":
		return false, nil
	}
	return false, invalid("%s must be true or false", name)
}

// jsxName is an attribute's name in JSX.
func jsxName(lower string) string {
	for _, name := range strings.Fields(jsxNames) {
		if attributeKey(name) == lower {
			return name
		}
	}
	return lower
}

const jsxNames = `className htmlFor acceptCharset accessKey allowFullScreen autoCapitalize autoComplete autoFocus autoPlay charSet colSpan
	contentEditable crossOrigin dateTime defaultChecked defaultValue encType enterKeyHint formAction formMethod formNoValidate formTarget
	hrefLang inputMode itemID itemProp itemRef itemScope itemType maxLength minLength noModule noValidate playsInline popoverTarget
	readOnly referrerPolicy rowSpan spellCheck srcLang srcSet tabIndex useMap viewBox xlinkHref`

// propertyKey returns a property's name in CSS, from its CSS or DOM spelling.
func propertyKey(name string) string {
	if strings.HasPrefix(name, "--") {
		return name
	}
	var out strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' && !strings.Contains(name, "-") {
			if i > 0 || slices.ContainsFunc([]string{"Webkit", "Moz", "Ms", "O"}, func(p string) bool { return strings.HasPrefix(name, p) }) {
				out.WriteByte('-')
			}
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

// domKey returns a property's name in the style objects of JSX.
func domKey(name string) string {
	if strings.HasPrefix(name, "--") {
		return name
	}
	parts := strings.Split(strings.TrimPrefix(name, "-ms-"), "-")
	if strings.HasPrefix(name, "-ms-") {
		parts = append([]string{"ms"}, parts...)
	}
	for i, part := range parts {
		if i > 0 && part != "" {
			parts[i] = strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return strings.Join(parts, "")
}

// isPropertyName reports whether a declaration can have a name.
func isPropertyName(name string) bool {
	rest := strings.TrimLeft(name, "-")
	if rest == "" || len(name) > 100 || len(name)-len(rest) > 2 {
		return false
	}
	for i, r := range rest {
		letter := r >= 'a' && r <= 'z' || strings.HasPrefix(name, "--") && (r >= 'A' && r <= 'Z' || r == '_')
		if !letter && (i == 0 && !strings.HasPrefix(name, "--") || !strings.ContainsRune("0123456789-", r)) {
			return false
		}
	}
	return true
}

// isStyle reports whether a name is a CSS property: it begins like one.
func isStyle(name string) bool {
	if !isPropertyName(name) {
		return false
	}
	if strings.HasPrefix(name, "-") || slices.Contains(strings.Fields(styleNames), name) {
		return true
	}
	first, _, hyphen := strings.Cut(name, "-")
	return hyphen && slices.Contains(strings.Fields(styleFamilies), first)
}

// styleNames are the CSS properties of one word, or whose first word names no family.
const styleNames = `all animation appearance azimuth background baseline bottom border clear clip color columns contain container content
	cursor cx cy d direction display fill filter flex float font gap grid height hyphens inset isolation left margin marker mask opacity
	order orphans outline overflow overlay padding page perspective position quotes r resize right rotate rx ry scale size stroke
	tab-size top transform transition transition translate visibility widows width x y z-index zoom accent-color backface-visibility
	backdrop-filter box-shadow box-sizing box-decoration-break break-after break-before break-inside caption-side caret-color
	caret-shape color-scheme column-count column-fill column-gap column-rule column-span column-width contain-intrinsic-size
	content-visibility counter-increment counter-reset counter-set empty-cells field-sizing forced-color-adjust hanging-punctuation
	image-orientation image-rendering initial-letter letter-spacing line-height line-break line-clamp list-style math-depth mix-blend-mode
	object-fit object-position object-view-box paint-order pointer-events print-color-adjust row-gap ruby-align ruby-position
	shape-outside shape-margin shape-image-threshold shape-rendering touch-action unicode-bidi user-select vector-effect vertical-align
	view-transition-name white-space will-change word-break word-spacing word-wrap writing-mode`

// styleFamilies are the first words of the others.
const styleFamilies = `align anchor animation aspect background block border bottom clip color column container contain content counter
	dominant fill flex flood font grid hyphenate image inline inset justify line list margin mask max min math object offset outline
	overflow overscroll padding page perspective place position ruby scroll scrollbar shape stop stroke table text transform transition
	view white word interpolate interactivity reading baseline alignment glyph lighting`
