package browser

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/browser"
)

// Snapshot implements browser.Tab.
func (t *tab) Snapshot(ctx context.Context) (port.Snapshot, error) {
	if err := ctx.Err(); err != nil {
		return port.Snapshot{}, err
	}
	if t.names == nil {
		t.names = map[*html.Node]port.Ref{}
	}
	r := &reader{document: t.document, refs: map[port.Ref]*html.Node{}, names: t.names}
	title, scripted := "", false
	for node := range t.document.Descendants() {
		if node.Type == html.ElementNode && node.Data == "title" {
			title = strings.TrimSpace(textOf(node))
		}
		scripted = scripted || node.Type == html.ElementNode && node.Data == "script" && attribute(node, "src") != ""
	}
	r.children(t.document, 0)
	for i := range r.nodes {
		r.nodes[i].Name = strings.TrimSpace(r.nodes[i].Name)
	}
	t.refs = r.refs
	return port.Snapshot{
		URL: core.Shorten(t.at.RequestURI(), port.MaxTextBytes), Title: core.Shorten(title, port.MaxTextBytes),
		// What a script would show is unknown.
		Blank: len(r.nodes) == 0 && !scripted, Nodes: r.nodes, Cut: r.cut,
	}, nil
}

// reader makes the nodes of a snapshot from a document.
type reader struct {
	document *html.Node
	nodes    []port.Node
	refs     map[port.Ref]*html.Node
	names    map[*html.Node]port.Ref
	cut      bool
	// block is the element whose text the last node is, if it is one.
	block *html.Node
}

func (r *reader) children(parent *html.Node, depth int) {
	for child := parent.FirstChild; child != nil; child = child.NextSibling {
		r.node(child, depth)
	}
}

func (r *reader) node(node *html.Node, depth int) {
	switch {
	case node.Type == html.TextNode:
		r.text(node, depth)
	case node.Type != html.ElementNode, isHidden(node):
	case roleOf(node) == "":
		r.children(node, depth)
	default:
		role := roleOf(node)
		if r.add(node, port.Node{Depth: depth, Role: role, Name: r.nameOf(node, role), Value: valueOf(node), Level: levelOf(node), States: statesOf(node)}) && !namedByContent(role) {
			r.children(node, depth+1)
		}
	}
}

func (r *reader) add(node *html.Node, made port.Node) bool {
	if len(r.nodes) >= port.MaxNodes {
		r.cut = true
		return false
	}
	made.Name, made.Value = core.Shorten(made.Name, port.MaxTextBytes), core.Shorten(made.Value, port.MaxTextBytes)
	if r.names[node] == "" {
		r.names[node] = port.Ref(fmt.Sprintf("e%d", len(r.names)+1))
	}
	made.Ref = r.names[node]
	r.refs[made.Ref], r.block = node, nil
	r.nodes = append(r.nodes, made)
	return true
}

// text adds a text, or adds it to the one before in the same block.
func (r *reader) text(node *html.Node, depth int) {
	block := node.Parent
	for slices.Contains([]string{"b", "i", "em", "strong", "span", "code", "small"}, block.Data) {
		block = block.Parent
	}
	if last := len(r.nodes) - 1; r.block == block {
		r.nodes[last].Name = core.Shorten(collapsed(r.nodes[last].Name+node.Data), port.MaxTextBytes)
		return
	}
	if text := strings.TrimLeft(collapsed(node.Data), " "); text != "" && r.add(node, port.Node{Depth: depth, Role: port.RoleText, Name: text}) {
		r.block = block
	}
}

// collapsed is a text with one space for each run of white space, as a page shows it.
func collapsed(text string) string { return spaces.ReplaceAllString(text, " ") }

var spaces = regexp.MustCompile(`[ \t\r\n\f]+`)

func isHidden(node *html.Node) bool {
	switch node.Data {
	case "head", "script", "style", "template", "noscript", "option", "datalist":
		return true
	}
	return hasAttribute(node, "hidden") || attribute(node, "aria-hidden") == "true" || node.Data == "input" && attribute(node, "type") == "hidden"
}

