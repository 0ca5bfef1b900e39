package publish

import "strings"

// references lists the references in a page's script and link elements. Comments,
// and the content of scripts, styles and similar elements, are text. For a page
// with a base element it returns none, because it does not resolve those.
func references(page string) []string {
	var found []string
	for {
		at := strings.IndexByte(page, '<')
		if at < 0 {
			return found
		}
		page = page[at+1:]
		if comment, isComment := strings.CutPrefix(page, "!--"); isComment {
			_, page, _ = strings.Cut(comment, "-->")
			continue
		}
		name := strings.ToLower(leading(page, isLetter))
		if name == "" {
			continue
		}
		var attributes map[string]string
		attributes, page = readAttributes(page[len(name):])
		switch name {
		case "base":
			return nil
		case "script":
			found = appendRef(found, attributes["src"])
		case "link":
			if rel := strings.ToLower(attributes["rel"]); rel == "stylesheet" || rel == "modulepreload" {
				found = appendRef(found, attributes["href"])
			}
		}
		page = skipText(name, page)
	}
}

func appendRef(found []string, ref string) []string {
	if ref = strings.TrimSpace(ref); ref == "" {
		return found
	}
	return append(found, ref)
}

// skipText skips to the end of an element whose content is not markup.
func skipText(name, page string) string {
	switch name {
	case "script", "style", "textarea", "title", "noscript", "template":
	default:
		return page
	}
	for at := 0; ; {
		next := strings.Index(page[at:], "</")
		if next < 0 {
			return ""
		}
		at += next + len("</")
		if len(page)-at >= len(name) && strings.EqualFold(page[at:at+len(name)], name) {
			return page[at:]
		}
	}
}

// readAttributes reads the attributes of a tag, after its name, and returns the
// text after the tag. Of two with one name the first counts.
func readAttributes(rest string) (map[string]string, string) {
	attributes := make(map[string]string)
	for {
		rest = strings.TrimLeft(rest, " \t\r\n\f/")
		if rest == "" || rest[0] == '>' {
			return attributes, strings.TrimPrefix(rest, ">")
		}
		name := leading(rest, isAttributeName)
		if name == "" {
			// An equals sign where a name should be belongs to the name.
			name = rest[:1]
		}
		rest = strings.TrimLeft(rest[len(name):], " \t\r\n\f")
		value := ""
		if after, hasValue := strings.CutPrefix(rest, "="); hasValue {
			value, rest = readValue(strings.TrimLeft(after, " \t\r\n\f"))
		}
		name = strings.ToLower(name)
		if _, known := attributes[name]; !known {
			attributes[name] = value
		}
	}
}

// readValue reads a value, quoted or not.
func readValue(rest string) (value, after string) {
	if rest == "" {
		return "", ""
	}
	if quote := rest[:1]; quote == `"` || quote == "'" {
		value, after, _ = strings.Cut(rest[1:], quote)
		return value, after
	}
	value = leading(rest, func(c byte) bool { return c != '>' && !isSpace(c) })
	return value, rest[len(value):]
}

// leading is the longest beginning of text whose bytes are all wanted.
func leading(text string, wanted func(byte) bool) string {
	for i := range len(text) {
		if !wanted(text[i]) {
			return text[:i]
		}
	}
	return text
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isSpace(c byte) bool { return strings.IndexByte(" \t\r\n\f", c) >= 0 }

func isAttributeName(c byte) bool { return c != '=' && c != '>' && c != '/' && !isSpace(c) }
