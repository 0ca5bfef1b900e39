package credentials

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/identity"
)

// The cost of a hash. OWASP's Password Storage Cheat Sheet lists equivalent costs for
// argon2id; this one takes the least memory, which the garbage collector has to free
// after every hash.
const (
	memoryKiB = 7 << 10
	passes    = 5
	lanes     = 1
	saltBytes = 16
	hashBytes = 32
)

// maxMemoryKiB and maxPasses bound the cost that a stored hash may demand.
const (
	maxMemoryKiB = 256 << 10
	maxPasses    = 16
)

// Passwords hashes with argon2id. A hash is a PHC string, which states its own cost, so
// hashes with other costs still match.
type Passwords struct {
	// semaphore bounds the hashes that are computed at the same time. Callers get their turn
	// in the order in which they came.
	semaphore chan struct{}
	// decoy is compared if there is no hash, so that the answer takes the same time.
	decoy phc
}

var _ identity.Passwords = (*Passwords)(nil)

// NewPasswords returns passwords that compute so many hashes at the same time, at least
// one. Each takes 7 MiB meanwhile.
func NewPasswords(parallel int) *Passwords {
	decoy := phc{memory: memoryKiB, passes: passes, lanes: lanes, salt: make([]byte, saltBytes), hash: make([]byte, hashBytes)}
	return &Passwords{make(chan struct{}, max(1, parallel)), decoy}
}

// Hash implements identity.Passwords.
func (p *Passwords) Hash(ctx context.Context, password string) (string, error) {
	fresh := phc{memory: memoryKiB, passes: passes, lanes: lanes, salt: make([]byte, saltBytes)}
	// crypto/rand.Read never fails: the runtime aborts instead.
	_, _ = rand.Read(fresh.salt)
	hash, err := p.compute(ctx, fresh, password, hashBytes)
	if err != nil {
		return "", err
	}
	fresh.hash = hash
	return fresh.String(), nil
}

// Verify implements identity.Passwords. A stored hash that is no PHC string of
// argon2id has code core.CodeInternal.
func (p *Passwords) Verify(ctx context.Context, hash, password string) (bool, error) {
	want, known := p.decoy, hash != ""
	if known {
		parsed, err := parsePHC(hash)
		if err != nil {
			return false, core.Wrap(core.CodeInternal, err, "a stored password hash is malformed")
		}
		want = parsed
	}
	got, err := p.compute(ctx, want, password, len(want.hash))
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, want.hash) == 1 && known, nil
}

func (p *Passwords) compute(ctx context.Context, cost phc, password string, length int) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the password was not checked in time")
	}
	select {
	case p.semaphore <- struct{}{}:
		defer func() { <-p.semaphore }()
	case <-ctx.Done():
		return nil, core.Wrap(core.CodeUnavailable, ctx.Err(), "the password was not checked in time")
	}
	return argon2.IDKey([]byte(password), cost.salt, cost.passes, cost.memory, cost.lanes, uint32(length)), nil
}

// phc is a hash in the PHC string format:
// $argon2id$v=19$m=<KiB>,t=<passes>,p=<lanes>$<salt>$<hash>.
type phc struct {
	memory, passes uint32
	lanes          uint8
	salt, hash     []byte
}

// String implements fmt.Stringer.
func (h phc) String() string {
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.memory, h.passes, h.lanes, encode(h.salt), encode(h.hash))
}

func parsePHC(text string) (phc, error) {
	var h phc
	var version int
	var tail string
	if _, err := fmt.Sscanf(text, "$argon2id$v=%d$m=%d,t=%d,p=%d$%s", &version, &h.memory, &h.passes, &h.lanes, &tail); err != nil {
		return phc{}, fmt.Errorf("not a PHC string of argon2id: %w", err)
	}
	if version != argon2.Version || h.memory < 8 || h.memory > maxMemoryKiB || h.passes < 1 || h.passes > maxPasses || h.lanes < 1 {
		return phc{}, fmt.Errorf("version %d, m=%d, t=%d, p=%d is out of bounds", version, h.memory, h.passes, h.lanes)
	}
	if err := h.parseBytes(tail); err != nil {
		return phc{}, err
	}
	if h.String() != text {
		return phc{}, errors.New("not in canonical form")
	}
	return h, nil
}

// parseBytes parses "<salt>$<hash>".
func (h *phc) parseBytes(tail string) error {
	saltText, hashText, _ := strings.Cut(tail, "$")
	salt, saltErr := base64.RawStdEncoding.DecodeString(saltText)
	hash, hashErr := base64.RawStdEncoding.DecodeString(hashText)
	if err := errors.Join(saltErr, hashErr); err != nil {
		return err
	}
	if len(salt) < 8 || len(hash) < 16 || len(hash) > 64 {
		return fmt.Errorf("a salt of %d and a hash of %d bytes are out of bounds", len(salt), len(hash))
	}
	h.salt, h.hash = salt, hash
	return nil
}
