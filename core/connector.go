package core

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode"
)

// Consent says what the agent needs before it calls a connector's tool.
type Consent string

// The kinds of consent.
const (
	// ConsentAlways: nothing. ConsentAsk: a person's yes. ConsentNever: it may not call the tool.
	ConsentAlways Consent = "always"
	ConsentAsk    Consent = "ask"
	ConsentNever  Consent = "never"
)

// IsValid reports whether it is one of the kinds.
func (c Consent) IsValid() bool {
	return c == ConsentAlways || c == ConsentAsk || c == ConsentNever
}

// Limits of connectors.
const (
	// MaxConnectors bounds the connectors of a workspace, MaxConnectorTools the tools of one.
	MaxConnectors     = 20
	MaxConnectorTools = 200
	// MaxConnectorName and MaxToolName bound names, in bytes: all of them are ASCII.
	MaxConnectorName = 40
	MaxToolName      = 64
	// MaxToolDescription and MaxToolSchema bound what a server says of a tool, in bytes, and
	// MaxSchemaDepth how deep a schema nests. MaxToolBytes bounds what is kept of all tools.
	MaxToolDescription = 4096
	MaxToolSchema      = 16 << 10
	MaxSchemaDepth     = 16
	MaxToolBytes       = 1 << 20
	// MaxConnectorHeaders bounds the headers of a connector, MaxConnectorHeader the bytes of one.
	MaxConnectorHeaders = 10
	MaxConnectorHeader  = 4096
	MaxConnectorURL     = 2048
)

// Connector is an MCP server whose tools the agent of a workspace may call.
type Connector struct {
	ID          ID
	WorkspaceID ID
	Name        string
	URL         string
	// HeaderNames are the names of the headers that are sent to the server. Sealed has the headers as
	// a JSON object, sealed in the context "connector <ID> <URL>": with another URL they cannot be opened.
	HeaderNames []string
	Sealed      []byte
	Tools       []ConnectorTool
	// Refused counts the tools that the server offered last and whose names or schemas are not
	// allowed.
	Refused int
	// Problem says why the server could not be asked for its tools the last time, "" if it could.
	Problem string
	// RefreshedAt is when the server last told its tools, 0 if it never did.
	RefreshedAt Time
	CreatedBy   ID
	CreatedAt   Time
	UpdatedAt   Time
}

// ConnectorTool is a tool of a connector.
type ConnectorTool struct {
	Name    string
	Consent Consent
	// Pinned is the text that an admin allowed, nil if the tool was never allowed. Offered is what the server
	// says now, nil if it no longer has the tool.
	Pinned  *ToolText
	Offered *ToolText
}

// ToolText is a server's description of a tool. Schema is a JSON object with its members sorted.
type ToolText struct {
	Description string
	Schema      string
}

// ToolState says whether a tool may be called.
type ToolState string

// The states of tools.
const (
	// ToolOff: no admin allowed it. ToolOn: an admin allowed it as it is.
	ToolOff ToolState = "off"
	ToolOn  ToolState = "on"
	// ToolChanged: it is no longer what an admin allowed. ToolGone: the server no longer has it.
	ToolChanged ToolState = "changed"
	ToolGone    ToolState = "gone"
)

// Hash identifies what a server says of a tool of a name.
func (t ToolText) Hash(name string) string {
	// A name has no zero byte, and JSON ends where its object ends.
	sum := sha256.Sum256([]byte(name + "\x00" + t.Schema + "\x00" + t.Description))
	return hex.EncodeToString(sum[:])
}

// State says whether the tool may be called: only one in the state ToolOn may.
func (t ConnectorTool) State() ToolState {
	switch {
	case t.Pinned == nil || !t.Consent.IsValid() || t.Consent == ConsentNever:
		return ToolOff
	case t.Offered == nil:
		return ToolGone
	case *t.Offered != *t.Pinned:
		return ToolChanged
	}
	return ToolOn
}

// OfferedTool is a tool as a server describes it, before it is judged.
type OfferedTool struct {
	Name, Description, Schema string
}

// AcceptTools returns the tools of a server's list that may be shown to admins, and how many may
// not. Names are ASCII. Of names that look alike none is accepted: nobody can tell which one is
// meant. Characters that cannot be seen are removed from descriptions.
func AcceptTools(offered []OfferedTool) (accepted []OfferedTool, refused int) {
	alike := map[string]int{}
	for _, tool := range offered {
		alike[LookOf(tool.Name)]++
	}
	size := 0
	for _, tool := range offered {
		clean, ok := acceptTool(tool)
		size += len(clean.Name) + len(clean.Description) + len(clean.Schema)
		if !ok || alike[LookOf(tool.Name)] > 1 || size > MaxToolBytes || len(accepted) == MaxConnectorTools {
			refused++
			continue
		}
		accepted = append(accepted, clean)
	}
	return accepted, refused
}

func acceptTool(tool OfferedTool) (OfferedTool, bool) {
	if !IsToolName(tool.Name) || len(tool.Description) > MaxToolDescription || len(tool.Schema) > MaxToolSchema {
		return OfferedTool{}, false
	}
	decoder := json.NewDecoder(strings.NewReader(tool.Schema))
	decoder.UseNumber()
	var schema map[string]any
	if decoder.Decode(&schema) != nil || decoder.More() || schema["type"] != "object" || isDeep(schema, MaxSchemaDepth) {
		return OfferedTool{}, false
	}
	sorted, err := json.Marshal(schema)
	if err != nil || len(sorted) > MaxToolSchema {
		return OfferedTool{}, false
	}
	return OfferedTool{tool.Name, VisibleText(tool.Description), string(sorted)}, true
}

func isDeep(value any, room int) bool {
	if room == 0 {
		return true
	}
	switch v := value.(type) {
	case map[string]any:
		for _, member := range v {
			if isDeep(member, room-1) {
				return true
			}
		}
	case []any:
		for _, item := range v {
			if isDeep(item, room-1) {
				return true
			}
		}
	}
	return false
}

// IsToolName reports whether a server's tool may have a name: up to MaxToolName ASCII letters,
// digits, and any of "_.-".
func IsToolName(name string) bool {
	return name != "" && len(name) <= MaxToolName && strings.IndexFunc(name, func(r rune) bool {
		return !isASCIILetter(r) && !strings.ContainsRune("_.-", r)
	}) < 0
}

// IsConnectorName reports whether a connector may have a name: up to MaxConnectorName ASCII letters,
// digits, "-" and single spaces inside.
func IsConnectorName(name string) bool {
	return name != "" && len(name) <= MaxConnectorName && strings.Join(strings.Fields(name), " ") == name && LookOf(name) != "" &&
		strings.IndexFunc(name, func(r rune) bool { return !isASCIILetter(r) && r != ' ' && r != '-' }) < 0
}

func isASCIILetter(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// LookOf returns a text that is equal for ASCII names that look alike.
func LookOf(name string) string {
	return looks().Replace(strings.ToLower(name))
}

func looks() *strings.Replacer {
	return strings.NewReplacer("rn", "m", "vv", "w", "0", "o", "1", "l", "i", "l", "5", "s", "_", "", "-", "", ".", "", " ", "")
}

// VisibleText is text without characters that people do not see, but models read: controls, formats
// such as marks of direction, tags, and characters of private use. Line ends and tabs stay.
func VisibleText(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == unicode.ReplacementChar, unicode.In(r, unicode.C, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
			return -1
		}
		return r
	}, text)
}
