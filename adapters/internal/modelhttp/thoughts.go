package modelhttp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Member is a member of a server's answers in which it sends what its model thought, and wants it back.
type Member struct {
	// Name is the member's. Server is Caller.Mark of the server's: the log of a chat, where signatures are,
	// has more readers than the provider's address.
	Name, Server string
	// Value is the member's value, as JSON; "" if it is the thought's text.
	Value string
}

// memberPrefix is in front of signatures that are a Member. No vendor's begins so.
const memberPrefix = "member:"

// Signature returns the member as the signature of a thought, so that the thought goes back to the same
// model at the same server only.
func (m Member) Signature() string {
	signature := memberPrefix + m.Name + " " + m.Server
	if m.Value != "" {
		signature += " " + m.Value
	}
	return signature
}

// MemberOf returns the member that a signature is, if it is one.
func MemberOf(signature string) (m Member, is bool) {
	rest, is := strings.CutPrefix(signature, memberPrefix)
	if !is {
		return Member{}, false
	}
	m.Name, rest, _ = strings.Cut(rest, " ")
	m.Server, m.Value, _ = strings.Cut(rest, " ")
	return m, true
}

// Mark distinguishes the server from others, without its address.
func (c *Caller) Mark() string {
	sum := sha256.Sum256([]byte("server " + c.base.String()))
	return hex.EncodeToString(sum[:8])
}
