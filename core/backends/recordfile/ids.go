package recordfile

import (
	"crypto/sha256"
	"encoding/json"
	"regexp"
	"unicode/utf8"

	"github.com/atelierhq/atelier/ports/backend"
)

// idLength is that of the ids that the engine makes.
const idLength = 15

// idLetters are those of the ids that the engine makes.
const idLetters = "0123456789abcdefghijklmnopqrstuvwxyz"

// ids are the ids that a collection accepts.
type ids struct {
	least, most int
	pattern     *regexp.Regexp
	// derived counts those that were not in a file.
	derived int
}

var presetIDs = regexp.MustCompile("^[a-z0-9]+$")

func idsOf(collection backend.Collection) *ids {
	accepted := &ids{least: idLength, most: idLength, pattern: presetIDs}
	for _, field := range collection.Fields {
		if field.Name != "id" {
			continue
		}
		// An option of another form, or a pattern of another kind, is one that no schema in force has.
		_ = json.Unmarshal(field.Options["min"], &accepted.least)
		_ = json.Unmarshal(field.Options["max"], &accepted.most)
		if own, err := regexp.Compile(field.Text("pattern")); err == nil && own.String() != "" {
			accepted.pattern = own
		}
	}
	return accepted
}

func (s *ids) accept(id string) bool {
	length := utf8.RuneCountInString(id)
	return length >= s.least && (s.most == 0 || length <= s.most) && s.pattern.MatchString(id)
}

// adopt returns an id of a file if the collection accepts it, and else one that is derived from it:
// always the same, so that relations in other files meet the record, and a file that is imported
// again changes the records that it has made.
func (s *ids) adopt(id string) string {
	if s == nil || s.accept(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	text := make([]byte, idLength)
	for i := range text {
		text[i] = idLetters[int(sum[i])%len(idLetters)]
	}
	if derived := string(text); s.accept(derived) {
		s.derived++
		return derived
	}
	return id
}
