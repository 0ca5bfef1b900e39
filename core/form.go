package core

// Forms of pages that are sent without a script.
const (
	// FormsPath is below which a page's host takes the answers of forms. The name of the collection
	// follows.
	FormsPath = "/_data/forms/"
	// FormFrom and FormNext are the parameters with the page of the form, and the page that comes
	// after it was sent.
	FormFrom, FormNext = "from", "next"
	// FormTrap is the name of a field that people leave empty.
	FormTrap = "_website"
)

// maxFormName bounds the name of a collection, in bytes.
const maxFormName = 100

// IsFormName reports whether a form may name a collection like this: with letters, digits and _,
// not beginning with a digit.
func IsFormName(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != "" && len(name) <= maxFormName
}
