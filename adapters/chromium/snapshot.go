package chromium

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"

	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/browser"
)

// maxElements is the number of elements above which no accessibility tree is requested.
const maxElements = 20_000

// outline is a summary of a page, which is read before its accessibility tree is requested.
type outline struct {
	URL      string `json:"url"`
	Title    string `json:"title"`
	Elements int    `json:"elements"`
	Blank    bool   `json:"blank"`
}

func outlineScript() string {
	return `(() => {
	globalThis.seen = performance.now();
	const elements = document.getElementsByTagName("*").length;
	const at = { url: location.pathname + location.search + location.hash, title: document.title.slice(0, 300), elements, blank: true };
	if (elements > ` + strconv.Itoa(maxElements) + `) return { ...at, blank: false };
	const visible = (e) => { const box = e.getBoundingClientRect(); return box.width > 0 && box.height > 0 };
	const shown = document.querySelectorAll("img, svg, canvas, video, iframe, input, button, textarea, select, object, embed");
	at.blank = !document.body?.innerText.trim() && !Array.prototype.some.call(shown, visible);
	return at;
})()`
}

// Snapshot implements browser.Tab.
func (t *tab) Snapshot(ctx context.Context) (port.Snapshot, error) {
	var found port.Snapshot
	err := t.run(ctx, func(ctx context.Context) error {
		about, err := evaluate[outline](ctx, &t.world, outlineScript())
		if err != nil {
			return err
		}
		found = port.Snapshot{URL: core.Shorten(about.URL, port.MaxTextBytes), Title: core.Shorten(about.Title, port.MaxTextBytes), Blank: about.Blank}
		t.refs = map[port.Ref]cdp.BackendNodeID{}
		if about.Elements > maxElements {
			found.Cut = true
			return nil
		}
		tree, err := chromedp.Call(ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		if err != nil {
			return err
		}
		reader := newTreeReader(tree.Nodes)
		reader.read()
		found.Nodes, found.Cut, t.refs = reader.nodes, reader.cut, reader.refs
		return nil
	})
	return found, err
}

// treeReader makes the nodes of a snapshot from an accessibility tree.
type treeReader struct {
	tree  map[accessibility.NodeID]*accessibility.Node
	root  *accessibility.Node
	nodes []port.Node
	refs  map[port.Ref]cdp.BackendNodeID
	cut   bool
	// text is the element that the last node is a text of, if it is one: texts that follow
	// each other are one.
	text accessibility.NodeID
}

func newTreeReader(nodes []*accessibility.Node) *treeReader {
	r := &treeReader{tree: make(map[accessibility.NodeID]*accessibility.Node, len(nodes)), refs: map[port.Ref]cdp.BackendNodeID{}}
	for _, node := range nodes {
		r.tree[node.NodeID] = node
	}
	if len(nodes) > 0 {
		r.root = nodes[0]
	}
	return r
}

func (r *treeReader) read() {
	if r.root != nil {
		r.children(r.root, 0, 0)
	}
	for i := range r.nodes {
		r.nodes[i].Name = strings.TrimSpace(r.nodes[i].Name)
	}
}

// maxDepth bounds how deep a tree is read.
const maxDepth = 200

func (r *treeReader) children(parent *accessibility.Node, depth, level int) {
	if level > maxDepth {
		r.cut = true
		return
	}
	for _, id := range parent.ChildIDs {
		if child := r.tree[id]; child != nil {
			r.node(child, depth, level+1)
		}
	}
}

// node adds a node and what is inside.
func (r *treeReader) node(node *accessibility.Node, depth, level int) {
	role := roleOf(node)
	switch {
	case node.Ignored || transparent(role):
		r.children(node, depth, level)
		return
	case role == port.RoleText:
		r.addText(node, depth)
		return
	case skipped(role):
		return
	}
	added := r.add(node, role, depth)
	if !added || namedByContent(role) && role != port.RoleCombobox {
		return
	}
	r.children(node, depth+1, level)
}

// add adds an element, unless there are too many.
func (r *treeReader) add(node *accessibility.Node, role port.Role, depth int) bool {
	if len(r.nodes) >= port.MaxNodes {
		r.cut = true
		return false
	}
	r.text = ""
	made := port.Node{Depth: depth, Role: role, Name: textIn(node.Name), Value: textIn(node.Value)}
	readProperties(node, &made)
	if node.BackendDOMNodeID != 0 {
		// The number is the element's own in its process, and given to no other.
		made.Ref = port.Ref(fmt.Sprintf("e%d", node.BackendDOMNodeID))
		r.refs[made.Ref] = node.BackendDOMNodeID
	}
	r.nodes = append(r.nodes, made)
	return true
}

// addText adds a text, or adds it to the text before it, with the spaces between them.
func (r *treeReader) addText(node *accessibility.Node, depth int) {
	text, parent := rawTextIn(node.Name), r.blockOf(node)
	if last := len(r.nodes) - 1; r.text != "" && r.text == parent {
		r.nodes[last].Name = core.Shorten(r.nodes[last].Name+text, port.MaxTextBytes)
		return
	}
	if strings.TrimSpace(text) != "" && r.add(node, port.RoleText, depth) {
		r.text, r.nodes[len(r.nodes)-1].Name = parent, text
	}
}

// blockOf is the closest element around a text that does not only mark it up.
func (r *treeReader) blockOf(node *accessibility.Node) accessibility.NodeID {
	parent := r.tree[node.ParentID]
	for parent != nil && inline(roleOf(parent)) {
		parent = r.tree[parent.ParentID]
	}
	if parent == nil {
		return node.ParentID
	}
	return parent.NodeID
}

func textIn(value *accessibility.Value) string { return strings.TrimSpace(rawTextIn(value)) }

// rawTextIn returns a value of the tree, which is a JSON text, number or boolean.
func rawTextIn(value *accessibility.Value) string {
	if value == nil || len(value.Value) == 0 {
		return ""
	}
	var text string
	if json.Unmarshal(value.Value, &text) != nil {
		text = string(value.Value)
	}
	return core.Shorten(text, port.MaxTextBytes)
}

// readProperties reads the states that are not the usual ones.
func readProperties(node *accessibility.Node, into *port.Node) {
	for _, property := range node.Properties {
		value := textIn(property.Value)
		switch property.Name {
		case accessibility.PropertyNameLevel:
			_ = json.Unmarshal(property.Value.Value, &into.Level)
		case accessibility.PropertyNameChecked:
			addState(into, value == "true" || value == "mixed", port.Checked)
		case accessibility.PropertyNameSelected:
			addState(into, value == "true", port.Selected)
		case accessibility.PropertyNamePressed:
			addState(into, value == "true", port.Pressed)
		case accessibility.PropertyNameExpanded:
			addState(into, value == "true", port.Expanded)
			addState(into, value == "false", port.Collapsed)
		case accessibility.PropertyNameDisabled:
			addState(into, value == "true", port.Disabled)
		case accessibility.PropertyNameRequired:
			addState(into, value == "true", port.Required)
		case accessibility.PropertyNameInvalid:
			addState(into, value != "false" && value != "", port.Invalid)
		case accessibility.PropertyNameFocused:
			addState(into, value == "true", port.Focused)
		}
	}
}

func addState(to *port.Node, holds bool, state port.State) {
	if holds {
		to.States = append(to.States, state)
	}
}
