package connectors_test

import (
	"testing"

	memory "github.com/atelierhq/atelier/adapters/memory/connectors"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/connectors"
	"github.com/atelierhq/atelier/ports/connectors/connectorstest"
)

type inMemory struct{ client *memory.Client }

func (m inMemory) Client(*testing.T) connectors.Client { return m.client }

func (m inMemory) Serve(_ *testing.T, server connectorstest.Script) string {
	url := "https://" + string(core.NewID()) + ".example/mcp"
	m.client.Put(url, memory.Server(server))
	return url
}

func (m inMemory) Nowhere(*testing.T) string { return "https://nowhere.example/mcp" }

func TestClient(t *testing.T) { connectorstest.TestClient(t, inMemory{memory.New()}) }
