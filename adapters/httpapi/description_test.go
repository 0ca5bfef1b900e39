package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"gopkg.in/yaml.v3"

	"github.com/atelierhq/atelier/adapters/httpapi/account"
	"github.com/atelierhq/atelier/adapters/httpapi/guard"
	"github.com/atelierhq/atelier/adapters/httpapi/manual"
	"github.com/atelierhq/atelier/adapters/httpapi/observe"
	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/commands"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/functions"
	"github.com/atelierhq/atelier/core/models"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/core/workspaces"
)

// checkOpenAPI returns a document's violations of OpenAPI 3.1.
func checkOpenAPI(t *testing.T, text []byte) error {
	t.Helper()
	document, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return err
	}
	return document.Validate(t.Context())
}

func TestTheDescriptionIsValidOpenAPI(t *testing.T) {
	document, err := Describe("v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	if err := checkOpenAPI(t, document); err != nil {
		t.Error(err)
	}
	for name, text := range map[string][]byte{
		"an unknown member":      replaced(t, "      operationId: alive\n", "      operationIds: alive\n"),
		"a reference to nothing": replaced(t, "    Health:\n", "    Healthy:\n"),
		"an id twice":            replaced(t, "operationId: alive\n", "operationId: ready\n"),
		"an unknown type":        replaced(t, "        running: {type: boolean,", "        running: {type: bool,"),
		"a parameter too many":   replaced(t, "  /folders/{folderId}:", "  /folders:"),
	} {
		if checkOpenAPI(t, text) == nil {
			t.Errorf("%s: got no complaint, want one", name)
		}
	}
}

func TestJSONSaysWhatTheYAMLSays(t *testing.T) {
	text, err := Describe("")
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(openapiYAML, &want); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(again, &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("got another document as JSON, want the same")
	}
	if !strings.HasPrefix(string(text), `{"openapi":"3.1.`) {
		t.Errorf("got %.40s, want the order of the YAML", text)
	}
}

