package quickjs

import (
	"encoding/json"
	"net/url"
	"strings"
)

// address is a URL in the form that the scripts of web use.
type address struct {
	Href     string `json:"href"`
	Protocol string `json:"protocol"`
	Username string `json:"username"`
	Password string `json:"password"`
	Host     string `json:"host"`
	Hostname string `json:"hostname"`
	Port     string `json:"port"`
	Pathname string `json:"pathname"`
	Search   string `json:"search"`
	Hash     string `json:"hash"`
}

// defaultPort returns the default port of a scheme, and whether the scheme is special in
// the sense of the URL standard.
func defaultPort(scheme string) (port string, special bool) {
	switch scheme {
	case "http", "ws":
		return "80", true
	case "https", "wss":
		return "443", true
	case "ftp":
		return "21", true
	}
	return "", false
}

// maxAddressBytes bounds a URL.
const maxAddressBytes = 64 << 10

// parseURL returns an address as JSON, or an empty text if it is invalid.
func parseURL(text, base string) string {
	if len(text) > maxAddressBytes || len(base) > maxAddressBytes {
		return ""
	}
	parsed := parseAddress(text)
	if base != "" {
		from := parseAddress(base)
		if from == nil || !from.IsAbs() {
			return ""
		}
		if parsed == nil {
			return ""
		}
		parsed = from.ResolveReference(parsed)
	}
	if parsed == nil || !parsed.IsAbs() {
		return ""
	}
	return describeURL(parsed)
}

// parseAddress parses a URL as leniently as browsers do: it trims white space and escapes
// invalid characters.
func parseAddress(text string) *url.URL {
	text = strings.TrimFunc(text, func(r rune) bool { return r <= ' ' })
	text = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(text)
	parsed, err := url.Parse(escapeControls(text))
	if err != nil {
		return nil
	}
	return parsed
}

// escapeControls escapes blanks and percent signs that do not begin an escape.
func escapeControls(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		lone := c == '%' && (i+2 >= len(text) || !isHex(text[i+1]) || !isHex(text[i+2]))
		switch {
		case lone:
			out.WriteString("%25")
		case c <= ' ' || c == 0x7f:
			const digits = "0123456789ABCDEF"
			out.Write([]byte{'%', digits[c>>4], digits[c&15]})
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// describeURL normalises an absolute URL and splits it into its parts.
func describeURL(parsed *url.URL) string {
	parsed.Scheme = strings.ToLower(parsed.Scheme)
	port, special := defaultPort(parsed.Scheme)
	if special && parsed.Host == "" {
		return ""
	}
	host := strings.ToLower(parsed.Hostname())
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	found := address{Hostname: host}
	if given := parsed.Port(); given != "" && given != port {
		found.Port = given
	}
	parsed.Host = host
	return describeHost(parsed, found, special)
}

func describeHost(parsed *url.URL, found address, special bool) string {
	if found.Port != "" {
		parsed.Host += ":" + found.Port
	}
	if special {
		if parsed.Path == "" {
			parsed.Path = "/"
		}
		parsed = parsed.ResolveReference(&url.URL{Path: "", RawQuery: parsed.RawQuery, Fragment: parsed.Fragment, RawFragment: parsed.RawFragment})
		parsed.Path, parsed.RawPath = cleanPath(parsed)
	}
	found.Protocol, found.Host, found.Pathname = parsed.Scheme+":", parsed.Host, parsed.EscapedPath()
	if parsed.Opaque != "" {
		found.Pathname = parsed.Opaque
	}
	if parsed.User != nil {
		found.Username = url.PathEscape(parsed.User.Username())
		password, _ := parsed.User.Password()
		found.Password = url.PathEscape(password)
	}
	if parsed.RawQuery != "" {
		found.Search = "?" + parsed.RawQuery
	}
	if fragment := parsed.EscapedFragment(); fragment != "" {
		found.Hash = "#" + fragment
	}
	found.Href = parsed.String()
	text, err := json.Marshal(found)
	if err != nil {
		return ""
	}
	return string(text)
}

// cleanPath removes "." and ".." segments.
func cleanPath(parsed *url.URL) (path, raw string) {
	resolved := (&url.URL{Scheme: parsed.Scheme, Host: parsed.Host, Path: "/"}).ResolveReference(&url.URL{Path: parsed.Path, RawPath: parsed.RawPath})
	return resolved.Path, resolved.RawPath
}

// changeURL sets one part of an address, given as JSON. It returns an empty text if the
// value is invalid.
func changeURL(parts, member, value string) string {
	var found address
	if len(value) > maxAddressBytes || json.Unmarshal([]byte(parts), &found) != nil {
		return ""
	}
	switch member {
	case "protocol":
		found.Protocol = strings.TrimSuffix(value, ":") + ":"
	case "username":
		found.Username = url.PathEscape(value)
	case "password":
		found.Password = url.PathEscape(value)
	case "host":
		found.Host = value
	case "hostname":
		found.Host = value + colon(found.Port)
	case "port":
		found.Host = found.Hostname + colon(value)
	case "pathname":
		found.Pathname = "/" + strings.NewReplacer("?", "%3F", "#", "%23").Replace(strings.TrimPrefix(value, "/"))
	case "search":
		found.Search = prefixed("?", strings.ReplaceAll(value, "#", "%23"))
	case "hash":
		found.Hash = prefixed("#", value)
	default:
		return ""
	}
	return parseURL(found.Protocol+"//"+userOf(found)+found.Host+found.Pathname+found.Search+found.Hash, "")
}

func colon(port string) string {
	if port == "" {
		return ""
	}
	return ":" + port
}

func prefixed(sign, value string) string {
	value = strings.TrimPrefix(value, sign)
	if value == "" {
		return ""
	}
	return sign + value
}

func userOf(found address) string {
	if found.Username == "" && found.Password == "" {
		return ""
	}
	if found.Password != "" {
		return found.Username + ":" + found.Password + "@"
	}
	return found.Username + "@"
}
