package outbox_test

import (
	"bytes"
	"fmt"
	"log/slog"
	netmail "net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/outbox"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/mail"
	"github.com/atelierhq/atelier/ports/mail/mailtest"
)

// box is an outbox whose clock advances a second with every mail.
type box struct {
	*outbox.Outbox
	dir string
	log *bytes.Buffer
}

func newBox(t *testing.T) *box {
	t.Helper()
	b := &box{dir: filepath.Join(t.TempDir(), "data", "outbox"), log: &bytes.Buffer{}}
	var mu sync.Mutex
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	b.Outbox = outbox.New(outbox.Config{
		Dir: b.dir, From: netmail.Address{Name: "Atelier", Address: "atelier@atelier.example"}, Log: slog.New(slog.NewTextHandler(b.log, nil)),
		Now: func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			now = now.Add(time.Second)
			return now
		},
	})
	return b
}

// files are the names of the files, sorted.
func (b *box) files(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(b.dir, "*"))
	hidden, _ := filepath.Glob(filepath.Join(b.dir, ".*"))
	if err != nil {
		t.Fatal(err)
	}
	return append(names, hidden...)
}

func (b *box) Sender(*testing.T) mail.Sender { return b }

func (b *box) Received(t *testing.T) []mail.Message {
	t.Helper()
	var mails []mail.Message
	for _, name := range b.files(t) {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		message, err := mailtest.ReadMessage(content)
		if err != nil {
			t.Fatalf("%s: %v in\n%s", name, err, content)
		}
		mails = append(mails, message)
	}
	return mails
}

// Break puts a file where the folder belongs.
func (b *box) Break(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(b.dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(b.dir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOutbox(t *testing.T) {
	mailtest.Run(t, func(t *testing.T) mailtest.Harness { return newBox(t) })
}

func sample(subject string) mail.Message {
	return mail.Message{
		To: "ada@example.com", Subject: subject, ID: string(core.NewID()),
		Text: "https://atelier.example/reset-password?token=geheim\n", HTML: "<p>geheim</p>\n",
	}
}

func TestAMailIsAFileForItsOwnerNamedByTheTime(t *testing.T) {
	b := newBox(t)
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := b.Send(t.Context(), sample("One")); err != nil {
		t.Fatal(err)
	}
	names := b.files(t)
	if len(names) != 1 || !strings.HasPrefix(filepath.Base(names[0]), "20300102T020406.000Z-") || filepath.Ext(names[0]) != ".eml" {
		t.Fatalf("got %v, want one file that the time begins", names)
	}
	for path, want := range map[string]os.FileMode{b.dir: 0o700, names[0]: 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v, %v, want mode %o", path, info.Mode(), err, want)
		}
	}
	content, err := os.ReadFile(names[0])
	if err != nil || !bytes.Contains(content, []byte("From: \"Atelier\" <atelier@atelier.example>\r\n")) || !bytes.Contains(content, []byte("Date: Wed, 02 Jan 2030 02:04:06 +0000\r\n")) {
		t.Errorf("got %s, %v, want sender and date", content, err)
	}
}

func TestTheLogNamesTheFileAndNothingOfTheMail(t *testing.T) {
	b := newBox(t)
	if err := b.Send(t.Context(), sample("Betreff")); err != nil {
		t.Fatal(err)
	}
	line := b.log.String()
	if strings.Count(line, "\n") != 1 || !strings.Contains(line, b.files(t)[0]) {
		t.Errorf("got %q, want one line that names the file", line)
	}
	for _, secret := range []string{"geheim", "ada@example.com", "Betreff", "reset-password"} {
		if strings.Contains(line, secret) {
			t.Errorf("got %q, want it without %q", line, secret)
		}
	}
}

func TestTheNewestThousandAreKept(t *testing.T) {
	b := newBox(t)
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 1005 {
		name := fmt.Sprintf("20290101T%06d.000Z-old.eml", i)
		if err := os.WriteFile(filepath.Join(b.dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, other := range []string{".new-half", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(b.dir, other), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Send(t.Context(), sample("New")); err != nil {
		t.Fatal(err)
	}
	names := b.files(t)
	if first := filepath.Base(names[0]); len(names) != 1001 || first != "20290101T000006.000Z-old.eml" {
		t.Errorf("got %d files from %s on, want 1000 mails and the strange file", len(names), first)
	}
	if !slices.Contains(names, filepath.Join(b.dir, "notes.txt")) || slices.Contains(names, filepath.Join(b.dir, ".new-half")) {
		t.Error("got half a mail kept, or a file removed that is no mail")
	}
}

func TestAMailThatCannotBeWrittenLeavesNothing(t *testing.T) {
	b := newBox(t)
	b.Break(t)
	if err := b.Send(t.Context(), sample("One")); !core.IsCode(err, core.CodeUnavailable) {
		t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
	}
	if b.log.Len() > 0 {
		t.Errorf("got %q, want nothing in the log", b.log)
	}
	left, err := os.ReadDir(filepath.Dir(b.dir))
	if err != nil || len(left) != 1 {
		t.Errorf("got %v, %v, want nothing left behind", left, err)
	}
}
