package browser

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/html"

	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/browser"
)

// Do implements browser.Tab.
func (t *tab) Do(ctx context.Context, step port.Step) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch step.Do {
	case port.Goto:
		return t.goTo(ctx, step.Value)
	case port.Wait:
		return nil
	case port.Press:
		return t.press(ctx, step.Ref, step.Value)
	case port.Click, port.Fill, port.Select:
	default:
		return core.Errorf(core.CodeValidationFailed, "%q is no step: use click, fill, press, select, goto or wait", step.Do)
	}
	node, err := t.element(step.Ref)
	if err != nil {
		return err
	}
	if hasAttribute(node, "disabled") {
		return refusal(step.Ref, "is disabled")
	}
	switch step.Do {
	case port.Fill:
		return fill(node, step)
	case port.Select:
		return choose(node, step)
	}
	return t.click(ctx, node)
}

func (t *tab) element(ref port.Ref) (*html.Node, error) {
	node, found := t.refs[ref]
	if !found {
		return nil, core.Errorf(core.CodeValidationFailed, "there is no element %q: look at the page again", ref)
	}
	if node.Type != html.ElementNode {
		node = node.Parent
	}
	return node, nil
}

func refusal(ref port.Ref, why string) error {
	return core.Errorf(core.CodeValidationFailed, "the element %q %s", ref, why)
}

func (t *tab) goTo(ctx context.Context, path string) error {
	at, err := url.Parse(path)
	if err != nil || !strings.HasPrefix(path, "/") || at.Host != "" || len(path) > 2048 {
		return core.Errorf(core.CodeValidationFailed, "%q is no path of the page: it begins with /", core.Shorten(path, 80))
	}
	return t.load(ctx, http.MethodGet, t.at.ResolveReference(at), nil)
}

func (t *tab) press(ctx context.Context, ref port.Ref, key string) error {
	switch key {
	case "Enter", "Escape", "Tab", "Backspace", "Delete", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown":
	default:
		if len([]rune(key)) != 1 {
			return core.Errorf(core.CodeValidationFailed, "%q is no key: use a name as Enter, Escape, Tab, ArrowDown, or a character", core.Shorten(key, 40))
		}
	}
	if ref == "" || key != "Enter" {
		return nil
	}
	node, err := t.element(ref)
	if err != nil {
		return err
	}
	if roleOf(node) != port.RoleTextbox {
		return t.click(ctx, node)
	}
	return t.submit(ctx, node)
}

func fill(node *html.Node, step port.Step) error {
	if roleOf(node) != port.RoleTextbox {
		return refusal(step.Ref, "takes no text")
	}
	if node.Data != "textarea" {
		setAttribute(node, "value", step.Value)
		return nil
	}
	for node.FirstChild != nil {
		node.RemoveChild(node.FirstChild)
	}
	node.AppendChild(&html.Node{Type: html.TextNode, Data: step.Value})
	return nil
}

func choose(node *html.Node, step port.Step) error {
	if node.Data != "select" {
		return refusal(step.Ref, "is no list of options: click on it, and then on the option")
	}
	for _, option := range optionsOf(node) {
		if strings.TrimSpace(textOf(option)) == strings.TrimSpace(step.Value) {
			for _, other := range optionsOf(node) {
				removeAttribute(other, "selected")
			}
			setAttribute(option, "selected", "")
			return nil
		}
	}
	return refusal(step.Ref, "has no option "+step.Value)
}

// click follows a link, turns a box over, chooses a radio button, or sends a form.
func (t *tab) click(ctx context.Context, node *html.Node) error {
	switch role := roleOf(node); {
	case role == port.RoleLink:
		at, err := t.at.Parse(attribute(node, "href"))
		if err != nil {
			return nil
		}
		return t.load(ctx, http.MethodGet, at, nil)
	case role == port.RoleCheckbox && hasAttribute(node, "checked"):
		removeAttribute(node, "checked")
	case role == port.RoleCheckbox, role == port.RoleRadio:
		setAttribute(node, "checked", "")
	case role == port.RoleButton && attribute(node, "type") != "button":
		return t.submit(ctx, node)
	}
	return nil
}

// submit sends the form around an element, if there is one.
func (t *tab) submit(ctx context.Context, node *html.Node) error {
	for form := range node.Ancestors() {
		if form.Type != html.ElementNode || form.Data != "form" {
			continue
		}
		at, err := t.at.Parse(attribute(form, "action"))
		if err != nil {
			return nil
		}
		if strings.EqualFold(attribute(form, "method"), http.MethodPost) {
			return t.load(ctx, http.MethodPost, at, fieldsOf(form))
		}
		at.RawQuery = fieldsOf(form).Encode()
		return t.load(ctx, http.MethodGet, at, nil)
	}
	return nil
}

// fieldsOf returns what a form sends.
func fieldsOf(form *html.Node) url.Values {
	fields := url.Values{}
	for node := range form.Descendants() {
		name := attribute(node, "name")
		if node.Type != html.ElementNode || name == "" || hasAttribute(node, "disabled") {
			continue
		}
		switch {
		case node.Data == "select":
			if chosen := chosenOption(node); chosen != nil {
				fields.Add(name, optionValue(chosen))
			}
		case roleOf(node) == port.RoleCheckbox, roleOf(node) == port.RoleRadio:
			if hasAttribute(node, "checked") {
				fields.Add(name, checkedValue(node))
			}
		case node.Data == "textarea", node.Data == "input":
			fields.Add(name, fieldValue(node))
		}
	}
	return fields
}
