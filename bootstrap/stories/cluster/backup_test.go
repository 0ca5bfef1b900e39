package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestABackupOfSeveralProcessesIsRestored makes a backup while people write through all processes,
// and another while the process with the data is killed.
func TestABackupOfSeveralProcessesIsRestored(t *testing.T) {
	c := prepare(t)
	serves, addresses := c.servePeers(2)
	b := c.board(notesSchema)
	b.publish()
	file := b.upload(t, serves[0])
	wait(t, "a record", func() bool { return b.write(serves[0], "the first") == http.StatusOK })
	snapshot := "/projects/" + string(b.who.project) + "/backend/live/snapshots"
	b.who.call(serves[1], http.StatusCreated, http.MethodPost, snapshot, "{}", nil)

	stop := b.writeOn(t, serves)
	archives := []string{filepath.Join(t.TempDir(), "first.tar.gz"), filepath.Join(t.TempDir(), "second.tar.gz")}
	var kept []map[string]bool
	kept = append(kept, b.known())
	serves[0].Command("backup", archives[0])

	owner := addresses[b.owner(t)]
	if owner == nil {
		t.Fatal("got no process with the data")
	}
	kept = append(kept, b.known())
	var killing sync.WaitGroup
	killing.Go(owner.Kill)
	serves[0].Command("backup", archives[1])
	killing.Wait()
	owner.Restart()
	stop()

	for i, archive := range archives {
		for _, at := range serves {
			at.Stop()
		}
		if err := errors.Join(os.RemoveAll(filepath.Dir(c.projects)), os.RemoveAll(serves[0].Dir)); err != nil {
			t.Fatal(err)
		}
		c.emptyDatabase()
		serves[0].Command("restore", archive)
		for _, at := range serves {
			at.Restart()
		}
		b.acknowledged = maps.Clone(kept[i])
		b.holds(t, serves)
		b.checkFile(t, serves[1], file)
		var list struct{ Items []struct{ ID string } }
		b.who.call(serves[0], http.StatusOK, http.MethodGet, snapshot, "", &list)
		if len(list.Items) == 0 {
			t.Fatal("got no snapshot")
		}
		oldest := list.Items[len(list.Items)-1].ID
		b.who.call(serves[1], http.StatusNoContent, http.MethodPost, snapshot+"/"+oldest+"/restore", "{}", nil)
		b.acknowledged = map[string]bool{"the first": true}
		b.holds(t, serves)
		b.checkFile(t, serves[0], file)
	}
}

// known returns what was acknowledged until now.
func (b *board) known() map[string]bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.acknowledged)
}

// emptyDatabase removes every table of the installation, as an operator does before a restore.
func (c *cluster) emptyDatabase() {
	c.t.Helper()
	address, err := url.Parse(c.setting("DATABASE_URL"))
	if err != nil {
		c.t.Fatal(err)
	}
	ctx := context.Background()
	admin, err := pgx.Connect(ctx, address.String())
	if err != nil {
		c.t.Fatal(err)
	}
	defer admin.Close(ctx)
	schema := address.Query().Get("search_path")
	if _, err := admin.Exec(ctx, fmt.Sprintf("DROP SCHEMA %[1]s CASCADE; CREATE SCHEMA %[1]s", schema)); err != nil {
		c.t.Fatal(err)
	}
}
