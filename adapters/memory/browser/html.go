package browser

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

func attribute(node *html.Node, name string) string {
	for _, one := range node.Attr {
		if one.Key == name {
			return one.Val
		}
	}
	return ""
}

func hasAttribute(node *html.Node, name string) bool {
	return slices.ContainsFunc(node.Attr, func(one html.Attribute) bool { return one.Key == name })
}

func removeAttribute(node *html.Node, name string) {
	node.Attr = slices.DeleteFunc(node.Attr, func(one html.Attribute) bool { return one.Key == name })
}

func setAttribute(node *html.Node, name, value string) {
	removeAttribute(node, name)
	node.Attr = append(node.Attr, html.Attribute{Key: name, Val: value})
}

// textOf returns all the text in an element.
func textOf(node *html.Node) string {
	var out strings.Builder
	for inside := range node.Descendants() {
		if inside.Type == html.TextNode {
			out.WriteString(inside.Data)
		}
	}
	return out.String()
}

func optionsOf(list *html.Node) []*html.Node {
	var all []*html.Node
	for node := range list.Descendants() {
		if node.Type == html.ElementNode && node.Data == "option" {
			all = append(all, node)
		}
	}
	return all
}

// chosenOption returns the option that a list shows, nil if it has none.
func chosenOption(list *html.Node) *html.Node {
	options := optionsOf(list)
	for _, option := range options {
		if hasAttribute(option, "selected") {
			return option
		}
	}
	if len(options) == 0 {
		return nil
	}
	return options[0]
}

func optionValue(option *html.Node) string {
	if hasAttribute(option, "value") {
		return attribute(option, "value")
	}
	return strings.TrimSpace(textOf(option))
}

func checkedValue(box *html.Node) string {
	if hasAttribute(box, "value") {
		return attribute(box, "value")
	}
	return "on"
}

func fieldValue(field *html.Node) string {
	if field.Data == "textarea" {
		return textOf(field)
	}
	return attribute(field, "value")
}
