package openai

import (
	"encoding/json"
	"slices"
)

type responseFormat struct {
	Type       string      `json:"type"`
	JSONSchema namedSchema `json:"json_schema"`
}

type namedSchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	// Strict makes OpenAI's models follow the schema exactly. It is refused for a schema
	// that is not closed.
	Strict bool `json:"strict"`
}

func newResponseFormat(schema json.RawMessage) *responseFormat {
	var parsed any
	// A schema that does not parse is not closed.
	_ = json.Unmarshal(schema, &parsed)
	return &responseFormat{Type: "json_schema", JSONSchema: namedSchema{Name: "answer", Schema: schema, Strict: isClosed(parsed)}}
}

// isClosed reports whether every object in a schema requires all its properties and
// allows no others, as OpenAI demands of a strict schema.
func isClosed(schema any) bool {
	switch node := schema.(type) {
	case []any:
		return !slices.ContainsFunc(node, func(item any) bool { return !isClosed(item) })
	case map[string]any:
		if node["type"] == "object" && !requiresAll(node) {
			return false
		}
		for _, inner := range node {
			if !isClosed(inner) {
				return false
			}
		}
	}
	return schema != nil
}

func requiresAll(object map[string]any) bool {
	properties, _ := object["properties"].(map[string]any)
	required, _ := object["required"].([]any)
	for name := range properties {
		if !slices.Contains(required, any(name)) {
			return false
		}
	}
	return object["additionalProperties"] == false
}
