package client

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/atelierhq/atelier/bootstrap/client/checkout"
	"github.com/atelierhq/atelier/bootstrap/client/remote"
)

// checkoutBase is the installation of the folder, "" for none.
func (in *invocation) checkoutBase() string {
	folder, err := checkout.Find(in.folder)
	if err != nil {
		return ""
	}
	defer folder.Close()
	return folder.Origin.Installation
}

// checkoutProject is the project of the folder, "" for none, or for one of another installation.
func (in *invocation) checkoutProject(base string) string {
	folder, err := checkout.Find(in.folder)
	if err != nil {
		return ""
	}
	defer folder.Close()
	if folder.Origin.Installation != base {
		return ""
	}
	return folder.Origin.Project
}

// gitRemote is how git calls the installation.
func gitRemote(ctx context.Context, client *remote.Client) (checkout.Service, error) {
	bearer, err := client.Bearer(ctx)
	return checkout.Service{Bearer: bearer, Client: client.HTTP()}, err
}

// pull makes a folder for a project, or brings that of the working directory up to date.
func pull(flags *flag.FlagSet) action {
	mark := flags.Bool("merge", false, "where both sides changed the same lines, write both into the file, with git's markers")
	return func(ctx context.Context, in *invocation, args []string) error {
		client, err := in.client()
		if err != nil {
			return err
		}
		folder, err := in.pullFolder(ctx, client, args)
		if err != nil {
			return err
		}
		defer folder.Close()
		if err := saveEdits(ctx, client, folder.Origin.Project); err != nil {
			return err
		}
		from, err := gitRemote(ctx, client)
		if err != nil {
			return err
		}
		done, err := folder.Update(ctx, from, *mark)
		if err != nil {
			return gitFault(err, client)
		}
		result := struct {
			checkout.Update
			Folder string `json:"folder"`
		}{done, folder.Dir}
		err = in.print(result, func(to io.Writer) {
			printChanges(to, done.Changes)
			fmt.Fprintf(to, "%s has version %.10s.\n", folder.Dir, done.Version)
			if done.Merging {
				fmt.Fprintln(to, "Your own commits and the project's become one version with the next atelier push.")
			}
		})
		if err == nil && len(done.Conflicts) > 0 {
			err = &checkout.Conflict{Message: "these files were changed both here and in the project", Files: done.Conflicts, Next: "choose what stays, then: atelier push"}
		}
		return err
	}
}

// pullFolder is the folder that pull fills: the named one, one called as the named project, or
// that of the working directory.
func (in *invocation) pullFolder(ctx context.Context, client *remote.Client, args []string) (*checkout.Folder, error) {
	if len(args) == 0 && in.project == "" {
		folder, err := checkout.Find(in.folder)
		if errors.Is(err, checkout.ErrNone) {
			return nil, wrongUse("%v: name the project, atelier pull PROJECT", err)
		}
		return folder, sameInstallation(folder, err, client)
	}
	found, err := in.findProject(ctx, client, args[:min(1, len(args))])
	if err != nil {
		return nil, err
	}
	origin, dir := checkout.Origin{Installation: client.Base(), Project: found.ID}, filepath.Join(in.folder, found.Slug)
	if len(args) == 2 {
		dir = filepath.Join(in.folder, args[1])
		if filepath.IsAbs(args[1]) {
			dir = args[1]
		}
	}
	for _, existing := range []string{dir, in.folder} {
		folder, err := checkout.Find(existing)
		if err == nil && folder.Origin == origin {
			return folder, nil
		}
		if err == nil {
			_ = folder.Close()
		}
	}
	return checkout.Create(dir, origin)
}

// sameInstallation refuses a folder of another installation than the client's.
func sameInstallation(folder *checkout.Folder, err error, client *remote.Client) error {
	if err == nil && folder.Origin.Installation != client.Base() {
		return wrongUse("this folder belongs to %s, and not to %s", folder.Origin.Installation, client.Base())
	}
	return err
}

// saveEdits makes a version of what people have edited in the project, since git has versions
// only. People who may only read get the last version.
func saveEdits(ctx context.Context, client *remote.Client, project string) error {
	_, err := client.Call(ctx, http.MethodPost, "/projects/"+project+"/versions", map[string]string{"message": "Edited by hand"})
	var failure *remote.Failure
	if errors.As(err, &failure) && (failure.Status == http.StatusConflict || failure.Status == http.StatusForbidden || failure.Status == http.StatusNotFound) {
		return nil
	}
	return err
}

// push makes the folder's changes a version.
func push(flags *flag.FlagSet) action {
	message := flags.String("m", "", "what the version is called by (`text`)")
	return func(ctx context.Context, in *invocation, _ []string) error {
		client, err := in.client()
		if err != nil {
			return err
		}
		folder, err := checkout.Find(in.folder)
		if errors.Is(err, checkout.ErrNone) {
			return wrongUse("%v: atelier pull PROJECT makes one", err)
		}
		if err := sameInstallation(folder, err, client); err != nil {
			return err
		}
		defer folder.Close()
		who, err := person(ctx, client)
		if err != nil {
			return err
		}
		to, err := gitRemote(ctx, client)
		if err != nil {
			return err
		}
		name, _, _ := strings.Cut(who, "@")
		if name == "" {
			name, who = "atelier", "atelier@localhost"
		}
		done, err := folder.Push(ctx, to, checkout.Version{Message: *message, Name: name, Email: who, Now: time.Now()})
		if err != nil {
			return gitFault(err, client)
		}
		for _, skipped := range done.Skipped {
			in.note("%s is no file, and stays here", clean(skipped))
		}
		return in.print(done, func(to io.Writer) {
			printChanges(to, done.Changes)
			fmt.Fprintf(to, "The project has version %.10s.\n", done.Version)
		})
	}
}

// mostChanges is how many changed files people are shown.
const mostChanges = 40

func printChanges(to io.Writer, changes []checkout.Change) {
	for i, change := range changes {
		if i == mostChanges {
			fmt.Fprintf(to, "  and %d more\n", len(changes)-i)
			return
		}
		fmt.Fprintf(to, "  %-8s %s\n", change.Kind, clean(change.Path))
	}
}

// gitFault is a failure of git's protocol as one of the client.
func gitFault(err error, client *remote.Client) error {
	if told := checkout.StatusOf(err); told != 0 {
		return &remote.Failure{Status: told, Code: "refused", Message: fmt.Sprintf("%s refuses: %v", client.Base(), err)}
	}
	return err
}
