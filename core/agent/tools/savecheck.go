package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/atelierhq/atelier/core"
)

// saveCheckTool keeps what was done on the open page.
func saveCheckTool() tool {
	return tool{
		name: "save_check",
		description: "Keep what you did and expected on the open page since you opened it as a check of the project. It is played after every run and before publishing, " +
			"on fresh test data. name is lower-case-with-hyphens, title says what works. Save one for each feature that works, with an expect that fails without it.",
		parameters: `{"type":"object","properties":{"name":{"type":"string"},"title":{"type":"string"}},"required":["name","title"],"additionalProperties":false}`,
		changes:    true,
		eyes:       true,
		run:        saveCheck,
	}
}

func saveCheck(ctx context.Context, in *invocation, raw json.RawMessage) (Result, error) {
	var args struct {
		Name  string `json:"name"`
		Title string `json:"title"`
	}
	if err := decodeArgs(raw, &args); err != nil {
		return Result{}, err
	}
	name, err := core.ParseCheckName(args.Name)
	if err != nil {
		return Result{}, err
	}
	path, steps := in.sight.Trail()
	if len(steps) == 0 {
		return Result{}, core.Errorf(core.CodeConflict, "nothing was done on the page since it was opened: use act first, with what you expect at its end")
	}
	text := core.Check{Title: args.Title, Path: path, As: core.CheckGuest, Steps: steps}.Encode()
	if _, err := core.ParseCheck(text); err != nil {
		return Result{}, core.Errorf(core.CodeValidationFailed, "this is no check: %s", MessageOf(err))
	}
	return in.keepCheck(ctx, name, text, len(steps))
}

// keepCheck writes the file of a check, over one of that name.
func (in *invocation) keepCheck(ctx context.Context, name string, text []byte, steps int) (Result, error) {
	file := core.CheckPath(name)
	_, etag, err := in.replaced(ctx, file)
	if err != nil {
		return Result{}, err
	}
	if etag != "" {
		if _, err := in.keepForeign(ctx, file); err != nil {
			return Result{}, err
		}
	}
	applied, err := in.Apply(ctx, core.FileChange{Op: core.OpWrite, Path: file, Content: text}, etag)
	if err != nil {
		return Result{}, err
	}
	return Result{
		Text:    fmt.Sprintf("The check %s with %d steps is kept in %s.", name, steps, file),
		Changed: []core.FileChanged{{Path: file.String(), Action: applied.Action}},
	}, nil
}
