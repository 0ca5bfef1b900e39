package httpapi

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/identity"
)

// maxCursorBytes bounds what is looked at.
const maxCursorBytes = 512

// cursors makes the texts that clients get as nextCursor. They carry a seal that
// nobody without the key can make, bound to the list that they belong to.
type cursors struct{ sealer identity.Sealer }

// write returns the cursor for a place in a list.
func (c cursors) write(list, place string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(c.sealer.Token("cursor", list, place) + place))
}

// read returns the place of a cursor of this list. Any text that write did not
// return for it has code core.CodeInvalidCursor.
func (c cursors) read(list, cursor string) (string, error) {
	invalid := core.Errorf(core.CodeInvalidCursor, "the cursor is not one of this list's")
	if len(cursor) > maxCursorBytes {
		return "", invalid
	}
	text, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(text) < cursorSealChars {
		return "", invalid
	}
	place := string(text[cursorSealChars:])
	// Comparing the whole cursor also refuses other spellings of it. What an
	// attacker could learn from the time is the seal of a place in a list that
	// is theirs to read.
	if c.write(list, place) != cursor {
		return "", invalid
	}
	return place, nil
}

// cursorSealChars is the length of identity.Sealer's Token.
const cursorSealChars = 26

// position writes and reads the places of lists that are sorted newest first.
func (c cursors) position(list string, at core.Position) string {
	return c.write(list, strconv.FormatInt(int64(at.CreatedAt), 10)+" "+string(at.ID))
}

// page reads limit and cursor of a query for a list that is sorted newest first.
func (c cursors) page(list string, query Query) (core.Page, error) {
	limit, err := query.Int("limit", core.DefaultPageLimit, 1, core.MaxPageLimit)
	if err != nil {
		return core.Page{}, err
	}
	cursor, present := query["cursor"]
	if !present {
		return core.Page{Limit: limit}, nil
	}
	place, err := c.read(list, cursor)
	if err != nil {
		return core.Page{}, err
	}
	instant, id, _ := strings.Cut(place, " ")
	createdAt, err := strconv.ParseInt(instant, 10, 64)
	if err != nil {
		return core.Page{}, core.Wrap(core.CodeInvalidCursor, err, "the cursor is not one of this list's")
	}
	return core.Page{Limit: limit, Before: &core.Position{CreatedAt: core.Time(createdAt), ID: core.ID(id)}}, nil
}
