package client

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"text/tabwriter"

	"github.com/atelierhq/atelier/bootstrap/client/remote"
	"github.com/atelierhq/atelier/core"
)

// pageSize is how many entries of a list are asked for at a time.
const pageSize = 100

// project is what this program needs of a project.
type project struct {
	ID          string  `json:"id"`
	WorkspaceID string  `json:"workspaceId"`
	Slug        string  `json:"slug"`
	Name        string  `json:"name"`
	Visibility  string  `json:"visibility"`
	URL         *string `json:"url"`
	UpdatedAt   string  `json:"updatedAt"`
}

// workspace is what this program needs of a workspace.
type workspace struct {
	ID, Name, Slug, Role string
	Personal             bool
}

// own reports whether this is the caller's personal workspace.
func (w workspace) own() bool { return w.Personal && w.Role == "owner" }

// eachProject calls found for every project of the caller, as JSON, until it returns false.
func eachProject(ctx context.Context, client *remote.Client, found func(project, json.RawMessage) bool) error {
	for cursor := ""; ; {
		var page struct {
			Items      []json.RawMessage
			NextCursor *string
		}
		if err := client.Get(ctx, fmt.Sprintf("/projects?limit=%d%s", pageSize, cursor), &page); err != nil {
			return err
		}
		for _, item := range page.Items {
			var one project
			if err := json.Unmarshal(item, &one); err != nil {
				return err
			}
			if !found(one, item) {
				return nil
			}
		}
		if page.NextCursor == nil || *page.NextCursor == "" {
			return nil
		}
		cursor = "&cursor=" + url.QueryEscape(*page.NextCursor)
	}
}

// listProjects lists all projects of the caller, the newest first.
func listProjects(*flag.FlagSet) action {
	return func(ctx context.Context, in *invocation, _ []string) error {
		client, err := in.client()
		if err != nil {
			return err
		}
		listed, all := []project{}, []json.RawMessage{}
		err = eachProject(ctx, client, func(one project, item json.RawMessage) bool {
			listed, all = append(listed, one), append(all, item)
			return true
		})
		if err != nil {
			return err
		}
		return in.print(map[string]any{"items": all}, func(to io.Writer) {
			table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
			for _, one := range listed {
				site := ""
				if one.URL != nil {
					site = *one.URL
				}
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", one.Slug, clean(one.Name), one.Visibility, site)
			}
			_ = table.Flush()
		})
	}
}

// findProject returns the project that a command means: the named one, or that of the folder.
func (in *invocation) findProject(ctx context.Context, client *remote.Client, args []string) (project, error) {
	name := strings.Join(args, "")
	switch {
	case name != "" && in.project != "" && name != in.project:
		return project{}, wrongUse("the project is named twice: %s and %s", name, in.project)
	case name == "":
		name = in.project
	}
	if name == "" {
		name = in.checkoutProject(client.Base())
	}
	if name == "" {
		return project{}, wrongUse("name a project, or work in a folder that atelier pull made; atelier projects lists them")
	}
	if id, err := core.ParseID(name); err == nil {
		var found project
		return found, client.Get(ctx, "/projects/"+string(id), &found)
	}
	var bySlug, byName []project
	err := eachProject(ctx, client, func(one project, _ json.RawMessage) bool {
		switch {
		case one.Slug == name:
			bySlug = append(bySlug, one)
		case strings.EqualFold(one.Name, name):
			byName = append(byName, one)
		}
		return true
	})
	if err != nil {
		return project{}, err
	}
	if len(bySlug) == 0 {
		bySlug = byName
	}
	return onlyProject(bySlug, name, client.Base())
}

// onlyProject is the one project of a name.
func onlyProject(found []project, name, base string) (project, error) {
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return project{}, &fault{
			Code: "not_found", Message: fmt.Sprintf("no project of yours at %s is called %q", base, name), Next: "atelier projects lists them", Exit: exitNotFound,
		}
	}
	ids := make([]string, len(found))
	for i, one := range found {
		ids[i] = one.ID
	}
	return project{}, wrongUse("%d projects are called %q: name one by its id, %s", len(found), name, strings.Join(ids, " or "))
}

// theProject returns the client and the project of a command.
func (in *invocation) theProject(ctx context.Context, args []string) (*remote.Client, project, error) {
	client, err := in.client()
	if err != nil {
		return nil, project{}, err
	}
	found, err := in.findProject(ctx, client, args)
	return client, found, err
}

// createProject creates a project.
func createProject(flags *flag.FlagSet) action {
	template := flags.String("template", "", "the `template` that it begins with")
	prompt := flags.String("prompt", "", "the first `message` to the agent, which begins to work at once")
	in := flags.String("workspace", "", "the `workspace`: a slug, a name or an id; without it, your own")
	return func(ctx context.Context, call *invocation, args []string) error {
		if len(args) == 0 {
			return wrongUse("name the project: atelier create NAME")
		}
		client, err := call.client()
		if err != nil {
			return err
		}
		home, err := findWorkspace(ctx, client, *in)
		if err != nil {
			return err
		}
		body := map[string]string{"name": args[0]}
		for member, value := range map[string]string{"template": *template, "prompt": *prompt} {
			if value != "" {
				body[member] = value
			}
		}
		text, err := client.Call(ctx, http.MethodPost, "/workspaces/"+home.ID+"/projects", body)
		if err != nil {
			return err
		}
		var made project
		if err := json.Unmarshal(text, &made); err != nil {
			return err
		}
		return call.print(text, func(to io.Writer) {
			fmt.Fprintf(to, "%s\n%s\n", made.Slug, studioURL(client, made))
		})
	}
}

// findWorkspace returns the workspace of a name, the caller's own for "".
func findWorkspace(ctx context.Context, client *remote.Client, name string) (workspace, error) {
	var listed struct{ Items []workspace }
	if err := client.Get(ctx, "/workspaces", &listed); err != nil {
		return workspace{}, err
	}
	var found []workspace
	for _, one := range listed.Items {
		if name == "" && one.own() || name != "" && (one.ID == name || one.Slug == name || strings.EqualFold(one.Name, name)) {
			found = append(found, one)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	names := make([]string, len(listed.Items))
	for i, one := range listed.Items {
		names[i] = one.Slug
	}
	return workspace{}, &fault{
		Code: "not_found", Message: fmt.Sprintf("%d workspaces of yours are called %q", len(found), name),
		Next: "choose one with --workspace: " + clean(strings.Join(names, ", ")), Exit: exitNotFound,
	}
}

// studioURL is where people work on a project.
func studioURL(client *remote.Client, of project) string { return client.Base() + "/projects/" + of.ID }

// openProject prints the address, and opens it where a person looks on.
func openProject(flags *flag.FlagSet) action {
	only := flags.Bool("print", false, "only print the address")
	return func(ctx context.Context, in *invocation, args []string) error {
		client, found, err := in.theProject(ctx, args)
		if err != nil {
			return err
		}
		address := studioURL(client, found)
		if err := in.print(map[string]string{"url": address}, func(to io.Writer) { fmt.Fprintln(to, address) }); err != nil {
			return err
		}
		if *only || in.json || !isTerminal(in.Out) {
			return nil
		}
		browser, err := exec.LookPath("xdg-open")
		if err != nil {
			return nil // the address is printed
		}
		return exec.CommandContext(ctx, browser, address).Run()
	}
}
