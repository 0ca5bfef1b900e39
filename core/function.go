package core

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
)

// Functions of projects: the sources and their bundles.
const (
	// FunctionBundles is the directory of a build with its functions. No visitor sees it: on the
	// hosts of pages its paths are those of the functions themselves.
	FunctionBundles = "_fn"
	// FunctionSchedulesPath is the file of a build that says which of its functions run by the
	// clock: an object of schedules by the functions' names.
	FunctionSchedulesPath = FunctionBundles + "/schedules.json"
	// MaxFunctions bounds the functions of a project, MaxFunctionNameBytes the name of one.
	MaxFunctions         = 100
	MaxFunctionNameBytes = 64
)

// FunctionOf returns the name of the function whose source a file is: functions/<name>.ts, or .js.
// Other files there are for the functions to import: in directories below, declarations, tests, and
// files whose names have other characters than letters, digits, hyphens and underscores, or begin
// with an underscore.
func FunctionOf(file string) (name string, found bool) {
	extension := path.Ext(file)
	if path.Dir(file) != FunctionsDir || extension != ".ts" && extension != ".js" {
		return "", false
	}
	name = strings.TrimSuffix(path.Base(file), extension)
	return name, IsFunctionName(name)
}

// IsFunctionName reports whether a function can have a name.
func IsFunctionName(name string) bool {
	const characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	return name != "" && len(name) <= MaxFunctionNameBytes && name[0] != '_' && strings.Trim(name, characters) == ""
}

// FunctionBundle returns the path of a function's code in a build.
func FunctionBundle(name string) string { return FunctionBundles + "/" + name + ".js" }

// FunctionSourceMap returns the path of the source map of a function's code in a build.
func FunctionSourceMap(name string) string { return FunctionBundle(name) + ".map" }

// FunctionSchedule says when a function of a deployment runs by the clock. Only those of live
// deployments do.
type FunctionSchedule struct {
	ProjectID    ID     `json:"-"`
	DeploymentID ID     `json:"-"`
	Name         string `json:"name"`
	// Schedule is in the format of ParseCron.
	Schedule string `json:"schedule"`
	// DueAt is when the function runs next, Never while its deployment is not live.
	DueAt Time `json:"nextAt"`
	// BusyUntil is a lease on the present run: until then no other begins.
	BusyUntil Time `json:"-"`
}

// Never is the DueAt of a function whose deployment is not live.
const Never Time = 1<<53 - 1

// Next returns when the function runs next after a time, Never for what is no schedule.
func (s FunctionSchedule) Next(after Time) Time {
	cron, err := ParseCron(s.Schedule)
	if err != nil {
		return Never
	}
	return At(cron.Next(after.Std()))
}

// ParseFunctionSchedules reads the file at FunctionSchedulesPath, and returns the functions by
// their names.
func ParseFunctionSchedules(text []byte) []FunctionSchedule {
	var written map[string]string
	if json.Unmarshal(WithoutMark(text), &written) != nil || len(written) > MaxFunctions {
		return nil
	}
	var schedules []FunctionSchedule
	for _, name := range slices.Sorted(maps.Keys(written)) {
		if _, err := ParseCron(written[name]); err == nil && IsFunctionName(name) {
			schedules = append(schedules, FunctionSchedule{Name: name, Schedule: written[name]})
		}
	}
	return schedules
}
