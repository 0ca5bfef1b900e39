package functions

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/ports/functions"
)

// maxSourceMapBytes bounds the source maps that are read, because strangers can make a
// function fail.
const maxSourceMapBytes = 2 << 20

// sourceMap maps places in a function's code to the sources: a source map of version 3, as
// the builder writes it. core imports no modules, and only this small part is needed.
type sourceMap struct {
	Sources  []string `json:"sources"`
	Mappings string   `json:"mappings"`
}

// parseSourceMap returns nil if the text is not a source map.
func parseSourceMap(text []byte) *sourceMap {
	var m sourceMap
	if len(text) > maxSourceMapBytes || json.Unmarshal(text, &m) != nil {
		return nil
	}
	return &m
}

// inScript matches a place in a function's code, as in functions.Failure.
var inScript = regexp.MustCompile(regexp.QuoteMeta(functions.ScriptName) + `:(\d+)(?::(\d+))?`)

// position is a place in the code or in a source; lines and columns start at 1.
type position struct{ line, column int }

// locate replaces places in the code by those in the sources. Unknown places stay.
func (m *sourceMap) locate(text string) string {
	if m == nil || !strings.Contains(text, functions.ScriptName) {
		return text
	}
	wanted := make(map[position]string)
	for _, found := range inScript.FindAllStringSubmatch(text, -1) {
		wanted[positionOf(found)] = ""
	}
	m.find(wanted)
	return inScript.ReplaceAllStringFunc(text, func(place string) string {
		if name := wanted[positionOf(inScript.FindStringSubmatch(place))]; name != "" {
			return name
		}
		return place
	})
}

// positionOf reads a match of inScript.
func positionOf(found []string) position {
	line, _ := strconv.Atoi(found[1])
	column, _ := strconv.Atoi(found[2])
	return position{line, max(column, 1)}
}

// find sets the source of each wanted place in the code: that of the last segment at or
// before it in its line, or else of the first one after it.
func (m *sourceMap) find(wanted map[position]string) {
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
