package manual

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// pageHTML is the template of the page, pageCSS its style. The page has no
// scripts and needs nothing from elsewhere.
var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
)

// pageData is the page's view of the document.
type pageData struct {
	Title, Version string
	Style          template.CSS
	About          []template.HTML
	Sections       []section
	Shapes         []shapeEntry
}

// section is the operations of one tag.
type section struct {
	Anchor, Name string
	About        template.HTML
	Operations   []operationEntry
}

// operationEntry is one method of one path.
type operationEntry struct {
	Anchor, Method, Path, Summary string
	About                         template.HTML
	// Callers says who may call it, Tokens which scope an API token needs.
	Callers    string
	Tokens     template.HTML
	Parameters []field
	Body       []answerEntry
	Answers    []answerEntry
	Failures   []answerEntry
}

// answerEntry is a response with one type of content, or a request body.
type answerEntry struct {
	Status  string
	About   template.HTML
	Headers []field
	Media   string
	Kind    template.HTML
	Fields  []field
	// Codes are the error codes of a failure.
	Codes []string
}

// shapeEntry is a named schema.
type shapeEntry struct {
	Name   string
	About  template.HTML
	Kind   template.HTML
	Fields []field
}

// renderPage renders the page of an OpenAPI document, with the strictest policy that
// allows its own style.
func renderPage(document Part) (StaticPage, error) {
	page, err := template.New("manual").Parse(pageHTML)
	if err != nil {
		return StaticPage{}, core.Wrap(core.CodeInternal, err, "the template of the manual cannot be read")
	}
	var body bytes.Buffer
	if err := page.Execute(&body, dataOf(document)); err != nil {
		return StaticPage{}, core.Wrap(core.CodeInternal, err, "the manual cannot be written")
	}
	style := sha256.Sum256([]byte(pageCSS))
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(style[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
	return StaticPage{kind: "text/html; charset=utf-8", policy: policy, body: body.Bytes()}, nil
}

func dataOf(document Part) pageData {
	m := pageData{
		Title: document.At("info", "title").Text(), Version: document.At("info", "version").Text(),
		Style: template.CSS(pageCSS), About: paragraphs(document.At("info", "description").Text()),
	}
	for tag := range document.At("tags").Elements() {
		name := tag.At("name").Text()
		m.Sections = append(m.Sections, section{
			Anchor: "section-" + strings.ToLower(name), Name: name, About: markup(tag.At("description").Text()),
			Operations: operationsOf(document, name),
		})
	}
	for name, schema := range document.At("components", "schemas").Members() {
		m.Shapes = append(m.Shapes, shapeEntry{
			Name: name, About: markup(schema.At("description").Text()), Kind: shapeKind(schema), Fields: fieldsOfSchema(schema),
		})
	}
	return m
}

// operationsOf returns the operations of a tag, in the order of the document.
func operationsOf(document Part, tag string) []operationEntry {
	var all []operationEntry
	for path, item := range document.At("paths").Members() {
		for method, operation := range item.Members() {
			if slices.Contains(operation.At("tags").Texts(), tag) {
				all = append(all, operationOf(path, method, item, operation))
			}
		}
	}
	return all
}

func operationOf(path, method string, item, operation Part) operationEntry {
	entry := operationEntry{
		Anchor: operation.At("operationId").Text(), Method: strings.ToUpper(method), Path: path,
		Summary: operation.At("summary").Text(), About: markup(operation.At("description").Text()),
	}
	entry.Callers, entry.Tokens = callersOf(operation)
	for _, parameters := range []Part{item.At("parameters"), operation.At("parameters")} {
		for parameter := range parameters.Elements() {
			entry.Parameters = append(entry.Parameters, parameterOf(parameter))
		}
	}
	if body := operation.At("requestBody"); body.Exists() {
		entry.Body = answersOf("", body)
	}
	for status, answer := range operation.At("responses").Members() {
		entries := answersOf(status, answer)
		if status < "400" {
			entry.Answers = append(entry.Answers, entries...)
		} else {
			entry.Failures = append(entry.Failures, entries...)
		}
	}
	return entry
}

// callersOf says who may call an operation, and which scope an API token needs.
func callersOf(operation Part) (callers string, tokens template.HTML) {
	tokens = "not with an API token"
	open := true
	for requirement := range operation.At("security").Elements() {
		open = false
		names := 0
		for name, scopes := range requirement.Members() {
			names++
			if needed := scopes.Texts(); name == "apiToken" && needed == nil {
				tokens = "with any API token"
			} else if name == "apiToken" {
				tokens = "API tokens need the scope <code>" + template.HTML(template.HTMLEscapeString(strings.Join(needed, " "))) + "</code>"
			}
		}
		if names == 0 {
			open = true
			break
		}
	}
	if open {
		return "For everybody", ""
	}
	callers = map[string]string{
		"": "For everybody who is signed in", "member": "For members of the workspace", "admin": "For admins of the workspace", "owner": "For owners of the workspace",
	}[operation.At("x-role").Text()]
	if operation.At("x-public").Exists() {
		callers += ", and everybody who is signed in when the project is public"
	}
	return callers, tokens
}

func parameterOf(parameter Part) field {
	schema := parameter.At("schema")
	return field{
		Name: parameter.At("name").Text(), Place: parameter.At("in").Text(), Required: parameter.At("required").Text() == "true",
		Kind: kindOf(schema), Limits: limitsOf(schema), About: markup(parameter.At("description").Text()),
	}
}

// answersOf returns an entry for each type of content, or one if there is no content.
func answersOf(status string, answer Part) []answerEntry {
	entry := answerEntry{Status: status, About: markup(answer.At("description").Text())}
	for name, header := range answer.At("headers").Members() {
		if name == "X-Request-Id" {
			continue // every answer has it, as the page says at its top
		}
		entry.Headers = append(entry.Headers, field{Name: name, Kind: kindOf(header.At("schema")), About: markup(header.At("description").Text())})
	}
	var all []answerEntry
	for media, content := range answer.At("content").Members() {
		typed := entry
		typed.Media, typed.Codes = media, CodesOf(content.At("schema"))
		if schema := content.At("schema"); schema.Exists() && typed.Codes == nil {
			typed.Kind, typed.Fields = shapeKind(schema), fieldsOfSchema(schema)
		}
		if event := content.At("x-item-schema"); event.Exists() {
			typed.Kind = "events, each " + kindOf(event)
		}
		all = append(all, typed)
	}
	if all == nil {
		return []answerEntry{entry}
	}
	return all
}

// CodesOf returns the error codes that a failure's schema allows, nil if the schema is no
// failure.
func CodesOf(schema Part) []string {
	for branch := range schema.At("allOf").Elements() {
		if codes := branch.At("properties", "error", "enum").Texts(); codes != nil && branch.Reference() == "" {
			return codes
		}
	}
	for branch := range schema.At("oneOf").Elements() {
		if codes := CodesOf(branch); codes != nil {
			return codes
		}
	}
	return nil
}
