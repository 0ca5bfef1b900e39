package rooms_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/adapters/yjs"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/core/rooms"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/replica"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// house is a workspace with a project and its rooms, over adapters in memory.
type house struct {
	t     *testing.T
	store *memory.Store
	// front, if set, wraps the store for the rooms.
	front storage.Store
	// documents, when set, makes the rooms' documents.
	documents replica.Maker
	// slow is how long the release of a files lock takes to return after others may take
	// it, in nanoseconds.
	slow     atomic.Int64
	bus      *memory.Bus
	unsaved  *memory.UnsavedEdits
	gate     *access.Gate
	pipeline *files.Pipeline
	service  *rooms.Service
	trees    *memory.Trees
	// standing is the result of the session's check.
	standing atomic.Pointer[core.Error]
	space    core.ID
	project  core.ID
	owner    core.Actor
}

// play runs a test in a synctest bubble, in a house whose project has a page.
func play(t *testing.T, test func(h *house)) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		test(h)
		h.close()
	})
}

func newHouse(t *testing.T) *house {
	trees := memory.NewTrees()
	h := &house{
		t: t, store: memory.NewStore(), bus: memory.NewBus(), unsaved: memory.NewUnsaved(), trees: trees,
		space: core.NewID(), project: core.NewID(),
	}
	h.gate = access.NewGate(h.store)
	h.pipeline = h.newPipeline(h.bus)
	ctx, tables := t.Context(), h.store.Tables()
	h.must(tables.Workspaces.Create(ctx, core.Workspace{ID: h.space, Name: "Space", Slug: "space"}))
	h.owner = h.person("owner", core.RoleOwner)
	commit := vcs.Commit{Message: "First", Author: core.Author{Kind: core.AuthorUser, Name: "owner"}}
	rows, err := h.pipeline.Create(ctx, h.project, fstest.MapFS{"index.html": {Data: []byte(page)}}, commit)
	h.must(err)
	h.must(tables.Projects.Create(ctx, core.Project{
		ID: h.project, WorkspaceID: h.space, Slug: "shop", Name: "shop", Visibility: core.VisibilityPublic, CreatedBy: h.owner.UserID,
	}))
	_, err = tables.Files.Apply(ctx, h.project, storage.FileDelta{Put: rows})
	h.must(err)
	h.service = h.open(true)
	return h
}

const page = "<!doctype html>\n<h1>one</h1>\n"

var index = core.MustPath("index.html")

// maxFileBytes is the largest file that people may write.
const maxFileBytes = 400_000

// process gives rooms a name of their own on a registry that several share.
type process struct {
	*memory.UnsavedEdits
	name core.ID
}

func (p process) Owner() core.ID { return p.name }

// open starts rooms, as a process does.
func (h *house) open(exclusive core.SoleProcess) *rooms.Service {
	store := storage.Store(h.store)
	if h.front != nil {
		store = h.front
	}
	documents := h.documents
	if documents == nil {
		documents = yjs.Maker{}
	}
	return rooms.New(rooms.Deps{
		Store: store, Gate: h.gate, Reader: h.pipeline.Reader, Writer: h.pipeline.Writer, Documents: documents, Bus: h.bus, Unsaved: process{h.unsaved, core.NewID()},
		Standing: func(context.Context, core.Actor) error {
			if ended := h.standing.Load(); ended != nil {
				return ended
			}
			return nil
		},
		Now: time.Now, Log: slog.New(slog.DiscardHandler), MaxFileBytes: maxFileBytes,
		Present: func(project core.Project) projects.View {
			address := "http://" + project.Slug + ".sites.test"
			return projects.View{Project: project, URL: &address}
		},
		Exclusive: exclusive,
	})
}

func (h *house) close() {
	h.t.Helper()
	h.must(h.service.Close(context.Background()))
}

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// person makes a user with a role in the workspace.
func (h *house) person(name string, role core.Role) core.Actor {
	h.t.Helper()
	id := core.NewID()
	h.must(h.store.Tables().Users.Create(h.t.Context(), core.User{ID: id, Email: name + "@example.com"}))
	if role != core.RoleNone {
		h.must(h.store.Tables().Workspaces.PutMember(h.t.Context(), core.Membership{WorkspaceID: h.space, UserID: id, Role: role}))
	}
	return core.Actor{UserID: id}
}

// write changes a file as the API and the agent do.
func (h *house) write(change core.FileChange) {
	h.t.Helper()
	results, err := h.pipeline.Apply(h.t.Context(), h.project, core.Author{Kind: core.AuthorAgent, Name: "agent"}, []core.FileChange{change}, nil)
	h.must(err)
	h.must(results[0].Err)
}

// read returns a file's content, which must be the same through the API and on the disk.
func (h *house) read(path core.ProjectPath) (string, bool) {
	h.t.Helper()
	file, err := h.pipeline.Open(h.t.Context(), core.FileAt{Project: h.project, Path: path})
	if core.IsCode(err, core.CodeNotFound) {
		return "", false
	}
	h.must(err)
	defer file.Close()
	content, err := io.ReadAll(file)
	h.must(err)
	return string(content), true
}