// roleOf returns an element's role, "" if only what is inside counts.
func roleOf(node *html.Node) port.Role {
	if role := attribute(node, "role"); role != "" {
		return port.Role(role)
	}
	switch node.Data {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		return port.RoleHeading
	case "a":
		if hasAttribute(node, "href") {
			return port.RoleLink
		}
	case "button":
		return port.RoleButton
	case "textarea":
		return port.RoleTextbox
	case "select":
		return port.RoleCombobox
	case "img":
		if attribute(node, "alt") != "" {
			return port.RoleImage
		}
	case "ul", "ol":
		return port.RoleList
	case "li":
		return port.RoleListitem
	case "nav":
		return "navigation"
	case "main", "table", "form", "dialog":
		return map[string]port.Role{"main": "main", "table": "table", "form": "form", "dialog": "dialog"}[node.Data]
	case "input":
		return roleOfInput(node)
	}
	return ""
}

func roleOfInput(node *html.Node) port.Role {
	switch attribute(node, "type") {
	case "checkbox":
		return port.RoleCheckbox
	case "radio":
		return port.RoleRadio
	case "submit", "button", "reset", "image":
		return port.RoleButton
	}
	return port.RoleTextbox
}

func namedByContent(role port.Role) bool {
	switch role {
	case port.RoleHeading, port.RoleLink, port.RoleButton, port.RoleTextbox, port.RoleCheckbox, port.RoleRadio, port.RoleCombobox, port.RoleImage:
		return true
	}
	return false
}

// nameOf returns the accessible name of an element.
func (r *reader) nameOf(node *html.Node, role port.Role) string {
	for _, name := range []string{attribute(node, "aria-label"), attribute(node, "alt"), r.labelOf(node)} {
		if name != "" {
			return name
		}
	}
	if namedByContent(role) && node.Data != "input" && node.Data != "textarea" && node.Data != "select" {
		return strings.Join(strings.Fields(textOf(node)), " ")
	}
	if attribute(node, "type") == "submit" {
		return attribute(node, "value")
	}
	return attribute(node, "placeholder")
}

// labelOf returns the text of an input's label.
func (r *reader) labelOf(node *html.Node) string {
	if node.Data != "input" && node.Data != "textarea" && node.Data != "select" {
		return ""
	}
	id := attribute(node, "id")
	for label := range r.document.Descendants() {
		if label.Type == html.ElementNode && label.Data == "label" && (id != "" && attribute(label, "for") == id || isInside(node, label)) {
			return strings.Join(strings.Fields(labelText(label)), " ")
		}
	}
	return ""
}

func isInside(node, of *html.Node) bool {
	for parent := range node.Ancestors() {
		if parent == of {
			return true
		}
	}
	return false
}

// labelText is the text of a label without that of the inputs in it.
func labelText(label *html.Node) string {
	var out strings.Builder
	for node := range label.Descendants() {
		if node.Type == html.TextNode && (node.Parent == label || node.Parent.Data != "option" && node.Parent.Data != "textarea") {
			out.WriteString(node.Data + " ")
		}
	}
	return out.String()
}

func levelOf(node *html.Node) int {
	if roleOf(node) == port.RoleHeading && len(node.Data) == 2 {
		return int(node.Data[1] - '0')
	}
	return 0
}

func statesOf(node *html.Node) []port.State {
	var states []port.State
	if hasAttribute(node, "checked") {
		states = append(states, port.Checked)
	}
	if hasAttribute(node, "disabled") {
		states = append(states, port.Disabled)
	}
	if hasAttribute(node, "required") {
		states = append(states, port.Required)
	}
	return states
}

func valueOf(node *html.Node) string {
	switch {
	case node.Data == "select":
		if chosen := chosenOption(node); chosen != nil {
			return strings.TrimSpace(textOf(chosen))
		}
	case node.Data == "textarea":
		return textOf(node)
	case node.Data == "input" && roleOfInput(node) == port.RoleTextbox:
		return attribute(node, "value")
	}
	return ""
}
