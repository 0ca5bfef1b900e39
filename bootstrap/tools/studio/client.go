package main

import (
	"os"
	"path/filepath"

	"github.com/atelierhq/atelier/adapters/httpapi/manual"
	"github.com/atelierhq/atelier/adapters/httpapi/sdk"
)

// description and clientFile are the description of the API and the client that is written from
// it, of which the studio uses the types.
const (
	description = "adapters/httpapi/openapi.yaml"
	clientFile  = studioDir + "/web/api/sdk.ts"
)

// writeClient writes the client anew. root is the directory of the repository.
func writeClient(root string) error {
	text, err := client(root)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, clientFile), []byte(text), 0o644)
}

func client(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, description))
	if err != nil {
		return "", err
	}
	document, err := manual.Parse(text)
	if err != nil {
		return "", err
	}
	return sdk.Write(document, ""), nil
}
