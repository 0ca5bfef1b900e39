package sdk

import (
	_ "embed" // the runtime
	"slices"
	"strings"
	"sync"

	"github.com/atelierhq/atelier/adapters/httpapi/manual"
)

//go:embed runtime.ts
var runtime string

// verbs are the members of a path's item that are operations.
var verbs = []string{"get", "head", "put", "post", "patch", "delete"}

// New returns the client of an API as a static page, written on first use. text is an OpenAPI
// document in YAML whose operations have operationIds.
func New(text []byte, version string) func() (manual.StaticPage, error) {
	return sync.OnceValues(func() (manual.StaticPage, error) {
		document, err := manual.Parse(text)
		if err != nil {
			return manual.StaticPage{}, err
		}
		return manual.NewStaticPage("text/typescript; charset=utf-8", []byte(Write(document, version))), nil
	})
}

// Write returns the client of a document. version is the service's, "" to leave it out.
func Write(document manual.Part, version string) string {
	var out strings.Builder
	if version != "" {
		out.WriteString("// Version " + strings.ReplaceAll(version, "\n", " ") + ".\n//\n")
	}
	out.WriteString("// Atelier's API, as /openapi.json describes it. This file is written from the description.\n//\n" +
		"//   const atelier = new Atelier({ url: 'https://atelier.example.com', token: 'atl_…' });\n" +
		"//   const { items } = await atelier.listWorkspaces();\n\n")
	for name, schema := range document.At("components", "schemas").Members() {
		comment(&out, "", schema.At("description").Text())
		out.WriteString("export type " + typeName(name) + " = " + typeOf(schema, "") + ";\n\n")
	}
	out.WriteString(runtime)
	out.WriteString("\ntype Asked<O extends CallOptions<unknown>> = O & { query: NonNullable<O['query']> };\n\n" +
		"/** Atelier has a method for each operation of the API. Methods throw AtelierError. */\nexport class Atelier {\n" +
		indent + "readonly #caller: Caller;\n\n" + indent + "constructor(options: Options) {\n" + indent + indent + "this.#caller = new Caller(options);\n" + indent + "}\n")
	for path, item := range document.At("paths").Members() {
		for verb, operation := range item.Members() {
			if slices.Contains(verbs, verb) {
				appendMethod(&out, verb, path, item, operation)
			}
		}
	}
	out.WriteString("}\n")
	return out.String()
}

// comment writes a text as a comment before what it describes.
func comment(out *strings.Builder, indent, text string) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "*/", "*\\/"))
	if text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	if len(lines) == 1 {
		out.WriteString(indent + "/** " + text + " */\n")
		return
	}
	out.WriteString(indent + "/**\n")
	for _, line := range lines {
		out.WriteString(strings.TrimRight(indent+" * "+line, " ") + "\n")
	}
	out.WriteString(indent + " */\n")
}
