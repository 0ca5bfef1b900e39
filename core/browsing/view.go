package browsing

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/browser"
)

// View is the text of a page, with the events on it since the last View.
type View struct {
	// URL is the page's address without scheme and host.
	URL, Title string
	// Status is the HTTP status of the page.
	Status int
	// Blank means that the page shows nothing at all.
	Blank bool
	// Outdated means that the project does not build, so that this is its last good state.
	Outdated bool
	// Exceptions are those that nothing caught, Errors and Warnings what the page wrote to its
	// console. None has the address of the preview, which is a key.
	Exceptions, Errors, Warnings []string
	// Failures are requests to the page's own host that failed, Refused those to other hosts:
	// the browser has no network.
	Failures, Refused []browser.Request
	// Text says all of that in few words, with references of what can be acted on.
	Text string
}

// Bounds of View.Text in bytes.
const (
	maxPageText  = 8000
	maxLineText  = 300
	maxNameText  = 120
	maxSameLines = 8
)

// viewOf makes the view of the last snapshot.
func (p *Page) viewOf(status int, log browser.Log) View {
	v := View{URL: p.seen.URL, Title: p.seen.Title, Status: status, Blank: p.seen.Blank, Outdated: p.outdated}
	var asked []string
	for _, line := range log.Lines {
		text := strings.ReplaceAll(line.Text, p.origin, "")
		if p.service != nil { // Judge has a page of no preview.
			text = p.service.deps.Previews.InSources(p.visit.Project, text)
		}
		switch line.Kind {
		case browser.Exception:
			v.Exceptions = appendNew(v.Exceptions, text)
		case browser.ConsoleError:
			v.Errors = appendNew(v.Errors, text)
		case browser.ConsoleWarning:
			v.Warnings = appendNew(v.Warnings, text)
		case browser.Dialog:
			asked = append(asked, "dialog, accepted: "+text)
		case browser.Popup:
			asked = append(asked, "window not opened: "+text)
		}
	}
	for _, request := range log.Requests {
		if request.Own {
			v.Failures = appendNew(v.Failures, request)
		} else {
			v.Refused = appendNew(v.Refused, request)
		}
	}
	v.Text = v.head() + outline(p.seen) + v.events(asked)
	return v
}

func appendNew[T comparable](list []T, one T) []T {
	if slices.Contains(list, one) {
		return list
	}
	return append(list, one)
}

func (v View) head() string {
	head := "Page " + v.URL
	if v.Title != "" {
		head += " " + quoted(v.Title)
	}
	if v.Status != http.StatusOK && v.Status != 0 {
		head += fmt.Sprintf(" (status %d)", v.Status)
	}
	if v.Outdated {
		head += "\nThe project does not build: this is its last good state."
	}
	if v.Blank {
		head += "\nThe page is blank."
	}
	return head + "\n"
}

// events lists what happened on the page.
func (v View) events(asked []string) string {
	var out strings.Builder
	list := func(kind string, lines []string) {
		for i, line := range lines {
			if i == maxSameLines {
				fmt.Fprintf(&out, "! %s: %d more\n", kind, len(lines)-i)
				return
			}
			fmt.Fprintf(&out, "! %s: %s\n", kind, core.Shorten(oneLine(line), maxLineText))
		}
	}
	list("exception", v.Exceptions)
	list("console error", v.Errors)
	list("console warning", v.Warnings)
	list("failed", requestTexts(v.Failures))
	list("not loaded, because this browser has no network", requestTexts(v.Refused))
	for i, line := range asked {
		if i == maxSameLines {
			break
		}
		fmt.Fprintf(&out, "! %s\n", core.Shorten(oneLine(line), maxLineText))
	}
	return out.String()
}

