package rooms_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/yjs"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/rooms"
	"github.com/atelierhq/atelier/ports/replica"
	"github.com/atelierhq/atelier/ports/storage"
)

func TestWhatPeopleTypeReachesEachOtherAndTheDisk(t *testing.T) {
	play(t, func(h *house) {
		ann, bob := h.join(h.owner), h.join(h.person("bob", core.RoleMember))
		ann.want(index, page)
		ann.types(index, "one", " and two")
		bob.types(index, "<h1>", "Number ")
		want := strings.Replace(page, "one", "Number one and two", 1)
		ann.want(index, want)
		bob.want(index, want)
		if got := h.onDisk(index); got != page {
			t.Errorf("got %q on the disk while they type, want %q", got, page)
		}
		time.Sleep(2 * time.Second)
		if got := h.onDisk(index); got != want {
			t.Errorf("got %q on the disk, want %q", got, want)
		}
		h.join(h.owner).want(index, want)
	})
}

func TestWhoeverReadsSeesWhatIsTyped(t *testing.T) {
	play(t, func(h *house) {
		h.join(h.owner).types(index, "one", " and two")
		if got, _ := h.read(index); !strings.Contains(got, "one and two") {
			t.Errorf("got %q, want what was typed just now", got)
		}
	})
}

func TestAWriteBesideTheRoomTakesNothingFromThoseWhoType(t *testing.T) {
	play(t, func(h *house) {
		ann := h.join(h.owner)
		// The agent has read the page; somebody types, and the agent writes all of it.
		ann.types(index, "one", " and two")
		h.write(core.FileChange{Op: core.OpWrite, Path: index, Content: []byte(strings.Replace(page, "one", "one and two", 1) + "<p>by the agent</p>\n")})
		update := ann.edit(index, "two", " and three")
		synctest.Wait()
		h.must(ann.member.Update(update))
		time.Sleep(2 * time.Second)
		want := strings.Replace(page, "one", "one and two and three", 1) + "<p>by the agent</p>\n"
		ann.want(index, want)
		if got := h.onDisk(index); got != want {
			t.Errorf("got %q on the disk, want %q", got, want)
		}
	})
}

func TestFilesComeAndGo(t *testing.T) {
	at := core.MustPath
	play(t, func(h *house) {
		ann := h.join(h.owner)
		h.write(core.FileChange{Op: core.OpWrite, Path: at("src/a.css"), Content: []byte("a {}\n")})
		h.write(core.FileChange{Op: core.OpWrite, Path: at("logo.png"), Content: []byte("\x89PNG\x00")})
		h.write(core.FileChange{Op: core.OpWrite, Path: at("large.txt"), Content: []byte(strings.Repeat("x", rooms.MaxSharedBytes+1))})
		h.write(core.FileChange{Op: core.OpWrite, Path: at("node_modules/a/index.js"), Content: []byte("1")})
		time.Sleep(time.Second)
		ann.want(at("src/a.css"), "a {}\n")
		if got := ann.paths(); got != "index.html src/a.css" {
			t.Errorf("got the files %q, want the texts that are not too large", got)
		}
		h.write(core.FileChange{Op: core.OpRename, Path: at("src"), To: at("styles")})
		h.write(core.FileChange{Op: core.OpDelete, Path: index})
		time.Sleep(time.Second)
		if got := ann.paths(); got != "styles/a.css" {
			t.Errorf("got the files %q, want the renamed one alone", got)
		}
		ann.make(at("new.ts"), "export {}")
		ann.drop(at("styles/a.css"))
		time.Sleep(2 * time.Second)
		if _, found := h.read(at("styles/a.css")); found {
			t.Error("got the file that was deleted in the room, want none")
		}
		if got := h.onDisk(at("new.ts")); got != "export {}" {
			t.Errorf("got %q, want the file that was made in the room", got)
		}
	})
}

func (c *client) paths() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for _, path := range c.doc.Paths() {
		names = append(names, path.String())
	}
	return strings.Join(names, " ")
}

func (c *client) make(path core.ProjectPath, text string) {
	c.h.t.Helper()
	c.mu.Lock()
	change, err := c.doc.Edit(path, []replica.Edit{{Insert: text}})
	c.mu.Unlock()
	c.h.must(err)
	c.h.must(c.member.Update(change.Update))
}

func (c *client) drop(path core.ProjectPath) {
	c.h.t.Helper()
	c.mu.Lock()
	change := c.doc.Remove(path)
	c.mu.Unlock()
	c.h.must(c.member.Update(change.Update))
}

