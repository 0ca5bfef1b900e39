package s3_test

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/atelierhq/atelier/adapters/s3"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/objects"
	"github.com/atelierhq/atelier/ports/objects/objectstest"
)

// serverVariable names a real server, as http://access:secret@host:port/bucket. Without it the tests bring
// one that speaks the protocol, but checks no signatures.
const serverVariable = "ATELIER_TEST_S3"

// place is a folder of its own in a bucket.
func place(t *testing.T) s3.Config {
	t.Helper()
	address := os.Getenv(serverVariable)
	if address == "" {
		backend := s3mem.New()
		if err := backend.CreateBucket("bucket"); err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(gofakes3.New(backend).Server())
		t.Cleanup(server.Close)
		address = strings.Replace(server.URL, "://", "://access:secret@", 1) + "/bucket"
	}
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	secret, _ := parsed.User.Password()
	return s3.Config{
		Endpoint: &url.URL{Scheme: parsed.Scheme, Host: parsed.Host}, Region: "us-east-1", Bucket: strings.TrimPrefix(parsed.Path, "/"), Prefix: "backups/" + rand.Text(),
		AccessKey: parsed.User.Username(), SecretKey: secret,
	}
}

func open(t *testing.T, config s3.Config) *s3.Store {
	t.Helper()
	store, err := s3.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func TestStore(t *testing.T) {
	objectstest.Run(t, func(t *testing.T) objects.Store { return open(t, place(t)) })
}

func TestAWholeBucketCanBeThePlace(t *testing.T) {
	config := place(t)
	inside := open(t, config)
	config.Prefix = ""
	whole := open(t, config)
	for _, store := range []*s3.Store{inside, whole} {
		if err := store.Put(t.Context(), "a", strings.NewReader("content")); err != nil {
			t.Fatal(err)
		}
	}
	listed, err := whole.List(t.Context())
	if err != nil || len(listed) != 1 || listed[0].Name != "a" {
		t.Errorf("got %v, %v, want the object of the bucket, and none of its folders", listed, err)
	}
	if err := whole.Remove(t.Context(), "a"); err != nil {
		t.Error(err)
	}
}

func TestFailuresSayWhatIsWrong(t *testing.T) {
	config := place(t)
	config.Bucket = "missing-bucket"
	for what, err := range map[string]error{
		"Check": open(t, config).Check(t.Context()), "Put": open(t, config).Put(t.Context(), "a", strings.NewReader("x")),
	} {
		var known *core.Error
		if !errors.As(err, &known) || known.Code != core.CodeUnavailable || !strings.Contains(known.Message, "missing-bucket does not exist") {
			t.Errorf("%s: got %v, want the bucket named", what, err)
		}
	}
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`<Error><Code>InvalidAccessKeyId</Code><Message>no</Message></Error>`))
	}))
	defer refusing.Close()
	config.Endpoint, _ = url.Parse(refusing.URL)
	var known *core.Error
	if err := open(t, config).Check(t.Context()); !errors.As(err, &known) || !strings.Contains(known.Message, "refuses the access key") || strings.Contains(err.Error(), config.SecretKey) {
		t.Errorf("got %v, want the key refused and the secret not told", err)
	}
}
