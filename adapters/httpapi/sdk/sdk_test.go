package sdk_test

import (
	"os"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi/manual"
	"github.com/atelierhq/atelier/adapters/httpapi/sdk"
)

func parse(t *testing.T, text string) manual.Part {
	t.Helper()
	document, err := manual.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// TestSchemasBecomeTypes has one schema for each rule.
func TestSchemasBecomeTypes(t *testing.T) {
	for schema, want := range map[string]string{
		`{type: string}`:                                        `string`,
		`{type: integer, minimum: 1}`:                           `number`,
		`{type: [string, 'null']}`:                              `string | null`,
		`{type: string, format: binary}`:                        `Blob`,
		`{type: string, const: "it's"}`:                         `"it's"`,
		`{enum: [a, 1, true, null]}`:                            `"a" | 1 | true | null`,
		`{type: array, items: {type: string}}`:                  `string[]`,
		`{type: array, items: {type: [string, 'null']}}`:        `(string | null)[]`,
		`{type: array}`:                                         `unknown[]`,
		`{type: object}`:                                        `Record<string, unknown>`,
		`{}`:                                                    `unknown`,
		`{type: object, additionalProperties: {type: boolean}}`: `Record<string, boolean>`,
		`{type: object, required: [a], additionalProperties: false, properties: {a: {type: string}, b-c: {type: 'null'}}}`: "{\n  a: string;\n  \"b-c\"?: null;\n}",
		`{oneOf: [{$ref: '#/components/schemas/Error'}, {$ref: '#/components/schemas/Record'}]}`:                           `ErrorBody | DataRecord`,
		`{allOf: [{oneOf: [{type: string}, {type: 'null'}]}, {description: More.}]}`:                                       `(string | null)`,
	} {
		document := parse(t, "components: {schemas: {Error: {type: string}, Record: {type: string}, Tried: "+schema+"}}")
		if got := sdk.Write(document, "1"); !strings.Contains(got, "export type Tried = "+want+";\n") {
			_, got, _ = strings.Cut(got, "export type Tried = ")
			t.Errorf("%s: got %.60s, want %s", schema, got, want)
		}
	}
}

// TestOperationsBecomeMethods has one operation for each rule.
func TestOperationsBecomeMethods(t *testing.T) {
	document := parse(t, `
paths:
  /things/{id}/{path}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get:
      operationId: read
      summary: Read it
      parameters:
        - {name: path, in: path, required: true, x-spans-segments: true, schema: {type: string}}
        - {name: at, in: query, required: true, schema: {type: integer}}
      responses: {'200': {content: {application/zip: {}}}}
    put:
      operationId: write
      summary: Write it. */
      requestBody: {required: true, content: {'*/*': {}}}
      responses: {'200': {content: {application/json: {schema: {type: string}}}}, '204': {description: Nothing.}, '404': {content: {application/json: {}}}}
    post:
      operationId: run
      requestBody: {content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}
      responses: {'200': {content: {text/event-stream: {schema: {type: string}, x-item-schema: {type: boolean}}}}}
`)
	got := sdk.Write(document, "1")
	for _, want := range []string{
		"  read(id: string, path: string, options: Asked<CallOptions<{\n    at: number;\n  }>>): Promise<Response> {\n" +
			"    return this.#caller.send('GET', `/things/${encodeURIComponent(id)}/${segments(path)}`, options);\n",
		"  write(id: string, body: BodyInit, options?: CallOptions): Promise<string | void> {\n",
		", options, body, 'application/octet-stream');\n",
		"   * Write it. *\\/.\n",
		"  run(id: string, body: {\n    name?: string;\n  } | undefined, options?: CallOptions): AsyncGenerator<StreamEvent<boolean>, void> {\n",
		", options, body, body === undefined ? undefined : 'application/json');\n",
	} {
		if !strings.Contains(got, want) {
			_, got, _ := strings.Cut(got, "export class Atelier")
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// TestEveryOperationHasAMethod checks the service's own description.
func TestEveryOperationHasAMethod(t *testing.T) {
	text, err := os.ReadFile("../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	document := parse(t, string(text))
	client := sdk.Write(document, "v1.2.3")
	if !strings.Contains(client, "// Version v1.2.3.\n") {
		t.Error("got no version, want the service's")
	}
	for path, item := range document.At("paths").Members() {
		for verb, operation := range item.Members() {
			if id := operation.At("operationId").Text(); id != "" && strings.Count(client, "\n  "+id+"(") != 1 {
				t.Errorf("%s %s: got %d methods %s, want one", verb, path, strings.Count(client, "\n  "+id+"("), id)
			}
		}
	}
}
