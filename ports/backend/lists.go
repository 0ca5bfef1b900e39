package backend

import (
	"context"
	"encoding/json"
)

// Lists reads the records of a collection by pages, as Identity.Owner reads them: rules aside. An
// engine implements it, too.
type Lists interface {
	// List returns the page after a position. Records that are created or removed meanwhile shift
	// no other page, and the record of the position may be changed or gone.
	//
	// A collection that does not exist has code core.CodeNotFound, a wrong filter or sort
	// core.CodeValidationFailed with the reason, and a position of another order
	// core.CodeInvalidCursor.
	List(ctx context.Context, place Place, collection string, query RecordQuery) (RecordPage, error)
}

// RecordQuery says which records a page has. Filter and Sort are PocketBase's.
//
// Among equals, and without Sort, the newest record is first; in a view it is the one with the
// lowest id. A text counts with its first characters (OrderChars). The order @random has only one
// page.
type RecordQuery struct {
	Filter, Sort string
	// After is RecordPage.Next of the page before, empty for the first.
	After string
	// Skip is how many records behind After are passed over: 0 to MaxSkip. Records that come
	// or go meanwhile shift what it reaches.
	Skip  int
	Limit int
}

// RecordPage is a page of records. It has fewer than were asked for if they are large
// (MaxPageBytes), or the last. Total counts all that match the filter. Next is the position of
// the last record, empty if none follows.
type RecordPage struct {
	Records []json.RawMessage `json:"records"`
	Total   int64             `json:"total"`
	Next    string            `json:"next"`
}

// MaxPageBytes is the size from which a page has no further record.
const MaxPageBytes = 16 << 20

// MaxSkip bounds RecordQuery.Skip.
const MaxSkip = 1_000_000_000

// OrderChars returns with how many characters a text counts in an order of so many keys. So a
// position has 2 KiB at most, before it is encoded.
func OrderChars(keys int) int { return 512 / max(keys, 1) }
