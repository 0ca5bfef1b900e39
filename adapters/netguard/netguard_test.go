package netguard_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/atelierhq/atelier/adapters/netguard"
	"github.com/atelierhq/atelier/ports/netguard/netguardtest"
)

func TestGuard(t *testing.T) {
	netguardtest.Run(t, func(t *testing.T, allowPrivate bool) netguardtest.Harness {
		var hits atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			hits.Add(1)
			if r.URL.Path == "/redirect" {
				http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
				return
			}
			_, _ = io.WriteString(w, "canary")
		}))
		t.Cleanup(server.Close)
		names := &nameServer{addrs: map[string][]netip.Addr{}}
		return netguardtest.Harness{
			Guard:   netguard.NewResolving(allowPrivate, names.resolver()),
			Port:    server.Listener.Addr().(*net.TCPAddr).Port,
			Hits:    func() int { return int(hits.Load()) },
			Resolve: names.set,
		}
	})
}

// nameServer answers DNS queries over a pipe.
type nameServer struct {
	mu    sync.Mutex
	addrs map[string][]netip.Addr
}

func (s *nameServer) set(name string, texts ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addrs[name] = nil
	for _, text := range texts {
		s.addrs[name] = append(s.addrs[name], netip.MustParseAddr(text))
	}
}

func (s *nameServer) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go s.serve(there)
		return here, nil
	}}
}

// serve answers queries as over TCP: each message follows its length.
func (s *nameServer) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	for {
		var size [2]byte
		if _, err := io.ReadFull(conn, size[:]); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		answer, err := s.answer(query)
		if err != nil {
			return
		}
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

func (s *nameServer) answer(query []byte) ([]byte, error) {
	var message dnsmessage.Message
	if err := message.Unpack(query); err != nil {
		return nil, err
	}
	question := message.Questions[0]
	s.mu.Lock()
	addrs, known := s.addrs[strings.TrimSuffix(question.Name.String(), ".")]
	s.mu.Unlock()
	message.Response, message.RecursionAvailable = true, true
	message.Additionals = nil
	if !known {
		message.RCode = dnsmessage.RCodeNameError
	}
	for _, addr := range addrs {
		header := dnsmessage.ResourceHeader{Name: question.Name, Class: dnsmessage.ClassINET}
		switch {
		case addr.Is4() && question.Type == dnsmessage.TypeA:
			message.Answers = append(message.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: addr.As4()}})
		case addr.Is6() && question.Type == dnsmessage.TypeAAAA:
			message.Answers = append(message.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
		}
	}
	return message.Pack()
}
