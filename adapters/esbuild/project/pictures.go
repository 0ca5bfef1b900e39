package project

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// componentImport matches an import of a picture as a component, as Create React App and
// svgr know it: import logo, { ReactComponent as Logo } from "./logo.svg".
var componentImport = regexp.MustCompile(`(?m)^[ \t]*import\s+(?:([\w$]+)\s*,\s*)?\{\s*ReactComponent(?:\s+as\s+([\w$]+))?\s*\}\s*from\s*["']([^"'\n]+\.svg)["'];?`)

// svgrImport matches import Logo from "./logo.svg?react".
var svgrImport = regexp.MustCompile(`(?m)^[ \t]*import\s+([\w$]+)\s+from\s*["']([^"'\n]+\.svg)\?react["'];?`)

// pictureScript makes an element of a picture's text. React takes attributes by the names
// that they have as properties, and styles only as objects.
const pictureScript = `function __atelier_picture(text, props) {
  const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement, own = {};
  for (const { name, value } of root.attributes) {
    if (name !== "style") own[name === "class" ? "className" : name.replace(/[-:](\w)/g, (_, c) => c.toUpperCase())] = value;
  }
  return __atelier_element("svg", { ...own, ...props, dangerouslySetInnerHTML: { __html: root.innerHTML } });
}
`

// pictures replaces imports of pictures as components.
func (s *specialCalls) pictures() {
	found := false
	component := func(start, end int, address, name, file string) {
		text := s.importName("$", file+"?raw")
		if address != "" {
			fmt.Fprintf(&s.imports, "import %s from %s;\n", address, JSONText(file))
		}
		s.replace(start, end, "")
		fmt.Fprintf(&s.imports, "function %s(props) { return __atelier_picture(%s, props) }\n", name, text)
		found = true
	}
	part := func(at []int, i int) string {
		if at[2*i] < 0 {
			return ""
		}
		return string(s.text[at[2*i]:at[2*i+1]])
	}
	for _, at := range componentImport.FindAllSubmatchIndex(s.text, maxSpecials) {
		name := part(at, 2)
		if name == "" {
			name = "ReactComponent"
		}
		component(at[0], at[1], part(at, 1), name, part(at, 3))
	}
	for _, at := range svgrImport.FindAllSubmatchIndex(s.text, maxSpecials) {
		component(at[0], at[1], "", part(at, 1), part(at, 2))
	}
	if found {
		s.imports.WriteString("import { createElement as __atelier_element } from \"react\";\n")
		s.imports.WriteString(strings.TrimSpace(pictureScript) + "\n")
	}
}

// requireCall matches require of a file that is no module, as webpack allows it.
var requireCall = regexp.MustCompile(`\brequire\s*\(\s*["'](\.[^"'\n]+)["']\s*\)(?:\.default\b)?`)

// required replaces such calls by the file's address, or by the content of a JSON file.
func (s *specialCalls) required() {
	for _, at := range requireCall.FindAllSubmatchIndex(s.text, maxSpecials) {
		file := string(s.text[at[2]:at[3]])
		if loader := LoaderOf(file); loader == api.LoaderFile || loader == api.LoaderJSON {
			s.replace(at[0], at[1], s.importName("$", file))
		}
	}
}
