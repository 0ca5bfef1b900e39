package webpage

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// declared finds the character set that a page names in its head.
var declared = regexp.MustCompile(`(?i)<meta[^>]{0,200}charset\s*=\s*["']?([a-z0-9_-]{1,40})`)

// maxHead is where a page must have named its character set, in bytes.
const maxHead = 1024

// decode returns content as UTF-8: by its byte order mark, else by the character set that the
// server named, else by the one that the page names. Bytes that do not fit become U+FFFD. It
// returns false for binary content and for an unknown character set of text that is not UTF-8.
func decode(content []byte, charset string) (string, bool) {
	switch {
	case bytes.HasPrefix(content, []byte{0xef, 0xbb, 0xbf}):
		content, charset = content[3:], "utf-8"
	case bytes.HasPrefix(content, []byte{0xff, 0xfe}):
		return decode16(content[2:], binary.LittleEndian), true
	case bytes.HasPrefix(content, []byte{0xfe, 0xff}):
		return decode16(content[2:], binary.BigEndian), true
	}
	if charset == "" {
		if found := declared.FindSubmatch(content[:min(len(content), maxHead)]); found != nil {
			charset = string(found[1])
		}
	}
	charset = strings.ToLower(strings.TrimSpace(charset))
	switch charset {
	case "utf-16", "utf-16le":
		return decode16(content, binary.LittleEndian), true
	case "utf-16be":
		return decode16(content, binary.BigEndian), true
	}
	if bytes.IndexByte(content, 0) >= 0 {
		return "", false
	}
	switch charset {
	case "iso-8859-1", "latin1", "us-ascii", "ascii", "windows-1252", "cp1252", "iso-8859-15":
		if utf8.Valid(content) {
			// Many pages name an old character set and are in UTF-8.
			return string(content), true
		}
		return decode1252(content), true
	case "", "utf-8", "utf8":
		// The last character of a page that was cut may be half.
		return strings.ToValidUTF8(string(content), "\ufffd"), true
	}
	return string(content), utf8.Valid(content)
}

func decode16(content []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(content)/2)
	for i := range units {
		units[i] = order.Uint16(content[2*i:])
	}
	return string(utf16.Decode(units))
}

// upper1252 has the characters of windows-1252 from 0x80 to 0x9f; the others are those of
// Unicode.
const upper1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"

func decode1252(content []byte) string {
	upper := []rune(upper1252)
	var out strings.Builder
	for _, b := range content {
		if b >= 0x80 && b < 0xa0 {
			out.WriteRune(upper[b-0x80])
			continue
		}
		out.WriteRune(rune(b))
	}
	return out.String()
}