func requestTexts(requests []browser.Request) []string {
	texts := make([]string, len(requests))
	for i, request := range requests {
		texts[i] = request.Method + " " + request.URL
		switch {
		case request.Status > 0:
			texts[i] += " " + strconv.Itoa(request.Status)
		case request.Own:
			texts[i] += " without an answer"
		}
	}
	return texts
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// quoted puts a text into quotes, as JSON does, on one line and shortened.
func quoted(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(oneLine(text), `\`, `\\`), `"`, `\"`)
	return `"` + core.Shorten(text, maxNameText) + `"`
}

// outline writes a snapshot: a line an element, those inside others indented, with references
// of what can be acted on. Labels, and elements that only group others and have no name, are
// left out; what is in an item of a list begins with a hyphen.
func outline(seen browser.Snapshot) string {
	var out strings.Builder
	o := outliner{}
	for i, node := range seen.Nodes {
		if isLabel(seen.Nodes, i) {
			continue
		}
		line := o.line(node)
		if out.Len()+len(line) > maxPageText {
			fmt.Fprintf(&out, "… and %d more elements\n", len(seen.Nodes)-i)
			return out.String()
		}
		out.WriteString(line)
	}
	if seen.Cut {
		out.WriteString("… and more elements\n")
	}
	return out.String()
}

// isLabel reports whether a text only repeats the name of the control beside it.
func isLabel(nodes []browser.Node, at int) bool {
	names := func(i int) bool {
		return i >= 0 && i < len(nodes) && isControl(nodes[i].Role) && nodes[i].Name == nodes[at].Name
	}
	return nodes[at].Role == browser.RoleText && (names(at-1) || names(at+1))
}

// outliner knows which of the elements around the next one have a line.
type outliner struct {
	// around are the depths of these elements.
	around []int
	// item says that an item of a list, or a row, has begun at a depth.
	item   bool
	itemAt int
}

func (o *outliner) line(node browser.Node) string {
	for len(o.around) > 0 && o.around[len(o.around)-1] >= node.Depth {
		o.around = o.around[:len(o.around)-1]
	}
	o.item = o.item && node.Depth > o.itemAt
	if node.Name == "" && groups(node.Role) {
		if node.Role == browser.RoleListitem || node.Role == "row" {
			o.item, o.itemAt = true, node.Depth
		}
		return ""
	}
	indent := strings.Repeat(" ", len(o.around))
	if o.item {
		indent, o.item = indent+"- ", false
	}
	o.around = append(o.around, node.Depth)
	return indent + describe(node) + "\n"
}

// describe writes an element.
func describe(node browser.Node) string {
	text := string(node.Role)
	if node.Level > 0 {
		text += " " + strconv.Itoa(node.Level)
	}
	if node.Name != "" {
		text += " " + quoted(node.Name)
	}
	if node.Value != "" && node.Value != node.Name {
		text += " = " + quoted(node.Value)
	}
	for _, state := range node.States {
		text += " " + string(state)
	}
	if isControl(node.Role) && node.Ref != "" {
		text += " " + string(node.Ref)
	}
	return text
}

// groups reports whether a role only groups what is inside.
func groups(role browser.Role) bool {
	switch role {
	case browser.RoleList, browser.RoleListitem, "row", "table", "grid", "cell", "gridcell", "columnheader", "rowheader", "form", "main", "navigation",
		"banner", "contentinfo", "complementary", "region", "article", "group", "figure", "blockquote", "term", "definition", "section", "search",
		"tablist", "toolbar", "menu", "menubar", "radiogroup", "listbox", "tree", "separator", "presentation", "Canvas", "SvgRoot", "graphics-document":
		return true
	}
	return false
}

// isControl reports whether people act on elements of a role.
func isControl(role browser.Role) bool {
	switch role {
	case browser.RoleLink, browser.RoleButton, browser.RoleTextbox, browser.RoleCheckbox, browser.RoleRadio, browser.RoleCombobox,
		"option", "switch", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "slider", "treeitem", "DisclosureTriangle":
		return true
	}
	return false
}
