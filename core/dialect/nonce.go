package dialect

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"

	"github.com/atelierhq/atelier/ports/ai"
)

// nonceBytes is the size of a nonce: it cannot be guessed within a run, and a small
// model still copies it without an error.
const nonceBytes = 3

// Nonce returns a random number for tags, six hexadecimal digits.
func Nonce() string {
	random := make([]byte, nonceBytes)
	// crypto/rand.Read never fails.
	_, _ = rand.Read(random)
	return hex.EncodeToString(random)
}

// nonces returns the nonce for each request. It stays the same between requests, so
// that a server finds the beginning of the prompt in its cache. It changes once it
// appears in the conversation itself, where it could be imitated.
type nonces struct {
	make    func() string
	mu      sync.Mutex
	current string
}

// plainTries is how many random nonces are tried before longer ones.
const plainTries = 8

// next returns a nonce that is not in the request. Requests of one conversation have the
// same, also in later runs.
func (n *nonces) next(req ai.Request) string {
	if req.Conversation != "" {
		return nonceOf(req)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for tries := 0; n.current == "" || standsIn(req, n.current); tries++ {
		// A source that repeats itself must not prevent the call.
		n.current = n.make() + strings.Repeat("0", max(tries-plainTries, 0))
	}
	return n.current
}

// nonceOf returns the first nonce of the request's conversation that is not in the request.
// Nobody who writes into a conversation knows its id, so nobody can guess the next nonce.
func nonceOf(req ai.Request) string {
	for try := 0; ; try++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "tags %s %d", req.Conversation, try))
		if nonce := hex.EncodeToString(sum[:nonceBytes]); !standsIn(req, nonce) {
			return nonce
		}
	}
}

func standsIn(req ai.Request, nonce string) bool {
	if strings.Contains(req.System, nonce) {
		return true
	}
	for _, message := range req.Messages {
		if strings.Contains(message.Words(), nonce) {
			return true
		}
		for _, call := range message.Calls {
			if strings.Contains(string(call.Args), nonce) {
				return true
			}
		}
	}
	return false
}
