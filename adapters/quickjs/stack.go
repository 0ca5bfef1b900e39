package quickjs

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/ports/functions"
)

// The engine's format of stack frames.
var (
	place     = regexp.MustCompile(`<eval>:(\d+)(:\d+)?`)
	ownCaller = regexp.MustCompile(`(?m)^ *at call \(native\)\n?`)
)

// namePlaces replaces the places in a stack by those in the function's code, which starts
// after a number of other lines, and omits frames of the scripts of web.
func namePlaces(text string, before int) string {
	if !strings.Contains(text, "<eval>:") {
		return text
	}
	var kept strings.Builder
	for line := range strings.Lines(text) {
		found := place.FindStringSubmatchIndex(line)
		if found == nil {
			kept.WriteString(line)
			continue
		}
		number, err := strconv.Atoi(line[found[2]:found[3]])
		if err != nil || number <= before {
			continue
		}
		kept.WriteString(line[:found[0]])
		fmt.Fprintf(&kept, "%s:%d", functions.ScriptName, number-before)
		kept.WriteString(line[found[3]:])
	}
	return strings.TrimRight(ownCaller.ReplaceAllString(kept.String(), ""), "\n")
}