// TestTheDescriptionNamesEveryWord compares closed sets of words with the program's.
func TestTheDescriptionNamesEveryWord(t *testing.T) {
	schemas := described(t, openapiYAML).At("components", "schemas")
	for name, want := range map[string][]string{
		"ErrorCode":      words(core.Codes()),
		"Scope":          words(core.Scopes()),
		"Role":           words([]core.Role{core.RoleMember, core.RoleAdmin, core.RoleOwner}),
		"Visibility":     words([]core.Visibility{core.VisibilityPrivate, core.VisibilityWorkspace, core.VisibilityPublic}),
		"PreviewState":   words([]preview.State{preview.StateStarting, preview.StateReady, preview.StateError}),
		"PreviewRuntime": {string(builds.RuntimeGo), string(builds.RuntimeNode), string(builds.RuntimeStatic)},
		"AgentTool":      tools.Names(),
	} {
		if got := schemas.At(name, "enum").Texts(); !equalSets(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	// A host has kinds of its own, so that those of the program are in the text alone.
	text := schemas.At("ProviderKind", "description").Text()
	for _, kind := range words([]core.ProviderKind{core.ProviderOllama, core.ProviderOpenAI, core.ProviderAnthropic, core.ProviderDemo}) {
		if !strings.Contains(text, "`"+kind+"`") {
			t.Errorf("got %q for ProviderKind, want %s in it", text, kind)
		}
	}
	for kind := range schemas.At("ChatEvent", "discriminator", "mapping").Members() {
		if _, err := core.DecodePayload(core.EventType(kind), []byte("{}")); err != nil {
			t.Errorf("the event %s: got %v, want one that the program knows", kind, err)
		}
	}
}

func words[T ~string](values []T) []string {
	all := make([]string, len(values))
	for i, value := range values {
		all[i] = string(value)
	}
	return all
}

func equalSets(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// TestSchemasHaveTheMembersOfTheirTypes: exactly the members that a type always writes
// are required.
func TestSchemasHaveTheMembersOfTheirTypes(t *testing.T) {
	schemas := described(t, openapiYAML).At("components", "schemas")
	for name, value := range map[string]any{
		"Error": rest.Failure{}, "Diagnostic": core.Diagnostic{}, "User": core.User{}, "Session": account.SessionAnswer{}, "Features": account.Features{},
		"APIToken": core.APIToken{}, "Subscription": core.Subscription{}, "Workspace": workspaces.View{}, "Member": core.Member{},
		"Invite": core.Invite{}, "OwnInvite": workspaces.OwnInvite{}, "AuditEntry": core.AuditEntry{}, "Provider": core.Provider{},
		"Capabilities": core.Abilities{}, "ProviderCapabilities": core.ProviderCapabilities{},
		"ProviderTest": models.TestResult{}, "UsageRow": core.UsageRow{}, "Mode": core.Mode{}, "Command": commands.Command{}, "Reference": core.Reference{}, "Folder": core.Folder{},
		"Project": projects.View{}, "Template": core.Template{}, "Variable": core.Variable{}, "Version": core.Version{}, "FileEntry": core.FileEntry{}, "Match": core.Match{},
		"OperationResult": files.OperationResult{}, "Chat": core.Chat{}, "Preview": preview.Status{}, "Deployment": core.Deployment{}, "Health": observe.Health{},
		"Backend": backends.Status{}, "BackendCollection": backends.Collection{}, "BackendField": backends.Field{}, "BackendRules": backends.Rules{},
		"BackendEnvironment": backends.EnvironmentStatus{}, "SchemaPlan": core.SchemaPlan{}, "SchemaStep": core.SchemaStep{}, "TestMail": core.TestMail{}, "DataSnapshot": core.DataSnapshot{}, "BackendCall": core.BackendCall{},
		"BackendFunction": functions.Entry{},
	} {
		always, sometimes := jsonMembers(reflect.TypeOf(value))
		if name == "Error" {
			sometimes = nil // diagnostics occur in only one answer, which names them
		}
		schema := schemas.At(name)
		if got := schema.At("required").Texts(); !equalSets(got, always) {
			t.Errorf("%s: got %v required, want %v", name, got, always)
		}
		var got []string
		for member := range schema.At("properties").Members() {
			got = append(got, member)
		}
		if want := append(always, sometimes...); !equalSets(got, want) {
			t.Errorf("%s: got the members %v, want %v", name, got, want)
		}
	}
}

// jsonMembers are the names that a struct writes always, and sometimes.
func jsonMembers(kind reflect.Type) (always, sometimes []string) {
	for i := range kind.NumField() {
		f := kind.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "" && f.Anonymous:
			inner, maybe := jsonMembers(f.Type)
			always, sometimes = append(always, inner...), append(sometimes, maybe...)
		case name == "-":
		case strings.Contains(options, "omit"):
			sometimes = append(sometimes, name)
		default:
			always = append(always, name)
		}
	}
	return always, sometimes
}

// TestEveryOperationIsDescribedWhole checks what all operations of a kind have in common.
func TestEveryOperationIsDescribedWhole(t *testing.T) {
	document := described(t, openapiYAML)
	tags := map[string]bool{}
	for tag := range document.At("tags").Elements() {
		tags[tag.At("name").Text()] = true
	}
	eachOperation(document, func(method, pattern string, _, operation manual.Part) {
		want := wantedStatuses(method, pattern, operation)
		for status, codes := range want {
			schema := operation.At("responses", status, "content", "application/json", "schema")
			got := append(manual.CodesOf(schema), wordsOfOAuth(schema)...)
			if !containsAll(got, codes) {
				t.Errorf("%s %s: got the codes %v for %s, want %v among them", method, pattern, got, status, codes)
			}
		}
		if tag := operation.At("tags").Texts(); len(tag) != 1 || !tags[tag[0]] || operation.At("summary").Text() == "" || operation.At("operationId").Text() == "" {
			t.Errorf("%s %s: got the tags %v, want one that is declared, a summary and an operationId", method, pattern, tag)
		}
	})
}

// wordsOfOAuth are the errors of an answer that has the shape of RFC 6749 instead of this service's.
func wordsOfOAuth(schema manual.Part) []string {
	if !schema.At("properties", "error_description").Exists() {
		return nil
	}
	return schema.At("properties", "error", "enum").Texts()
}

// wantedStatuses returns the failures that an operation must have because of its inputs.
func wantedStatuses(method, pattern string, operation manual.Part) map[string][]string {
	want := map[string][]string{"500": {"internal"}}
	if !guard.Operational(pattern) {
		want["429"] = []string{"rate_limited"}
	}
	changes := method != http.MethodGet && method != http.MethodHead
	if changes {
		want["403"] = []string{"cross_origin"}
	}
	if !isOpen(operation) {
		want["401"] = []string{"unauthenticated", "token_expired"}
		want["403"] = append(want["403"], "insufficient_scope")
		want["503"] = []string{"unavailable"}
	}
	if role := operation.At("x-role").Text() + operation.At("x-instance-role").Text(); changes && (role == "admin" || role == "owner") {
		want["403"] = append(want["403"], "forbidden")
	}
	if strings.ContainsAny(pattern, ":*") {
		want["400"] = []string{"invalid_request"}
	}
	if operation.At("requestBody").Exists() {
		want["400"], want["413"], want["415"] = []string{"invalid_request"}, []string{"payload_too_large"}, []string{"unsupported_media_type"}
	}
	return want
}

func containsAll(all, some []string) bool {
	return !slices.ContainsFunc(some, func(word string) bool { return !slices.Contains(all, word) })
}

// TestFailuresHaveTheCodesOfTheirStatus compares every failure with the table of
// statuses.
func TestFailuresHaveTheCodesOfTheirStatus(t *testing.T) {
	eachOperation(described(t, openapiYAML), func(method, pattern string, _, operation manual.Part) {
		for status, response := range operation.At("responses").Members() {
			codes := manual.CodesOf(response.At("content", "application/json", "schema"))
			for _, code := range codes {
				if want := fmt.Sprint(rest.StatusOf(core.Code(code))); status != want {
					t.Errorf("%s %s: got %s with %s, want %s", method, pattern, code, status, want)
				}
			}
			isOAuth := status == "400" && wordsOfOAuth(response.At("content", "application/json", "schema")) != nil
			if status >= "400" && codes == nil && !isOAuth {
				t.Errorf("%s %s: got no codes for %s, want them", method, pattern, status)
			}
		}
	})
}

// TestSchemasUseKnownKeywords finds mistakes that JSON Schema accepts: an unknown keyword
// constrains nothing.
func TestSchemasUseKnownKeywords(t *testing.T) {
	known := strings.Fields(`$ref type format description enum const pattern default minLength maxLength minimum maximum minItems maxItems uniqueItems
		items properties required additionalProperties dependentRequired allOf oneOf discriminator`)
	var check func(at string, schema manual.Part)
	check = func(at string, schema manual.Part) {
		for keyword, value := range schemaMembers(schema) {
			if !slices.Contains(known, keyword) {
				t.Errorf("%s: got the keyword %q, want one of %v", at, keyword, known)
			}
			switch keyword {
			case "properties":
				for name, member := range value.Members() {
					check(at+"."+name, member)
				}
			case "items":
				check(at+"[]", value)
			case "allOf", "oneOf":
				for branch := range value.Elements() {
					check(at+" "+keyword, branch)
				}
			}
		}
	}
	for place, schema := range allSchemas(described(t, openapiYAML)) {
		check(place, schema)
	}
}

// schemaMembers are the keywords of a schema, without those of referenced schemas.
func schemaMembers(schema manual.Part) map[string]manual.Part {
	if reference := schema.Reference(); reference != "" {
		return map[string]manual.Part{"$ref": schema}
	}
	return maps.Collect(schema.Members())
}

// allSchemas returns the top-level schemas of a document, by place.
func allSchemas(document manual.Part) map[string]manual.Part {
	all := map[string]manual.Part{}
	contents := func(place string, holder manual.Part) {
		for media, content := range holder.At("content").Members() {
			all[place+" "+media] = content.At("schema")
		}
	}
	for name, schema := range document.At("components", "schemas").Members() {
		all[name] = schema
	}
	eachOperation(document, func(method, pattern string, _, operation manual.Part) {
		place := method + " " + pattern
		contents(place, operation.At("requestBody"))
		for status, response := range operation.At("responses").Members() {
			contents(place+" "+status, response)
		}
	})
	return all
}

// TestNothingInTheDescriptionIsIdle finds components that nothing refers to.
func TestNothingInTheDescriptionIsIdle(t *testing.T) {
	text := string(openapiYAML)
	for kind, components := range described(t, openapiYAML).At("components").Members() {
		for name := range components.Members() {
			// Answers of no operation, and the security schemes, are named differently.
			if kind == "securitySchemes" || name == "MethodNotAllowed" {
				continue
			}
			if !strings.Contains(text, "'#/components/"+kind+"/"+name+"'") {
				t.Errorf("got %s %s, which nothing refers to", kind, name)
			}
		}
	}
}
