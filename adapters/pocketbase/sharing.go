package pocketbase

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/adapters/internal/walship"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// The directory of a project's shared data is named after its holder's token. The next
// holder renames it, so an earlier holder that is still alive no longer finds the paths.
// The files that it has open are segments of a log that nobody reads any more.

// tokenFile has the token with which this engine holds a project, below Config.Dir. A
// restarted worker continues with it.
const tokenFile = "token"

// Hold implements backend.Holder.
func (e *Engine) Hold(_ context.Context, project core.ID, token int64) error {
	if _, err := core.ParseID(string(project)); err != nil || e.config.Shared == "" {
		return core.NotFound("backend")
	}
	if err := e.places.retire(project); err != nil {
		return err
	}
	shared, local := filepath.Join(e.config.Shared, string(project)), filepath.Join(e.config.Dir, string(project))
	err := errors.Join(os.MkdirAll(shared, 0o700), os.RemoveAll(local), os.MkdirAll(local, 0o700))
	if err == nil {
		err = takeOver(shared, token)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(local, tokenFile), []byte(strconv.FormatInt(token, 10)), 0o600)
	}
	return errors.Join(faultOf(err), e.places.retire(project))
}

// takeOver renames the shared data of a project for a token, and removes the leftovers of
// earlier holders.
func takeOver(shared string, token int64) error {
	tokens, err := tokensIn(shared)
	if err != nil {
		return err
	}
	held := filepath.Join(shared, strconv.FormatInt(token, 10))
	last := int64(0)
	for _, found := range tokens {
		last = max(last, found)
	}
	switch {
	case last > token:
		return core.Errorf(core.CodeConflict, "another process has the data of the application")
	case last == 0:
		err = os.Mkdir(held, 0o700)
	case last < token:
		err = os.Rename(filepath.Join(shared, strconv.FormatInt(last, 10)), held)
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		return core.Wrap(core.CodeConflict, err, "another process takes the data of the application")
	}
	if err == nil {
		err = adopt(shared, held)
	}
	if err == nil {
		err = durable.SyncDir(shared)
	}
	for _, found := range tokens {
		if found < last && err == nil {
			err = os.RemoveAll(filepath.Join(shared, strconv.FormatInt(found, 10)))
		}
	}
	return errors.Join(err, os.RemoveAll(filepath.Join(held, copiesDir)))
}

// adopt takes over the data of a single process, which has no token.
func adopt(shared, held string) error {
	for _, env := range []core.DataEnv{core.DataTest, core.DataLive} {
		err := os.Rename(filepath.Join(shared, string(env)), filepath.Join(held, string(env)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// tokensIn returns the tokens in the names of directories.
func tokensIn(shared string) ([]int64, error) {
	entries, err := os.ReadDir(shared)
	if err != nil {
		return nil, err
	}
	var tokens []int64
	for _, entry := range entries {
		if token, err := strconv.ParseInt(entry.Name(), 10, 64); err == nil && token > 0 {
			tokens = append(tokens, token)
		}
	}
	return tokens, nil
}

// Leave implements backend.Holder.
func (e *Engine) Leave(_ context.Context, project core.ID) error {
	if _, err := core.ParseID(string(project)); err != nil {
		return nil
	}
	local := filepath.Join(e.config.Dir, string(project))
	if err := os.Remove(filepath.Join(local, tokenFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return faultOf(err)
	}
	return errors.Join(e.places.retire(project), faultOf(os.RemoveAll(local)))
}

// retire closes the data sets of a project permanently.
func (p *places) retire(project core.ID) error {
	var errs []error
	for _, set := range p.all() {
		if set.place.Project != project {
			continue
		}
		set.retired.Store(true)
		p.mu.Lock()
		if p.sets[set.place] == set {
			delete(p.sets, set.place)
		}
		p.mu.Unlock()
		errs = append(errs, set.close())
	}
	return errors.Join(errs...)
}

func notHeld() error {
	return core.Errorf(core.CodeUnavailable, "this process does not have the data of the application: try again")
}

// held returns the directory of the shared data of a project that this engine holds.
func (p *places) held(project core.ID) (string, error) {
	text, err := os.ReadFile(filepath.Join(p.config.Dir, string(project), tokenFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", notHeld()
	}
	if err != nil {
		return "", faultOf(err)
	}
	if _, err := strconv.ParseInt(string(text), 10, 64); err != nil {
		return "", notHeld()
	}
	return filepath.Join(p.config.Shared, string(project), string(text)), nil
}

// dirOf returns the directory of a place.
func (p *places) dirOf(place backend.Place) (directory, error) {
	below := string(place.Env)
	if place.Copy != "" {
		below = filepath.Join(copiesDir, string(place.Copy)+"-"+string(place.Env))
	}
	local := filepath.Join(p.config.Dir, string(place.Project), below)
	if p.config.Shared == "" {
		return directory{root: local}, nil
	}
	held, err := p.held(place.Project)
	return directory{root: filepath.Join(held, below), work: local, held: held}, err
}

// removeSharedCopies removes the shared part of scratch copies.
func (p *places) removeSharedCopies() error {
	if p.config.Shared == "" {
		return nil
	}
	projects, err := os.ReadDir(p.config.Dir)
	for _, project := range projects {
		if held, missing := p.held(core.ID(project.Name())); missing == nil {
			err = errors.Join(err, os.RemoveAll(filepath.Join(held, copiesDir)))
		}
	}
	return err
}

// removeShared removes the data of a project that is held.
func (p *places) removeShared(project core.ID) error {
	if _, err := p.held(project); err != nil {
		return err
	}
	return faultOf(os.RemoveAll(filepath.Join(p.config.Shared, string(project))))
}

// Shared data is read beside its holder for backups: that costs the holder nothing, and works while
// nobody holds it.

// maxMoves bounds how often a directory is followed that gets another name.
const maxMoves = 100

// OpenShared opens the directory of an environment of a project below Config.Shared. It stays open
// when another process takes the project over. Without data there, the error is fs.ErrNotExist.
func OpenShared(shared string, project core.ID, env core.DataEnv) (*os.Root, error) {
	dir := filepath.Join(shared, string(project))
	for range maxMoves {
		// A service that was alone left it without a token.
		root, err := os.OpenRoot(filepath.Join(dir, string(env)))
		if !errors.Is(err, fs.ErrNotExist) {
			return root, err
		}
		tokens, err := tokensIn(dir)
		if err != nil {
			return nil, err
		}
		if len(tokens) == 0 {
			return nil, fs.ErrNotExist
		}
		held := filepath.Join(dir, strconv.FormatInt(slices.Max(tokens), 10))
		root, err = os.OpenRoot(filepath.Join(held, string(env)))
		if _, moved := os.Stat(held); errors.Is(err, fs.ErrNotExist) && errors.Is(moved, fs.ErrNotExist) {
			continue
		}
		return root, err
	}
	return nil, fmt.Errorf("the data of project %s keeps being taken over: try again", project)
}

// CopyShared makes a new database of that of an environment, which OpenShared opened, as it is at
// one moment. What was acknowledged before is in the copy.
func CopyShared(env *os.Root, database string) error {
	data, err := fs.Sub(env.FS(), "data")
	if err != nil {
		return err
	}
	return walship.Copy(data, database)
}
