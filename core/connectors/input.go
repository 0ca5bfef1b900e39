package connectors

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// Input describes a connector to create or a change of one. Nil fields are left unchanged.
type Input struct {
	// Name and URL are required by Create.
	Name, URL *string
	// Headers replaces all headers.
	Headers *map[string]string
	// EnabledTools replaces the list of the tools that may be called.
	EnabledTools *[]EnabledTool
}

// EnabledTool allows a tool. Hash is that of what the admin saw; without it, a tool that has changed
// stays as it was allowed, and off.
type EnabledTool struct {
	Name    string       `json:"name"`
	Consent core.Consent `json:"consent"`
	Hash    string       `json:"hash,omitempty"`
}

func (s *Service) apply(connector *core.Connector, input Input) error {
	if input.Name != nil {
		if !core.IsConnectorName(*input.Name) {
			return core.Errorf(core.CodeValidationFailed, "name must have 1 to %d letters from A to Z, digits, hyphens and single spaces", core.MaxConnectorName)
		}
		connector.Name = *input.Name
	}
	if input.URL != nil {
		address, err := s.checkURL(*input.URL)
		if err != nil {
			return err
		}
		if address != connector.URL {
			connector.URL, connector.HeaderNames, connector.Sealed = address, nil, nil
			connector.Tools, connector.Refused, connector.Problem, connector.RefreshedAt = nil, 0, "", 0
		}
	}
	if input.Headers != nil {
		if err := s.seal(connector, *input.Headers); err != nil {
			return err
		}
	}
	return enable(connector, input.EnabledTools)
}

func (s *Service) checkURL(address string) (string, error) {
	if len(address) > core.MaxConnectorURL || !storage.Storable(address) {
		return "", core.Errorf(core.CodeValidationFailed, "url must have at most %d bytes", core.MaxConnectorURL)
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || parsed.Fragment != "" {
		return "", core.Errorf(core.CodeValidationFailed, "url must be an absolute address without a fragment")
	}
	if err := s.Guard.Check(address); err != nil {
		return "", err
	}
	if parsed.Scheme != "https" && s.Guard.Check("http://127.0.0.1/") != nil {
		return "", core.Errorf(core.CodeValidationFailed, "url must begin with https://")
	}
	return parsed.String(), nil
}

// ownHeaders returns the headers that the protocol needs, or that would change the connection.
func ownHeaders() []string {
	return []string{"host", "connection", "accept", "accept-encoding", "te", "trailer", "transfer-encoding", "upgrade", "expect", "last-event-id"}
}

func (s *Service) seal(connector *core.Connector, headers map[string]string) error {
	if len(headers) == 0 {
		connector.HeaderNames, connector.Sealed = nil, nil
		return nil
	}
	if len(headers) > core.MaxConnectorHeaders {
		return core.Errorf(core.CodeValidationFailed, "headers must have at most %d members", core.MaxConnectorHeaders)
	}
	seen := map[string]bool{}
	for name, value := range headers {
		low := strings.ToLower(name)
		switch {
		case !isHeaderName(name) || seen[low]:
			return core.Errorf(core.CodeValidationFailed, "headers must have different names of up to 100 letters, digits and hyphens")
		case slices.Contains(ownHeaders(), low) || strings.HasPrefix(low, "mcp-") || strings.HasPrefix(low, "content-") || strings.HasPrefix(low, "proxy-"):
			return core.Errorf(core.CodeValidationFailed, "headers must not have %q: the connection sets it itself", name)
		case value == "" || len(value) > core.MaxConnectorHeader || strings.IndexFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) >= 0:
			return core.Errorf(core.CodeValidationFailed, "headers must have values of 1 to %d printable ASCII characters", core.MaxConnectorHeader)
		}
		seen[low] = true
	}
	text, err := json.Marshal(headers)
	if err != nil {
		return err
	}
	connector.HeaderNames = slices.Sorted(maps.Keys(headers))
	connector.Sealed, err = s.Sealer.Seal(text, place(*connector))
	return err
}

func isHeaderName(name string) bool {
	return len(name) <= 100 && core.IsToolName(strings.ReplaceAll(name, "-", "")) && !strings.ContainsAny(name, "._")
}

// enable allows tools as the server offers them now, and takes the others' permission away.
func enable(connector *core.Connector, enabled *[]EnabledTool) error {
	if enabled == nil {
		return nil
	}
	seen := map[string]bool{}
	tools := slices.Clone(connector.Tools)
	for _, wish := range *enabled {
		at := indexOf(tools, wish.Name)
		if at < 0 || seen[wish.Name] {
			return core.Errorf(core.CodeValidationFailed, "enabledTools must name each tool once, and only tools that the server has: refresh the connector to see them")
		}
		if !wish.Consent.IsValid() {
			return core.Errorf(core.CodeValidationFailed, "enabledTools: consent must be always, ask or never")
		}
		seen[wish.Name] = true
		if err := allow(&tools[at], wish); err != nil {
			return err
		}
	}
	for i := range tools {
		if !seen[tools[i].Name] {
			tools[i].Consent, tools[i].Pinned = core.ConsentNever, nil
		}
	}
	connector.Tools = slices.DeleteFunc(tools, func(tool core.ConnectorTool) bool { return tool.Pinned == nil && tool.Offered == nil })
	return nil
}

func allow(tool *core.ConnectorTool, wish EnabledTool) error {
	tool.Consent = wish.Consent
	if wish.Hash == "" && tool.Pinned != nil {
		return nil
	}
	if tool.Offered == nil {
		return core.Errorf(core.CodeConflict, "the server no longer has the tool %q: refresh the connector", tool.Name)
	}
	if wish.Hash != "" && wish.Hash != tool.Offered.Hash(tool.Name) {
		return core.Errorf(core.CodeConflict, "the tool %q has changed again: look at it as it is now, and send its hash", tool.Name)
	}
	pinned := *tool.Offered
	tool.Pinned = &pinned
	return nil
}

// targetOf names a connector for the audit log: by its host, since the rest of a URL may be a
// secret, and with the consents that it has now.
func targetOf(connector core.Connector) string {
	target := connector.Name
	if address, err := url.Parse(connector.URL); err == nil {
		target += " at " + address.Host
	}
	counts := map[core.Consent]int{}
	for _, tool := range connector.Tools {
		if tool.Pinned != nil {
			counts[tool.Consent]++
		}
	}
	for _, consent := range []core.Consent{core.ConsentAlways, core.ConsentAsk} {
		var names []string
		for _, tool := range connector.Tools {
			if tool.Pinned != nil && tool.Consent == consent && len(names) < 5 {
				names = append(names, tool.Name)
			}
		}
		if more := counts[consent] - len(names); more > 0 {
			names = append(names, "…")
		}
		if len(names) > 0 {
			target += "; " + string(consent) + ": " + strings.Join(names, ", ")
		}
	}
	return target
}