func TestADirectoryInTheWayOfAFileOfTheRoom(t *testing.T) {
	play(t, func(h *house) {
		ann := h.join(h.owner)
		ann.make(core.MustPath("index.html/below"), "cannot be")
		ann.types(index, "one", " and two")
		time.Sleep(2 * time.Second)
		if got := ann.paths(); got != "index.html" {
			t.Errorf("got the files %q, want those that can be", got)
		}
		if got := h.onDisk(index); !strings.Contains(got, "and two") {
			t.Errorf("got %q, want what was typed into the other file", got)
		}
	})
}

func TestReadersSeeAndDoNotWrite(t *testing.T) {
	play(t, func(h *house) {
		ann, guest := h.join(h.owner), h.join(h.person("guest", core.RoleNone))
		guest.want(index, page)
		if err := guest.member.Update(guest.edit(index, "one", " by a guest")); !core.IsCode(err, core.CodeForbidden) {
			t.Errorf("got %v, want %s", err, core.CodeForbidden)
		}
		synctest.Wait()
		ann.want(index, page)
	})
}

func TestAClientComesBackWithWhatItTypedMeanwhile(t *testing.T) {
	play(t, func(h *house) {
		ann := h.join(h.owner)
		ann.types(index, "one", " and two")
		ann.member.Leave()
		time.Sleep(time.Second)
		want := strings.Replace(page, "one", "one and two", 1)
		if got := h.onDisk(index); got != want {
			t.Errorf("got %q when the room was empty, want %q", got, want)
		}
		offline := ann.edit(index, "two", " and offline")
		_ = offline
		h.write(core.FileChange{Op: core.OpWrite, Path: index, Content: []byte(want + "<p>meanwhile</p>\n")})
		h.restart()
		ann = h.joinWith(h.owner, ann.doc)
		time.Sleep(2 * time.Second)
		want = strings.Replace(page, "one", "one and two and offline", 1) + "<p>meanwhile</p>\n"
		ann.want(index, want)
		if got := h.onDisk(index); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func (h *house) restart() {
	h.t.Helper()
	h.close()
	h.service = h.open(true)
}

func TestWhoeverMayNotBeThereIsShownOut(t *testing.T) {
	tests := []struct {
		name string
		lose func(h *house, member core.Actor)
		want error
	}{
		{"out of the workspace", func(h *house, member core.Actor) {
			h.hide()
			h.must(h.store.Tables().Members.Remove(h.t.Context(), h.space, member.UserID))
		}, rooms.ErrLostAccess},
		{"the project is deleted", func(h *house, _ core.Actor) {
			_, err := h.store.Tables().Projects.Update(h.t.Context(), h.project, func(p *core.Project) error {
				now := core.At(time.Now())
				p.DeletedAt = &now
				return nil
			})
			h.must(err)
		}, rooms.ErrLostAccess},
		{"the session was ended", func(h *house, _ core.Actor) {
			h.standing.Store(core.Errorf(core.CodeUnauthenticated, "over"))
		}, core.Errorf(core.CodeUnauthenticated, "")},
		{"the token ran out", func(h *house, _ core.Actor) {
			h.standing.Store(core.Errorf(core.CodeTokenExpired, "over"))
		}, core.Errorf(core.CodeTokenExpired, "")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			play(t, func(h *house) {
				member := h.person("bob", core.RoleMember)
				bob := h.join(member)
				time.Sleep(time.Minute)
				test.lose(h, member)
				bob.wantOver(10*time.Second, test.want)
			})
		})
	}
}

// hide makes the project private.
func (h *house) hide() {
	h.t.Helper()
	_, err := h.store.Tables().Projects.Update(h.t.Context(), h.project, func(p *core.Project) error {
		p.Visibility = core.VisibilityWorkspace
		return nil
	})
	h.must(err)
}

func TestAMemberThatDoesNotReadIsShownOutAndHoldsNobodyUp(t *testing.T) {
	play(t, func(h *house) {
		ann := h.join(h.owner)
		stuck, err := h.service.Join(h.t.Context(), h.owner, h.project, rooms.Documents)
		h.must(err)
		for range 300 {
			ann.types(index, "one", "!")
		}
		if _, err := stuck.Next(h.t.Context()); err != rooms.ErrTooSlow {
			t.Errorf("got %v, want %v", err, rooms.ErrTooSlow)
		}
		if got := strings.Count(ann.text(index), "!"); got != 301 {
			t.Errorf("got %d, want all that was typed", got)
		}
	})
}

func TestWhatTheDatabaseHasOutlivesACrashBeforeTheDisk(t *testing.T) {
	play(t, func(h *house) {
		// The database has a text that was not written to the disk.
		doc, err := yjs.Maker{}.Open(nil)
		h.must(err)
		_, err = doc.Edit(index, []replica.Edit{{Insert: page + "typed"}})
		h.must(err)
		state, err := doc.Encode(nil)
		h.must(err)
		base, table, dead := page, h.store.Tables().Rooms, core.NewID()
		_, err = table.Claim(h.t.Context(), h.project, dead, core.At(time.Now()), core.At(time.Now()).Add(time.Hour))
		h.must(err)
		h.must(table.Append(h.t.Context(), h.project, dead, state, map[core.ProjectPath]*string{index: &base}))

		// Somebody has changed the disk since.
		h.write(core.FileChange{Op: core.OpWrite, Path: index, Content: []byte("<!-- new -->\n" + page)})
		ann := h.join(h.owner)
		want := "<!-- new -->\n" + page + "typed"
		ann.want(index, want)
		if got, _ := h.read(index); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestAStateThatCannotBeOpenedIsBegunAnew(t *testing.T) {
	play(t, func(h *house) {
		table, dead := h.store.Tables().Rooms, core.NewID()
		_, err := table.Claim(h.t.Context(), h.project, dead, 0, 1)
		h.must(err)
		h.must(table.Append(h.t.Context(), h.project, dead, []byte("no update"), nil))
		h.join(h.owner).want(index, page)
		h.close()
		state, err := table.Claim(h.t.Context(), h.project, core.NewID(), core.At(time.Now()).Add(time.Hour), 1)
		h.must(err)
		if state.Epoch != 2 {
			t.Errorf("got epoch %d, want 2", state.Epoch)
		}
	})
}

func TestOneProcessHasARoomAndAnotherTakesItOver(t *testing.T) {
	play(t, func(h *house) {
		first, second := h.open(false), h.open(false)
		h.must(h.service.Close(h.t.Context()))
		h.service = first
		ann := h.join(h.owner)
		if _, err := second.Join(h.t.Context(), h.owner, h.project, rooms.Documents); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("got %v, want %s", err, core.CodeUnavailable)
		}
		ann.types(index, "one", " and two")
		h.must(first.Close(h.t.Context()))
		ann.wantOver(time.Second, rooms.ErrMoved)
		h.service = second
		h.join(h.owner).want(index, strings.Replace(page, "one", "one and two", 1))
	})
}

func TestAProcessThatDiesAtOnceLeavesTheTextsThatClientsHave(t *testing.T) {
	play(t, func(h *house) {
		dead := h.service
		ann := h.join(h.owner)
		ann.types(index, "one", " and two")
		h.die()
		again := ann.away()
		again.edit(index, "two", " and offline")
		h.write(core.FileChange{Op: core.OpWrite, Path: index, Content: []byte(page + "<p>meanwhile</p>\n")})
		ann = h.joinWith(h.owner, again.doc)
		time.Sleep(2 * time.Second)
		ann.want(index, strings.Replace(page, "one", "one and two and offline", 1)+"<p>meanwhile</p>\n")
		h.must(dead.Close(h.t.Context()))
	})
}

func TestWhatIsTypedWhileOthersHaveTheFilesIsThereOnceAfterACrash(t *testing.T) {
	play(t, func(h *house) {
		dead := h.service
		ann := h.join(h.owner)
		free := h.holdFiles()
		ann.types(index, "one", " and two")
		time.Sleep(time.Second)
		ann.types(index, "two", " and three")
		free()
		want := strings.Replace(page, "one", "one and two and three", 1)
		if got := h.onDisk(index); got != want {
			h.t.Fatalf("got %q on the disk, want %q", got, want)
		}
		h.die()
		ann = h.joinWith(h.owner, ann.away().doc)
		ann.want(index, want)
		h.must(dead.Close(h.t.Context()))
	})
}

func TestAProcessWhoseRoomIsAnothersLeavesTheDiskAlone(t *testing.T) {
	play(t, func(h *house) {
		h.must(h.service.Close(h.t.Context()))
		h.service = h.open(false)
		ann := h.join(h.owner)
		free := h.holdFiles()
		ann.types(index, "one", " and two")
		time.Sleep(time.Second)
		// The process hung for so long that its claim expired.
		later := core.At(time.Now()).Add(time.Hour)
		_, err := h.store.Tables().Rooms.Claim(h.t.Context(), h.project, core.NewID(), later, later)
		h.must(err)
		free()
		ann.wantOver(time.Second, rooms.ErrMoved)
		if got := h.onDisk(index); got != page {
			h.t.Errorf("got %q on the disk, want %q until the other process writes", got, page)
		}
	})
}

func TestClientsDoNotGetOfTheDiskWhatTheDatabaseDoesNotHave(t *testing.T) {
	play(t, func(h *house) {
		h.must(h.service.Close(h.t.Context()))
		h.service = h.open(false)
		ann := h.join(h.owner)
		h.write(core.FileChange{Op: core.OpWrite, Path: index, Content: []byte(page + "stored")})
		synctest.Wait()
		ann.want(index, page+"stored")
		later := core.At(time.Now()).Add(time.Hour)
		_, err := h.store.Tables().Rooms.Claim(h.t.Context(), h.project, core.NewID(), later, later)
		h.must(err)
		h.write(core.FileChange{Op: core.OpWrite, Path: index, Content: []byte(page + "refused")})
		ann.wantOver(time.Second, rooms.ErrMoved)
		ann.want(index, page+"stored")
	})
}

func TestWhoeverComesGetsOfTheDiskWhatTheDatabaseHas(t *testing.T) {
	play(t, func(h *house) {
		database := &fragileStore{Store: h.store}
		h.must(h.service.Close(h.t.Context()))
		h.front = database
		h.service = h.open(true)
		ann, eve := h.join(h.owner), h.follow(h.owner)
		eve.told()
		database.away.Store(true)
		h.write(core.FileChange{Op: core.OpWrite, Path: index, Content: []byte(page + "more")})
		synctest.Wait()
		bob := h.join(h.owner)
		bob.want(index, "")
		ann.want(index, page)
		database.away.Store(false)
		time.Sleep(5 * time.Second)
		bob.want(index, page+"more")
		ann.want(index, page+"more")
		eve.want(`file.changed {"path":"index.html"`)
	})
}

func TestWhatWasSavedIsThereOnceAfterACrashAndAWriteBesideIt(t *testing.T) {
	play(t, func(h *house) {
		dead := h.service
		ann := h.join(h.owner)
		ann.types(index, "one", " and two")
		time.Sleep(3 * time.Second)
		h.die()
		h.write(core.FileChange{Op: core.OpWrite, Path: index, Content: []byte(strings.Replace(page, "one", "one and two and three", 1))})
		h.join(h.owner).want(index, strings.Replace(page, "one", "one and two and three", 1))
		h.must(dead.Close(h.t.Context()))
	})
}

func TestARoomDoesNotTakeItsOwnTextForSomebodyElses(t *testing.T) {
	play(t, func(h *house) {
		ann := h.join(h.owner)
		h.slow.Store(int64(time.Second))
		ann.types(index, "one", " and two")
		time.Sleep(500 * time.Millisecond)
		ann.types(index, "two", " and three")
		time.Sleep(5 * time.Second)
		ann.want(index, strings.Replace(page, "one", "one and two and three", 1))
		h.slow.Store(0)
	})
}

// fragileStore is a database whose tables of rooms may be down.
type fragileStore struct {
	storage.Store
	away atomic.Bool
}

func (f *fragileStore) Tables() storage.Tables {
	tables := f.Store.Tables()
	tables.Rooms = fragileRooms{tables.Rooms, &f.away}
	return tables
}

type fragileRooms struct {
	storage.Rooms
	away *atomic.Bool
}

func (f fragileRooms) Append(ctx context.Context, project, owner core.ID, update []byte, bases map[core.ProjectPath]*string) error {
	if f.away.Load() {
		return core.Errorf(core.CodeUnavailable, "the database is away")
	}
	return f.Rooms.Append(ctx, project, owner, update, bases)
}

// holdFiles locks the project's files until free is called.
func (h *house) holdFiles() (free func()) {
	held, done := make(chan struct{}), make(chan struct{})
	go func() {
		_ = h.pipeline.Amend(h.t.Context(), h.project, core.Author{}, func(context.Context, files.Snapshot) ([]core.FileChange, error) {
			close(held)
			<-done
			return nil, nil
		}, nil)
	}()
	<-held
	return func() {
		close(done)
		synctest.Wait()
	}
}
