package builds

import (
	"bytes"
	"html"
	"net/url"
	"path"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/htmltag"
	"github.com/atelierhq/atelier/ports/build"
)

const (
	// formAttribute marks the forms whose answers become records of the project's backend
	//. Its value is the name of the collection; without one, the form's
	// name is.
	formAttribute = "data-atelier"
	// usualCollection takes the answers of forms without any name.
	usualCollection = "messages"
	// trap is a field that no person sees. Programs that fill every field give themselves away.
	trap = `<input type="text" name="` + core.FormTrap + `" value="" hidden tabindex="-1" autocomplete="off" aria-hidden="true">`
)

// withForms lets the marked forms of pages work without a script.
func withForms(files []build.File) []build.File {
	for i, file := range files {
		if path.Ext(file.Path) == ".html" && bytes.Contains(file.Content, []byte(formAttribute)) {
			files[i].Content = []byte(WithForms(string(file.Content), file.Path))
		}
	}
	return files
}

// WithForms returns a page whose marked forms are sent to the project's backend. at is the path of
// its file. What the form's action names is the page that visitors see after it was sent.
func WithForms(page, at string) string {
	var out strings.Builder
	written := 0
	tags := htmltagsOf(page)
	for i, tag := range tags {
		if tag.Name != "form" || tag.End {
			continue
		}
		collection, marked := collectionOf(tag)
		if !marked {
			continue
		}
		inside := contentOf(tags[i+1:])
		out.WriteString(page[written:tag.Start])
		out.WriteString(sentForm(page, tag, collection, at, inside))
		written = tag.Stop
		for _, field := range inside {
			if field.Name == "input" && strings.EqualFold(field.Value("type"), "checkbox") {
				if _, has := field.Attribute("value"); !has {
					// Browsers would send "on", which is no value of a field of type bool.
					out.WriteString(page[written:field.Start] + `<input value="true"` + page[field.Start+len("<input"):field.Stop])
					written = field.Stop
				}
			}
		}
	}
	return out.String() + page[written:]
}

func htmltagsOf(page string) []htmltag.Tag {
	var tags []htmltag.Tag
	for tag := range htmltag.All(page) {
		if tag.Name == "form" || tag.Name == "input" {
			tags = append(tags, tag)
		}
	}
	return tags
}

// collectionOf returns the name of the collection for a form's answers, and whether it is marked.
func collectionOf(form htmltag.Tag) (string, bool) {
	mark, marked := form.Attribute(formAttribute)
	for _, name := range []string{mark.Value, form.Value("name"), usualCollection} {
		if name = strings.TrimSpace(name); name != "" {
			return name, marked && core.IsFormName(name)
		}
	}
	return "", false
}

// contentOf returns the tags up to the end of a form.
func contentOf(tags []htmltag.Tag) []htmltag.Tag {
	for i, tag := range tags {
		if tag.Name == "form" {
			return tags[:i]
		}
	}
	return tags
}

// sentForm is the start tag of a form with the address that takes its answers.
func sentForm(page string, form htmltag.Tag, collection, at string, inside []htmltag.Tag) string {
	var b strings.Builder
	b.WriteString(`<form method="post" action="` + html.EscapeString(addressOf(form, collection, at)) + `"`)
	for _, field := range inside {
		if field.Name == "input" && strings.EqualFold(field.Value("type"), "file") {
			b.WriteString(` enctype="multipart/form-data"`)
			break
		}
	}
	for _, attribute := range form.Attributes {
		switch attribute.Name {
		case "method", "action", "enctype":
		default:
			b.WriteString(" " + page[attribute.Start:attribute.Stop])
		}
	}
	return b.String() + ">" + trap
}

// addressOf returns where a form is sent.
func addressOf(form htmltag.Tag, collection, at string) string {
	page := &url.URL{Path: "/" + at}
	if folder, name := path.Split(page.Path); name == "index.html" {
		page.Path = folder
	}
	query := url.Values{core.FormFrom: {page.EscapedPath()}}
	if action := html.UnescapeString(form.Value("action")); action != "" {
		if next, err := page.Parse(action); err == nil && next.Host == "" && next.Scheme == "" && next.Path != page.Path {
			query.Set(core.FormNext, next.RequestURI())
		}
	}
	return core.FormsPath + collection + "?" + query.Encode()
}
