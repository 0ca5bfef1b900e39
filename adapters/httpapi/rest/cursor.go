package rest

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/identity"
)

// maxCursorBytes bounds the cursors that are examined.
const maxCursorBytes = 4096

// Cursors encodes the cursors that clients get as nextCursor. A cursor carries a seal
// that only the holder of the key can make, and that is bound to its list.
type Cursors struct{ Sealer identity.Sealer }

// Write returns the cursor for a position in a list.
func (c Cursors) Write(list, place string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(c.Sealer.Token("cursor", list, place) + place))
}

// Read returns the position of a cursor of this list. Any text that Write did not return
// for it has code core.CodeInvalidCursor.
func (c Cursors) Read(list, cursor string) (string, error) {
	invalid := core.Errorf(core.CodeInvalidCursor, "the cursor does not belong to this list: begin without one")
	if len(cursor) > maxCursorBytes {
		return "", invalid
	}
	text, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(text) < cursorSealChars {
		return "", invalid
	}
	place := string(text[cursorSealChars:])
	// Comparing the whole cursor also refuses other encodings of it. A timing attack
	// could only reveal the seal of a position in a list that the attacker may read.
	if c.Write(list, place) != cursor {
		return "", invalid
	}
	return place, nil
}

// cursorSealChars is the length of identity.Sealer's Token.
const cursorSealChars = 26

// Position encodes positions in lists of records.
func (c Cursors) Position(list string, at core.Position) string {
	return c.Write(list, fmt.Sprintf("%d %d %s %s", at.CreatedAt, at.UpdatedAt, at.ID, at.Name))
}

// Page parses limit and cursor of a query for a list whose positions Position encodes.
func (c Cursors) Page(list string, query Query) (core.Page, error) {
	limit, err := query.Int("limit", core.DefaultPageLimit, 1, core.MaxPageLimit)
	if err != nil {
		return core.Page{}, err
	}
	cursor, present := query["cursor"]
	if !present {
		return core.Page{Limit: limit}, nil
	}
	place, err := c.Read(list, cursor)
	if err != nil {
		return core.Page{}, err
	}
	before, err := parsePosition(place)
	if err != nil {
		return core.Page{}, core.Wrap(core.CodeInvalidCursor, err, "the cursor does not belong to this list: begin without one")
	}
	return core.Page{Limit: limit, Before: &before}, nil
}

// parsePosition parses what Position encodes. A name may have spaces.
func parsePosition(place string) (core.Position, error) {
	created, rest, _ := strings.Cut(place, " ")
	updated, rest, _ := strings.Cut(rest, " ")
	id, name, _ := strings.Cut(rest, " ")
	createdAt, err := strconv.ParseInt(created, 10, 64)
	if err != nil {
		return core.Position{}, err
	}
	updatedAt, err := strconv.ParseInt(updated, 10, 64)
	return core.Position{CreatedAt: core.Time(createdAt), UpdatedAt: core.Time(updatedAt), ID: core.ID(id), Name: name}, err
}
