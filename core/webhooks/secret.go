package webhooks

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/identity"
)

const (
	// keyBytes is the length of a key; Standard Webhooks asks for 24 to 64.
	keyBytes = 32
	// secretPrefix marks a secret as the key of a webhook's signatures.
	secretPrefix = "whsec_"
	// formerFor is how long a key that was replaced still signs.
	formerFor = 24 * time.Hour
)

func newKey() []byte {
	key := make([]byte, keyBytes)
	_, _ = rand.Read(key) // never fails, as crypto/rand says
	return key
}

// secretOf is a key as people give it to receivers.
func secretOf(key []byte) string { return secretPrefix + base64.StdEncoding.EncodeToString(key) }

// place binds a sealed key.
func place(webhook core.ID) string { return "webhook " + string(webhook) }

// keysOf returns the keys that sign at a time, the current one first.
func keysOf(sealer identity.Sealer, webhook core.Webhook, now core.Time) ([][]byte, error) {
	sealed := [][]byte{webhook.Sealed}
	if len(webhook.SealedFormer) > 0 && now < webhook.FormerUntil {
		sealed = append(sealed, webhook.SealedFormer)
	}
	keys := make([][]byte, len(sealed))
	for i, one := range sealed {
		key, err := sealer.Open(one, place(webhook.ID))
		if err != nil {
			return nil, err
		}
		keys[i] = key
	}
	return keys, nil
}

// Sign returns the header webhook-signature of a message: for each key "v1," and the base64 of the
// HMAC-SHA256 of "id.timestamp.body", separated by spaces.
func Sign(keys [][]byte, id string, at time.Time, body string) string {
	signatures := make([]string, len(keys))
	for i, key := range keys {
		mac := hmac.New(sha256.New, key)
		_, _ = mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "." + body)) // never fails, as hash.Hash says
		signatures[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	return strings.Join(signatures, " ")
}

// messageName is the header webhook-id of a message.
func messageName(message core.ID) string { return "msg_" + string(message) }
