package publish

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/sites"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// isReserved reports whether the workspace reserves publishes that change functions or rules for its
// admins, and the caller is none: with either, a member would change live data, which only admins may.
func isReserved(ctx context.Context, tables storage.Tables, by core.Actor, project core.Project) (bool, error) {
	space, standing, err := tables.Workspaces.SeenBy(ctx, project.WorkspaceID, by.UserID)
	return space.LivePublish == core.RoleAdmin && !standing.Role.AtLeast(core.RoleAdmin), err
}

// checkFunctions returns core.CodeForbidden if a deployment has other functions than the live one.
func checkFunctions(ctx context.Context, store sites.Store, live *core.ID, next []sites.Entry) error {
	var before []sites.Entry
	if live != nil {
		var err error
		if before, err = store.List(ctx, *live); err != nil && !core.IsCode(err, core.CodeNotFound) {
			return err
		}
	}
	old, made := functionsOf(before), functionsOf(next)
	if maps.Equal(old, made) {
		return nil
	}
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(merged(old, made))) {
		if old[name] != made[name] {
			changed = append(changed, name)
		}
	}
	return core.Errorf(core.CodeForbidden, "only admins of this workspace may publish changes of functions, and this changes %s: ask an admin to publish", strings.Join(changed, ", "))
}

// functionsOf returns the digests of a deployment's functions by their names, and that of their schedules.
func functionsOf(files []sites.Entry) map[string]string {
	found := map[string]string{}
	for _, file := range files {
		if rest, isFunction := strings.CutPrefix(file.Path, core.FunctionBundles+"/"); isFunction && path.Ext(rest) != ".map" {
			found[strings.TrimSuffix(rest, path.Ext(rest))] = file.Digest
		}
	}
	return found
}

func merged(one, other map[string]string) map[string]string {
	all := maps.Clone(one)
	maps.Copy(all, other)
	return all
}

// checkRules returns core.CodeForbidden if a version has other rules for its records than the live data,
// which are those of the last version that was published: a rollback leaves the schema as it is.
func checkRules(ctx context.Context, deps Deps, project core.ID, version string) error {
	deployments, err := deps.Store.Tables().Deployments.List(ctx, project)
	if err != nil {
		return err
	}
	before := ""
	if len(deployments) > 0 {
		before = deployments[0].VersionID
	}
	differences, err := deps.History.Compare(ctx, project, before, version)
	if core.IsCode(err, core.CodeNotFound) {
		differences, err = deps.History.Compare(ctx, project, "", version)
	}
	if err != nil {
		return err
	}
	at := slices.IndexFunc(differences, func(d vcs.Difference) bool { return d.Path.String() == core.BackendSchemaPath })
	if at < 0 {
		return nil
	}
	old, err := rulesIn(ctx, deps.History, project, differences[at].Before)
	if err != nil {
		return err
	}
	made, err := rulesIn(ctx, deps.History, project, differences[at].After)
	if err != nil {
		return err
	}
	if changed := changedRules(old, made); len(changed) > 0 {
		return core.Errorf(core.CodeForbidden, "only admins of this workspace may publish changes of rules, and those of %s change: ask an admin to publish", strings.Join(changed, ", "))
	}
	return nil
}

// collectionRules are what a schema file says of who sees and does what in a collection, by the names of
// the members.
type collectionRules struct {
	backend.Collection
	members map[string]string
}

// rulesIn returns the rules in a schema file. The build refuses a file that is wrong.
func rulesIn(ctx context.Context, history files.History, project core.ID, blob *vcs.Blob) ([]collectionRules, error) {
	if blob == nil {
		return nil, nil
	}
	text, err := history.Content(ctx, project, *blob, backends.MaxSchemaBytes)
	if err != nil {
		return nil, err
	}
	declared, _ := backends.ParseSchema(text)
	found := make([]collectionRules, len(declared.Collections))
	for i, collection := range declared.Collections {
		found[i] = collectionRules{collection.Collection, map[string]string{}}
		rules := collection.Rules
		for name, rule := range map[string]*string{"listRule": rules.List, "viewRule": rules.View, "createRule": rules.Create, "updateRule": rules.Update, "deleteRule": rules.Delete} {
			if rule != nil {
				found[i].members[name] = *rule
			}
		}
		for name, unsaid := range map[string]string{"authRule": `""`, "manageRule": "null", "viewQuery": "null"} {
			if option := string(bytes.TrimSpace(collection.Options[name])); option != "" && option != unsaid {
				found[i].members[name] = option
			}
		}
	}
	return found, nil
}

// changedRules names the collections whose rules are others. One without rules is closed to all, so a new
// one has other rules only if it has any; one that goes has none.
func changedRules(before, after []collectionRules) (names []string) {
	for _, collection := range after {
		var old collectionRules
		for _, known := range before {
			// An id decides alone, whatever the name: it may be that of another collection.
			if collection.ID != "" && known.ID == collection.ID || collection.ID == "" && strings.EqualFold(known.Name, cmp.Or(collection.RenamedFrom, collection.Name)) {
				old = known
			}
		}
		if !maps.Equal(old.members, collection.members) {
			names = append(names, collection.Name)
		}
	}
	return names
}

// describe returns the entries of files.
func describe(files []sites.File) []sites.Entry {
	entries := make([]sites.Entry, len(files))
	for i, file := range files {
		entries[i] = sites.Describe(file)
	}
	return entries
}
