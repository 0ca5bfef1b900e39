package mcpclient_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/atelierhq/atelier/adapters/mcpclient"
	"github.com/atelierhq/atelier/adapters/netguard"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/connectors"
	"github.com/atelierhq/atelier/ports/connectors/connectorstest"
)

// official serves with the server of the SDK.
type official struct{}

func (official) Client(*testing.T) connectors.Client { return mcpclient.New(netguard.New(true)) }

func (official) Serve(t *testing.T, scripted connectorstest.Script) string {
	server := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	for _, tool := range scripted.Tools {
		server.AddTool(&sdk.Tool{Name: tool.Name, Description: tool.Description, InputSchema: json.RawMessage(tool.Schema)}, func(_ context.Context, request *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			answer := scripted.Answer(request.Params.Name, request.Params.Arguments, request.Extra.Header.Get)
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: answer.Text}}, IsError: answer.Failed}, nil
		})
	}
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	t.Cleanup(web.Close)
	return web.URL + "/mcp"
}

func (official) Nowhere(t *testing.T) string {
	web := httptest.NewServer(http.NotFoundHandler())
	web.Close()
	return web.URL + "/mcp"
}

func TestClient(t *testing.T) { connectorstest.TestClient(t, official{}) }

func TestPrivateServersAreRefused(t *testing.T) {
	url := official{}.Serve(t, connectorstest.Script{})
	_, err := mcpclient.New(netguard.New(false)).List(t.Context(), connectors.Server{URL: url})
	if !core.IsCode(err, core.CodeForbiddenAddress) {
		t.Errorf("got %v, want %s", err, core.CodeForbiddenAddress)
	}
}