// onDisk returns the content of a file on the disk, without having edits saved.
func (h *house) onDisk(path core.ProjectPath) string {
	h.t.Helper()
	tree, err := h.trees.Open(h.t.Context(), h.project)
	h.must(err)
	content, err := fs.ReadFile(tree.FS(), path.String())
	h.must(err)
	return string(content)
}

// client is somebody's copy of the document.
type client struct {
	h      *house
	member *rooms.Member
	doc    replica.Document
	mu     sync.Mutex
	// told are the awareness states that came.
	told []core.Awareness
	over chan error
}

// join opens the document as somebody.
func (h *house) join(by core.Actor) *client { return h.joinWith(by, nil) }

// joinWith opens it with an earlier copy.
func (h *house) joinWith(by core.Actor, doc replica.Document) *client {
	h.t.Helper()
	member, err := h.service.Join(h.t.Context(), by, h.project, rooms.Documents)
	h.must(err)
	if doc == nil {
		doc, err = yjs.Maker{}.Open(nil)
		h.must(err)
	}
	c := &client{h: h, member: member, doc: doc, over: make(chan error, 1)}
	h.must(member.Sync(doc.StateVector()))
	vector, err := member.Vector()
	h.must(err)
	offline, err := doc.Encode(vector)
	h.must(err)
	if len(offline) > 2 {
		h.must(member.Update(offline))
	}
	go c.listen()
	synctest.Wait()
	return c
}

func (c *client) listen() {
	for {
		frame, err := c.member.Next(context.Background())
		if err != nil {
			c.over <- err
			return
		}
		c.mu.Lock()
		for _, update := range [][]byte{frame.SyncReply, frame.Update} {
			if update != nil {
				if _, err := c.doc.Apply(update); err != nil {
					panic(err)
				}
			}
		}
		c.told = append(c.told, frame.Awareness...)
		answer := c.asked(frame.SyncRequest)
		c.mu.Unlock()
		if answer != nil {
			_ = c.member.Update(answer)
		}
	}
}

// asked answers a question of the room.
func (c *client) asked(vector []byte) []byte {
	if vector == nil {
		return nil
	}
	answer, err := c.doc.Encode(vector)
	if err != nil {
		panic(err)
	}
	return answer
}

func (c *client) text(path core.ProjectPath) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, _ := c.doc.Text(path)
	return text
}

// edit inserts a text after another one, on the client's copy alone.
func (c *client) edit(path core.ProjectPath, after, insert string) []byte {
	c.h.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	text, _ := c.doc.Text(path)
	at := strings.Index(text, after)
	if at < 0 {
		c.h.t.Fatalf("got %q, want %q in it", text, after)
	}
	change, err := c.doc.Edit(path, []replica.Edit{{At: at + len(after), Insert: insert}})
	c.h.must(err)
	return change.Update
}

// types is edit, told to the room.
func (c *client) types(path core.ProjectPath, after, insert string) {
	c.h.t.Helper()
	c.h.must(c.member.Update(c.edit(path, after, insert)))
	synctest.Wait()
}

func (c *client) want(path core.ProjectPath, want string) {
	c.h.t.Helper()
	if got := c.text(path); got != want {
		c.h.t.Errorf("got %q, want %q", got, want)
	}
}

// wantOver waits for the end of the membership.
func (c *client) wantOver(within time.Duration, want error) {
	c.h.t.Helper()
	select {
	case err := <-c.over:
		if !errors.Is(err, want) && core.CodeOf(err) != core.CodeOf(want) {
			c.h.t.Errorf("got %v, want %v", err, want)
		}
	case <-time.After(within):
		c.h.t.Errorf("got nothing within %v, want %v", within, want)
	}
}

// behindTheRoom changes a file in a process whose notices do not arrive.
func (h *house) behindTheRoom(change core.FileChange) {
	h.t.Helper()
	results, err := h.newPipeline(memory.NewBus()).Apply(h.t.Context(), h.project, core.Author{}, []core.FileChange{change}, nil)
	h.must(err)
	h.must(results[0].Err)
}

func (h *house) newPipeline(bus *memory.Bus) *files.Pipeline {
	return files.NewPipeline(files.Deps{
		Exclusive: true,
		Trees:     h.trees, Repositories: memory.NewRepositories(h.trees), Store: h.store, Bus: bus,
		Unsaved: h.unsaved, Locks: slowLocks{memory.NewLocks(), h}, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
}

// slowLocks take a while to be released, like those of a distant server.
type slowLocks struct {
	locks.Locker
	h *house
}

func (s slowLocks) Lock(ctx context.Context, record core.ID) (context.Context, func(), error) {
	held, unlock, err := s.Locker.Lock(ctx, record)
	return held, func() {
		unlock()
		time.Sleep(time.Duration(s.h.slow.Load()))
	}, err
}

// die ends the process without notice, and starts another with what is on the disk and
// in the database.
func (h *house) die() {
	h.bus, h.unsaved = memory.NewBus(), memory.NewUnsaved()
	h.pipeline = h.newPipeline(h.bus)
	h.service = h.open(true)
}

// away returns the client's current copy, for a client that has lost its connection.
func (c *client) away() *client {
	c.h.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	state, err := c.doc.Encode(nil)
	c.h.must(err)
	doc, err := yjs.Maker{}.Open(state)
	c.h.must(err)
	return &client{h: c.h, doc: doc}
}
