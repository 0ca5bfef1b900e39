package backups_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory/objects"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backups"
)

// plain is an archive that holds a text.
type plain struct {
	text string
	// writing is why writing fails, if it does. It may change while the archive is in use.
	writing atomic.Pointer[core.Error]
	// checking is why the check fails.
	checking error
	// wait is called before it is written.
	wait func(context.Context)
}

func (p *plain) Suffix() string { return ".tar.gz" }

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func (p *plain) Write(ctx context.Context, w io.Writer) (string, error) {
	if p.wait != nil {
		p.wait(ctx)
	}
	if failure := p.writing.Load(); failure != nil {
		return "", failure
	}
	_, err := io.WriteString(w, p.text)
	return digest(p.text), errors.Join(err, ctx.Err())
}

func (p *plain) Check(_ context.Context, r io.Reader) (string, error) {
	read, err := io.ReadAll(r)
	return digest(string(read)), errors.Join(err, p.checking)
}

// yard is a vault on memory adapters, at a time that a test moves.
type yard struct {
	objects *objects.Store
	archive *plain
	now     time.Time
	vault   *backups.Vault
}

func newYard() *yard {
	y := &yard{objects: objects.New(), archive: &plain{text: "everything"}, now: time.Date(2030, 1, 2, 3, 4, 5, 600, time.UTC)}
	y.vault = &backups.Vault{Objects: y.objects, Archive: y.archive, Keep: 2, Now: func() time.Time { return y.now }}
	return y
}

func (y *yard) names(t *testing.T) []string {
	t.Helper()
	listed, err := y.objects.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, object := range listed {
		names = append(names, object.Name)
	}
	return names
}

func (y *yard) make(t *testing.T) core.Backup {
	t.Helper()
	made, err := y.vault.Make(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	y.now = y.now.Add(24 * time.Hour)
	return made
}

func TestABackupIsWrittenVerifiedAndListed(t *testing.T) {
	y := newYard()
	made := y.make(t)
	if made.Name != "atelier-2030-01-02T030405.000Z.tar.gz" || !made.Verified || made.Bytes != 10 {
		t.Errorf("got %+v, want it named for its time, and verified", made)
	}
	listed, err := y.vault.List(t.Context())
	if err != nil || len(listed) != 1 || listed[0] != made {
		t.Errorf("got %+v, %v, want %+v", listed, err, made)
	}
	content, err := y.objects.Get(t.Context(), made.Name+".sha256")
	if err != nil {
		t.Fatal(err)
	}
	if line, err := io.ReadAll(content); err != nil || string(line) != digest("everything")+"  "+made.Name+"\n" {
		t.Errorf("got %q, %v, want what sha256sum -c reads", line, err)
	}
}

func TestABackupThatIsNotWhatWasWrittenDoesNotCount(t *testing.T) {
	for name, spoil := range map[string]func(*yard){
		"writing fails":  func(y *yard) { y.archive.writing.Store(&core.Error{Code: core.CodeUnavailable, Message: "no disk"}) },
		"checking fails": func(y *yard) { y.archive.checking = errors.New("a damaged database") },
		"storing fails":  func(y *yard) { y.objects.Break(errors.New("no network")) },
		"it came damaged": func(y *yard) {
			y.vault.Objects = damager{y.objects}
		},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard()
			spoil(y)
			if made, err := y.vault.Make(t.Context()); err == nil {
				t.Errorf("got %+v, want an error", made)
			}
			y.objects.Break(nil)
			if got := y.names(t); len(got) > 0 {
				t.Errorf("got %v left behind, want nothing", got)
			}
		})
	}
}

// damager flips a bit of every archive that it stores.
type damager struct{ *objects.Store }

func (d damager) Put(ctx context.Context, name string, content io.Reader) error {
	err := d.Store.Put(ctx, name, content)
	d.Damage(name, func(content []byte) []byte { content[0] ^= 1; return content })
	return err
}

func TestOnlyVerifiedBackupsCountForRetention(t *testing.T) {
	y := newYard()
	first, second := y.make(t), y.make(t)
	if err := y.objects.Put(t.Context(), "atelier-2030-01-03T120000.000Z.tar.gz", strings.NewReader("a crash left this")); err != nil {
		t.Fatal(err)
	}
	if err := y.objects.Put(t.Context(), "other.txt", strings.NewReader("not ours")); err != nil {
		t.Fatal(err)
	}
	third := y.make(t)
	y.archive.checking = errors.New("damaged")
	for range 3 {
		if _, err := y.vault.Make(t.Context()); err == nil {
			t.Fatal("got a backup, want a failure")
		}
	}
	want := []string{second.Name, second.Name + ".sha256", "atelier-2030-01-03T120000.000Z.tar.gz", third.Name, third.Name + ".sha256", "other.txt"}
	if got := y.names(t); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	name, content, err := y.vault.Open(t.Context(), backups.Latest)
	if err != nil || name != third.Name || content.Close() != nil {
		t.Errorf("got %q, %v, want the latest that was verified", name, err)
	}
	if _, _, err := y.vault.Open(t.Context(), first.Name); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want the first gone", err)
	}
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
