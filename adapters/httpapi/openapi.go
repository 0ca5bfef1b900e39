package httpapi

import (
	_ "embed"

	"github.com/atelierhq/atelier/adapters/httpapi/manual"
)

// openapiYAML describes the API (OpenAPI 3.1). Tests compare the routes and their answers
// with it.
//
//go:embed openapi.yaml
var openapiYAML []byte

// Describe returns the description of the API as JSON, with the version of the service.
// Members keep the order of openapi.yaml.
func Describe(version string) ([]byte, error) { return manual.JSON(openapiYAML, version) }
