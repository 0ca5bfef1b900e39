package mcp_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// TestAProgramOfAnOlderVersionIsServed sends what clients of each version send, message by
// message: the greeting, a notification, the list and a call.
func TestAProgramOfAnOlderVersionIsServed(t *testing.T) {
	s := storytest.Serve(t, t.TempDir(), inmemory.New, nil)
	c := &storytest.Caller{Site: s, Token: token(s.SignUp())}
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		greeting := storytest.Fields{"protocolVersion": version, "capabilities": storytest.Fields{}, "clientInfo": storytest.Fields{"name": "x", "version": "1"}}
		for _, message := range []struct {
			body   storytest.Fields
			status int
			want   string
		}{
			{storytest.Fields{"id": 1, "method": "initialize", "params": greeting}, http.StatusOK, `"protocolVersion":"` + version + `"`},
			{storytest.Fields{"method": "notifications/initialized"}, http.StatusAccepted, ""},
			{storytest.Fields{"id": "two", "method": "tools/list"}, http.StatusOK, `"send_message"`},
			{storytest.Fields{"id": 3, "method": "tools/call", "params": storytest.Fields{"name": "list_workspaces"}}, http.StatusOK, `"items`},
		} {
			message.body["jsonrpc"] = "2.0"
			got := c.Do(http.MethodPost, "/mcp", message.body, "Mcp-Protocol-Version", version, "Accept", "application/json, text/event-stream")
			if got.Status != message.status || !strings.Contains(strings.ReplaceAll(string(got.Body), `\"`, `"`), message.want) || got.Header.Get("Mcp-Session-Id") != "" {
				t.Errorf("%s, %v: got %d %.300s, want %d with %s", version, message.body["method"], got.Status, got.Body, message.status, message.want)
			}
		}
	}
}
