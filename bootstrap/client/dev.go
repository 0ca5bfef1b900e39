package client

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"time"

	"github.com/atelierhq/atelier/bootstrap/client/checkout"
	"github.com/atelierhq/atelier/bootstrap/client/remote"
)

const (
	// mirrorEvery is the pause between two comparisons of a folder and its project.
	mirrorEvery = 700 * time.Millisecond
	// retryEvery is the pause after one that failed, so that a limit on calls has time to pass.
	retryEvery = 5 * time.Second
	// lastSyncTime bounds the work after the end was asked for.
	lastSyncTime = 30 * time.Second
)

// dev mirrors a folder and a project until it is interrupted. What was edited then becomes a
// version.
func dev(*flag.FlagSet) action {
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
		if err := updateQuietly(ctx, client, folder); err != nil {
			return err
		}
		mirror, err := folder.NewMirror(&remote.Files{Client: client, Project: folder.Origin.Project}, in.mirrored)
		if err != nil {
			return err
		}
		in.note("%s and %s are kept alike; Ctrl+C ends it.", folder.Dir, client.Base()+"/projects/"+folder.Origin.Project)
		showPreview(ctx, in, client, folder.Origin.Project)
		if in.json {
			in.mirrored(checkout.Change{Path: folder.Dir, Kind: "ready"})
		}
		if err := keepAlike(ctx, in, mirror); err != nil {
			return err
		}
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastSyncTime)
		defer cancel()
		if err := mirror.Sync(last); err != nil {
			return err
		}
		return updateQuietly(last, client, folder)
	}
}

// updateQuietly makes a version of what was edited and brings the folder's repository to it.
func updateQuietly(ctx context.Context, client *remote.Client, folder *checkout.Folder) error {
	if err := saveEdits(ctx, client, folder.Origin.Project); err != nil {
		return err
	}
	from, err := gitRemote(ctx, client)
	if err != nil {
		return err
	}
	if _, err := folder.Update(ctx, from, false); err != nil {
		return gitFault(err, client)
	}
	return nil
}

// showPreview tells where the preview is. Nothing depends on it.
func showPreview(ctx context.Context, in *invocation, client *remote.Client, project string) {
	var preview struct{ URL string }
	if client.Do(ctx, http.MethodPost, "/projects/"+project+"/preview", nil, &preview) == nil && preview.URL != "" {
		in.note("Preview: %s", preview.URL)
	}
}

// keepAlike syncs until ctx ends, also across times without a connection.
func keepAlike(ctx context.Context, in *invocation, mirror *checkout.Mirror) error {
	isAway := false
	for {
		err := mirror.Sync(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && !isPassing(err):
			return err
		case err != nil && !isAway:
			in.note("%v; it is tried again", err)
		case err == nil && isAway:
			in.note("The connection is back.")
		}
		pause := mirrorEvery
		if isAway = err != nil; isAway {
			pause = retryEvery
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
	}
}

// mirrored tells one thing that the mirror did.
func (in *invocation) mirrored(change checkout.Change) {
	if in.json {
		text, _ := json.Marshal(change)
		fmt.Fprintf(in.Out, "%s\n", text)
		return
	}
	fmt.Fprintf(in.Out, "  %-8s %s\n", change.Kind, clean(change.Path))
}
