package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/mail/mailtest"
)

// linkMailed waits for a mail to an address and returns the path on the service of
// the first link in it that begins with a path, such as /invites/.
func (s *service) linkMailed(t *testing.T, to, path string) string {
	t.Helper()
	var link string
	conformance.Eventually(t, fmt.Sprintf("a mail to %s with a link to %s", to, path), func() bool {
		files, err := filepath.Glob(filepath.Join(s.outbox, "*.eml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			message, err := mailtest.ReadMessage(content)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if _, rest, found := strings.Cut(message.Text, s.url+path); found && message.To == to {
				link = path + strings.Fields(rest)[0]
				return true
			}
		}
		return false
	})
	return link
}
