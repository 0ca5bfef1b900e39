package chromium

import (
	"slices"

	"github.com/chromedp/cdproto/accessibility"

	port "github.com/atelierhq/atelier/ports/browser"
)

// roleOf returns the ARIA role of a node of Chromium's tree, which has some of its own.
func roleOf(node *accessibility.Node) port.Role {
	switch role := rawTextIn(node.Role); role {
	case "StaticText":
		return port.RoleText
	case "img", "image":
		return port.RoleImage
	case "searchbox", "Date", "DateTime", "InputTime", "ColorWell", "spinbutton":
		return port.RoleTextbox
	case "generic":
		if isEditable(node) {
			return port.RoleTextbox
		}
		return "generic"
	default:
		return port.Role(role)
	}
}

func isEditable(node *accessibility.Node) bool {
	return slices.ContainsFunc(node.Properties, func(p *accessibility.Property) bool {
		return p.Name == accessibility.PropertyNameEditable
	}) && slices.ContainsFunc(node.Properties, func(p *accessibility.Property) bool {
		return p.Name == accessibility.PropertyNameFocusable
	})
}

// transparent reports whether a role says nothing itself, so that only what is inside counts.
func transparent(role port.Role) bool {
	switch role {
	case "", "none", "generic", "paragraph", "LabelText", "Legend", "RootWebArea", "Section", "rowgroup", "MenuListPopup", "DescriptionList", "Ruby", "LayoutTable", "LayoutTableRow", "LayoutTableCell":
		return true
	}
	return inline(role)
}

// inline reports whether a role only marks a text up.
func inline(role port.Role) bool {
	switch role {
	case "strong", "emphasis", "code", "mark", "insertion", "deletion", "subscript", "superscript", "time", "Abbr", "generic", "none":
		return true
	}
	return false
}

// skipped reports whether a node says nothing that its parent does not.
func skipped(role port.Role) bool {
	switch role {
	case "InlineTextBox", "ListMarker", "LineBreak", "ScrollBar", "Iframe", "IframePresentational":
		return true
	}
	return false
}

// namedByContent reports whether the name of an element says what is inside.
func namedByContent(role port.Role) bool {
	switch role {
	case port.RoleHeading, port.RoleLink, port.RoleButton, port.RoleTextbox, port.RoleCheckbox, port.RoleRadio, port.RoleCombobox, port.RoleImage,
		"option", "switch", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "slider", "treeitem", "progressbar", "meter":
		return true
	}
	return false
}
