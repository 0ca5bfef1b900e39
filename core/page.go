package core

// Limits of a page.
const (
	DefaultPageLimit = 20
	MaxPageLimit     = 100
)

// Page asks for part of a list, which is sorted newest first unless it says otherwise.
// Before is the position after which the page starts; nil is the start of the list.
type Page struct {
	Limit  int
	Before *Position
}

// Position is a place in a list that stays where it is when rows are inserted: the sort
// key of the last row seen. Only the sort key of the list counts: CreatedAt, UpdatedAt or
// Name.
type Position struct {
	CreatedAt Time
	UpdatedAt Time
	Name      string
	ID        ID
}
