package esbuild

import (
	"encoding/json"
	"errors"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
	"github.com/atelierhq/atelier/core"
)

// namesSchedule finds where a source says something about its schedule, at its end.
var namesSchedule = regexp.MustCompile(`\bexport\b[^;]*?\bschedule\b`)

// printedSchedule is the constant as esbuild prints a source: one statement a line, without types and
// comments, and texts in double quotes, or in back quotes as they were.
var printedSchedule = regexp.MustCompile(`(?m)^const schedule = ("(?:[^"\\]|\\.)*"|` + "`[^`\\\\$]*`" + `);$`)

// printedExports are the exports, which esbuild prints together, at the end.
var printedExports = regexp.MustCompile(`(?s)\nexport \{\n([^}]*)\};\n$`)

// exportedSchedule is a schedule among them.
var exportedSchedule = regexp.MustCompile(`(?m)\bschedule,?$`)

// scheduleOf reads the schedule that a function exports, "" if it has none. It is read and not run,
// so only a text itself will do.
func scheduleOf(src *project.Sources, source string) (schedule string, wrong []api.Message) {
	text, err := src.Read(source, project.MaxAssetBytes)
	if err != nil || !namesSchedule.Match(text) {
		return "", nil
	}
	loader := api.LoaderTS
	if path.Ext(source) == ".js" {
		loader = api.LoaderJS
	}
	printed := api.Transform(string(text), api.TransformOptions{Loader: loader, Format: api.FormatESModule, LegalComments: api.LegalCommentsNone, Charset: api.CharsetUTF8, LogLevel: api.LogLevelSilent})
	exports := printedExports.FindSubmatch(printed.Code)
	if exports == nil || !exportedSchedule.Match(exports[1]) {
		return "", nil
	}
	complain := func(problem string) []api.Message {
		places := namesSchedule.FindAllIndex(text, -1)
		return []api.Message{project.MessageAt(source, text, places[len(places)-1][1]-len("schedule"), problem)}
	}
	found := printedSchedule.FindAllSubmatch(printed.Code, -1)
	if len(found) != 1 {
		return "", complain(`a schedule is read before the function runs: write it as a text, export const schedule = "0 8 * * *"`)
	}
	if schedule, err = strconv.Unquote(string(found[0][1])); err != nil {
		return "", complain("the schedule has characters that no schedule has")
	}
	var refused *core.Error
	if _, err := core.ParseCron(schedule); errors.As(err, &refused) {
		return "", complain(refused.Message)
	}
	return schedule, nil
}

// withPlainSources gives the sources of a map the paths by which people know them: in the project,
// or in its packages. Where the packages are on this machine is nobody's business.
func withPlainSources(sourceMap []byte) []byte {
	var parts map[string]json.RawMessage
	var sources []string
	if json.Unmarshal(sourceMap, &parts) != nil || json.Unmarshal(parts["sources"], &sources) != nil {
		return nil
	}
	for i, source := range sources {
		source = strings.TrimPrefix(source, project.NsProject+":")
		if at := strings.LastIndex(source, "node_modules/"); at >= 0 {
			source = source[at:]
		}
		sources[i] = source
	}
	plain, err := json.Marshal(sources)
	if err != nil {
		return nil
	}
	parts["sources"] = plain
	text, err := json.Marshal(parts)
	if err != nil {
		return nil
	}
	return text
}
