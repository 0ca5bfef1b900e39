package nameservers

import (
	"context"
	"errors"
	"strings"

	mdns "github.com/miekg/dns"
)

// udpBytes is the largest answer over UDP that reaches everyone without fragmentation.
// Larger answers are requested again over TCP.
const udpBytes = 1232

// errTooMany ends a search in which name servers keep referring to one another.
var errTooMany = errors.New("too many DNS queries")

// ask puts one question to one server. The answer belongs to that question and is
// complete; the caller judges its content.
func (s *search) ask(server, name string, kind uint16, recursive bool) (*mdns.Msg, error) {
	s.questions++
	if s.questions > maxQuestions {
		return nil, errTooMany
	}
	if _, isName := mdns.IsDomainName(name); !isName {
		return nil, errors.New("this is not a valid name")
	}
	question := new(mdns.Msg)
	question.SetQuestion(mdns.Fqdn(name), kind)
	question.RecursionDesired = recursive
	question.SetEdns0(udpBytes, false)
	answer, err := s.exchange("udp", server, question)
	if err == nil && answer.Rcode == mdns.RcodeFormatError {
		// The server predates EDNS (RFC 6891, section 7).
		question.Extra = nil
		answer, err = s.exchange("udp", server, question)
	}
	if err == nil && answer.Truncated {
		answer, err = s.exchange("tcp", server, question)
	}
	return answer, err
}

func (s *search) exchange(network, server string, question *mdns.Msg) (*mdns.Msg, error) {
	ctx, cancel := context.WithTimeout(s.ctx, questionTime)
	defer cancel()
	client := mdns.Client{Net: network, Timeout: questionTime, UDPSize: udpBytes}
	answer, _, err := client.ExchangeContext(ctx, question, server)
	if err != nil {
		return nil, err
	}
	asked := question.Question[0]
	if !answer.Response || len(answer.Question) != 1 || answer.Question[0].Qtype != asked.Qtype ||
		answer.Question[0].Qclass != asked.Qclass || !strings.EqualFold(answer.Question[0].Name, asked.Name) {
		return nil, errors.New("the answer is for another query")
	}
	return answer, nil
}

// isUsable reports whether an answer says something about the name, even that it does not
// exist.
func isUsable(answer *mdns.Msg) bool {
	return answer.Rcode == mdns.RcodeSuccess || answer.Rcode == mdns.RcodeNameError
}
