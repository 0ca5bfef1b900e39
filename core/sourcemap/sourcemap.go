// Package sourcemap finds the places in sources that places in compiled code come from.
package sourcemap

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// MaxBytes bounds the source maps that are read, because strangers can make code fail.
const MaxBytes = 2 << 20

// Map is a source map of version 3, as builders write it: for a file of code, which place of it comes
// from which place of which source. core imports no modules, and only this small part is needed.
type Map struct {
	Sources  []string `json:"sources"`
	Mappings string   `json:"mappings"`
}

// Parse returns nil if the text is not a source map.
func Parse(text []byte) *Map {
	var m Map
	if len(text) > MaxBytes || json.Unmarshal(text, &m) != nil {
		return nil
	}
	return &m
}

// position is a place in the code or in a source; lines and columns start at 1.
type position struct{ line, column int }

// Locate replaces places in compiled code by those in the sources. code matches such a place; its groups
// are the file, the line, and the column, which may be missing. open returns the map of a file, nil if it has
// none. Unknown places stay.
func Locate(text string, code *regexp.Regexp, open func(file string) *Map) string {
	wanted := map[string]map[position]string{}
	for _, found := range code.FindAllStringSubmatch(text, -1) {
		if wanted[found[1]] == nil {
			wanted[found[1]] = map[position]string{}
		}
		wanted[found[1]][positionOf(found)] = ""
	}
	for file, places := range wanted {
		if m := open(file); m != nil {
			m.find(places)
		}
	}
	return code.ReplaceAllStringFunc(text, func(place string) string {
		found := code.FindStringSubmatch(place)
		if name := wanted[found[1]][positionOf(found)]; name != "" {
			return name
		}
		return place
	})
}

// positionOf reads a match of a place.
func positionOf(found []string) position {
	line, _ := strconv.Atoi(found[2])
	column, _ := strconv.Atoi(found[3])
	return position{line, max(column, 1)}
}

// find sets the source of each wanted place in the code: that of the last segment at or
// before it in its line, or else of the first one after it.
func (m *Map) find(wanted map[position]string) {
	lines := make(map[int][]position)
	for at := range wanted {
		lines[at.line] = append(lines[at.line], at)
	}
	var source, line, column int
	number := 0
	for mapped := range strings.SplitSeq(m.Mappings, ";") {
		number++
		asked := lines[number]
		from := 0
		for segment := range strings.SplitSeq(mapped, ",") {
			fields, good := decodeSegment(segment)
			if !good {
				return
			}
			from += fields[0]
			source, line, column = source+fields[1], line+fields[2], column+fields[3]
			if segment == "" || source < 0 || source >= len(m.Sources) {
				continue
			}
			for _, at := range asked {
				if from < at.column || wanted[at] == "" {
					wanted[at] = fmt.Sprintf("%s:%d:%d", m.Sources[source], line+1, column+1)
				}
			}
		}
	}
}

// decodeSegment decodes a segment: up to five numbers in base64 VLQ. A digit has five bits
// and a continuation bit; the lowest bit of a number is its sign.
func decodeSegment(segment string) (fields [5]int, good bool) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	field, value, shift := 0, 0, 0
	for i := range len(segment) {
		digit := strings.IndexByte(digits, segment[i])
		if digit < 0 || field == len(fields) || shift > 25 {
			return fields, false
		}
		value |= digit & 31 << shift
		if shift += 5; digit&32 != 0 {
			continue
		}
		fields[field] = value >> 1
		if value&1 == 1 {
			fields[field] = -fields[field]
		}
		field, value, shift = field+1, 0, 0
	}
	return fields, shift == 0
}
