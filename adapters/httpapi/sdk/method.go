package sdk

import (
	"cmp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/httpapi/manual"
)

const indent = "  "

// parameters are those of an operation, by where they are.
type parameters struct {
	path  []parameter
	query []parameter
}

type parameter struct {
	name, kind, about string
	required          bool
	// spans says that slashes in the value separate segments of the path.
	spans bool
}

func parametersOf(item, operation manual.Part) (all parameters) {
	for _, holder := range []manual.Part{item, operation} {
		for declared := range holder.At("parameters").Elements() {
			one := parameter{
				name: declared.At("name").Text(), kind: typeOf(declared.At("schema"), indent), about: declared.At("description").Text(),
				required: declared.At("required").Text() == "true", spans: declared.At("x-spans-segments").Exists(),
			}
			switch declared.At("in").Text() {
			case "path":
				all.path = append(all.path, one)
			case "query":
				all.query = append(all.query, one)
			}
		}
	}
	return all
}

// appendMethod writes an operation as a method of the client.
func appendMethod(out *strings.Builder, verb, path string, item, operation manual.Part) {
	declared, body, answer := parametersOf(item, operation), bodyOf(operation), answerOf(operation)
	answer.isRaw = answer.isRaw || verb == "head" // its headers are the answer
	verb = strings.ToUpper(verb)
	about := operation.At("summary").Text() + ".\n" + verb + " " + path
	if description := operation.At("description").Text(); description != "" {
		about += "\n\n" + description
	}
	out.WriteString("\n")
	comment(out, indent, about)
	out.WriteString(indent + operation.At("operationId").Text() + "(" + strings.Join(arguments(declared, body), ", ") + "): " + answer.promise() + " {\n")
	call := []string{"'" + verb + "'", address(path, declared), "options"}
	if body.kind != "" {
		call = append(call, "body", body.mediaArgument())
	}
	out.WriteString(indent + indent + "return this.#caller." + answer.call() + "(" + strings.Join(call, ", ") + ");\n" + indent + "}\n")
}

// arguments are the parameters of the path in their order, the body, and the options.
func arguments(declared parameters, body requestBody) []string {
	var all []string
	for _, one := range declared.path {
		all = append(all, argumentName(one.name)+": "+one.kind)
	}
	if body.kind != "" {
		all = append(all, body.argument())
	}
	if len(declared.query) == 0 {
		return append(all, "options?: CallOptions")
	}
	var query strings.Builder
	mark := "?"
	for _, one := range declared.query {
		comment(&query, indent+indent, one.about)
		query.WriteString(indent + indent + quoted(one.name) + optional(!one.required) + ": " + one.kind + ";\n")
		if one.required {
			mark = ""
		}
	}
	options := "CallOptions<{\n" + query.String() + indent + "}>"
	if mark == "" {
		options = "Asked<" + options + ">"
	}
	return append(all, "options"+mark+": "+options)
}

func optional(is bool) string {
	if is {
		return "?"
	}
	return ""
}

// argumentName keeps names of the path away from the words of the language and from the other
// arguments.
func argumentName(name string) string {
	if name == "body" || name == "options" || name == "delete" || name == "new" {
		return name + "Name"
	}
	return name
}

// address is the template of an operation's path.
func address(path string, declared parameters) string {
	for _, one := range declared.path {
		escape := "encodeURIComponent"
		if one.spans {
			escape = "segments"
		}
		path = strings.ReplaceAll(path, "{"+one.name+"}", "${"+escape+"("+argumentName(one.name)+")}")
	}
	return "`" + path + "`"
}

// requestBody is what an operation takes. Without one, kind is empty.
type requestBody struct {
	kind, media string
	required    bool
}

// fetchSets lists media types whose header fetch writes, because it has more than the type.
var fetchSets = []string{"multipart/form-data"}

func bodyOf(operation manual.Part) requestBody {
	declared := operation.At("requestBody")
	for media, content := range declared.At("content").Members() {
		body := requestBody{media: media, required: declared.At("required").Text() == "true"}
		switch media {
		case "application/json":
			body.kind = typeOf(content.At("schema"), indent)
		case "multipart/form-data":
			body.kind = "FormData"
		case "application/x-www-form-urlencoded":
			body.kind = "URLSearchParams"
		default:
			body.kind, body.media = "BodyInit", "application/octet-stream"
		}
		return body
	}
	return requestBody{}
}

func (b requestBody) argument() string {
	if b.required {
		return "body: " + b.kind
	}
	return "body: " + union([]string{b.kind, "undefined"})
}

func (b requestBody) mediaArgument() string {
	switch {
	case slices.Contains(fetchSets, b.media):
		return "undefined"
	case b.required:
		return "'" + b.media + "'"
	}
	return "body === undefined ? undefined : '" + b.media + "'"
}

// successAnswer is what an operation answers when it succeeds: JSON, a stream of events, or what
// the caller reads from the response itself.
type successAnswer struct {
	json, event string
	isRaw       bool
}

func answerOf(operation manual.Part) (answer successAnswer) {
	var kinds []string
	for status, response := range operation.At("responses").Members() {
		if !strings.HasPrefix(status, "2") {
			continue
		}
		isEmpty := true
		for media, content := range response.At("content").Members() {
			isEmpty = false
			switch media {
			case "application/json":
				kinds = append(kinds, typeOf(content.At("schema"), indent))
			case "text/event-stream":
				answer.event = cmp.Or(typeOf(content.At("x-item-schema"), indent), "unknown")
			default:
				answer.isRaw = true
			}
		}
		if isEmpty {
			kinds = append(kinds, "void")
		}
	}
	answer.json = union(kinds)
	answer.isRaw = answer.isRaw || kinds == nil && answer.event == ""
	return answer
}

func (a successAnswer) promise() string {
	switch {
	case a.event != "":
		return "AsyncGenerator<StreamEvent<" + a.event + ">, void>"
	case a.isRaw:
		return "Promise<Response>"
	}
	return "Promise<" + a.json + ">"
}

// call is the method of the runtime for such an answer.
func (a successAnswer) call() string {
	switch {
	case a.event != "":
		return "events"
	case a.isRaw:
		return "send"
	}
	return "json"
}
