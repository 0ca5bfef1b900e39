package preview

import (
	"bytes"
	_ "embed"
)

// runtimePath is the first script of every page of a preview: React looks for Fast
// Refresh when it loads.
const runtimePath = appDir + "/~runtime.js"

// pageRuntime replaces modules in a page.
//
//go:embed runtime.js
var pageRuntime []byte

// reactRefresh is the runtime of Fast Refresh, from the package react-refresh.
//
//go:embed refresh/react-refresh-runtime.development.js
var reactRefresh []byte

// runtimeScript joins both. reactRefresh is a CommonJS module.
func runtimeScript() []byte {
	return bytes.Join([][]byte{
		[]byte(`const ReactRefresh = (() => { const exports = {}, process = { env: { NODE_ENV: "development" } };`),
		reactRefresh,
		[]byte("return exports; })();"),
		pageRuntime,
	}, []byte("\n"))
}
