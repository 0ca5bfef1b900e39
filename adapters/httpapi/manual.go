package httpapi

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

// manualHTML is the template of the page, manualCSS its style. The page has no
// scripts and needs nothing from elsewhere.
var (
	//go:embed manual.html
	manualHTML string
	//go:embed manual.css
	manualCSS string
)

// manual is what the page shows of the document.
type manual struct {
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
	// Callers says who may, Tokens what an API token needs.
	Callers    string
	Tokens     template.HTML
	Parameters []field
	Body       []answerEntry
	Answers    []answerEntry
	Failures   []answerEntry
}

// answerEntry is one answer with one type of content, or a body that is sent.
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

// shapeEntry is a schema that has a name.
type shapeEntry struct {
	Name   string
	About  template.HTML
	Kind   template.HTML
	Fields []field
}

// renderManual makes the page of an OpenAPI document, with the strictest policy
// that lets its own style through.
func renderManual(document part) (rendered, error) {
	page, err := template.New("manual").Parse(manualHTML)
	if err != nil {
		return rendered{}, core.Wrap(core.CodeInternal, err, "the template of the manual cannot be read")
	}
	var body bytes.Buffer
	if err := page.Execute(&body, manualOf(document)); err != nil {
		return rendered{}, core.Wrap(core.CodeInternal, err, "the manual cannot be written")
	}
	style := sha256.Sum256([]byte(manualCSS))
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(style[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
	return rendered{kind: "text/html; charset=utf-8", policy: policy, body: body.Bytes()}, nil
}

func manualOf(document part) manual {
	m := manual{
		Title: document.at("info", "title").text(), Version: document.at("info", "version").text(),
		Style: template.CSS(manualCSS), About: paragraphs(document.at("info", "description").text()),
	}
	for tag := range document.at("tags").elements() {
		name := tag.at("name").text()
		m.Sections = append(m.Sections, section{
			Anchor: "section-" + strings.ToLower(name), Name: name, About: markup(tag.at("description").text()),
			Operations: operationsOf(document, name),
		})
	}
	for name, schema := range document.at("components", "schemas").members() {
		m.Shapes = append(m.Shapes, shapeEntry{
			Name: name, About: markup(schema.at("description").text()), Kind: shapeKind(schema), Fields: fieldsOfSchema(schema),
		})
	}
	return m
}

// operationsOf returns the operations of a tag, in the order of the document.
func operationsOf(document part, tag string) []operationEntry {
	var all []operationEntry
	for path, item := range document.at("paths").members() {
		for method, operation := range item.members() {
			if slices.Contains(operation.at("tags").texts(), tag) {
				all = append(all, operationOf(path, method, item, operation))
			}
		}
	}
	return all
}

func operationOf(path, method string, item, operation part) operationEntry {
	entry := operationEntry{
		Anchor: operation.at("operationId").text(), Method: strings.ToUpper(method), Path: path,
		Summary: operation.at("summary").text(), About: markup(operation.at("description").text()),
	}
	entry.Callers, entry.Tokens = callersOf(operation)
	for _, parameters := range []part{item.at("parameters"), operation.at("parameters")} {
		for parameter := range parameters.elements() {
			entry.Parameters = append(entry.Parameters, parameterOf(parameter))
		}
	}
	if body := operation.at("requestBody"); body.exists() {
		entry.Body = answersOf("", body)
	}
	for status, answer := range operation.at("responses").members() {
		entries := answersOf(status, answer)
		if status < "400" {
			entry.Answers = append(entry.Answers, entries...)
		} else {
			entry.Failures = append(entry.Failures, entries...)
		}
	}
	return entry
}

// callersOf says who may call an operation, and what an API token needs.
func callersOf(operation part) (callers string, tokens template.HTML) {
	tokens = "not with an API token"
	open := true
	for requirement := range operation.at("security").elements() {
		open = false
		names := 0
		for name, scopes := range requirement.members() {
			names++
			if name == "apiToken" {
				tokens = "API tokens need the scope <code>" + template.HTML(template.HTMLEscapeString(strings.Join(scopes.texts(), " "))) + "</code>"
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
	}[operation.at("x-role").text()]
	if operation.at("x-public").exists() {
		callers += ", and everybody who is signed in when the project is public"
	}
	return callers, tokens
}

func parameterOf(parameter part) field {
	schema := parameter.at("schema")
	return field{
		Name: parameter.at("name").text(), Place: parameter.at("in").text(), Required: parameter.at("required").text() == "true",
		Kind: kindOf(schema), Limits: limitsOf(schema), About: markup(parameter.at("description").text()),
	}
}

// answersOf returns an entry for each type of content, or one for none.
func answersOf(status string, answer part) []answerEntry {
	entry := answerEntry{Status: status, About: markup(answer.at("description").text())}
	for name, header := range answer.at("headers").members() {
		if name == "X-Request-Id" {
			continue // every answer has it, as the page says at its top
		}
		entry.Headers = append(entry.Headers, field{Name: name, Kind: kindOf(header.at("schema")), About: markup(header.at("description").text())})
	}
	var all []answerEntry
	for media, content := range answer.at("content").members() {
		typed := entry
		typed.Media, typed.Codes = media, codesOf(content.at("schema"))
		if schema := content.at("schema"); schema.exists() && typed.Codes == nil {
			typed.Kind, typed.Fields = shapeKind(schema), fieldsOfSchema(schema)
		}
		if event := content.at("x-item-schema"); event.exists() {
			typed.Kind = "events, each " + kindOf(event)
		}
		all = append(all, typed)
	}
	if all == nil {
		return []answerEntry{entry}
	}
	return all
}

// codesOf returns the error codes that a failure's schema allows; nil for what is
// no failure.
func codesOf(schema part) []string {
	for branch := range schema.at("allOf").elements() {
		if codes := branch.at("properties", "error", "enum").texts(); codes != nil && branch.reference() == "" {
			return codes
		}
	}
	return nil
}
