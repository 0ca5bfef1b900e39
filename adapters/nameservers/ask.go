package nameservers

import (
	"context"
	"errors"
	"strings"

	mdns "github.com/miekg/dns"
)

// udpBytes is how large an answer over UDP may be: what reaches everybody in one
// piece. Larger ones are asked for again over TCP.
const udpBytes = 1232

// errTooMany ends a search whose name servers send it from one to the next.
var errTooMany = errors.New("too many questions")

// ask puts one question to one server. The answer is to that question, and whole;
// what it says is for the caller to judge.
func (s *search) ask(server, name string, kind uint16, recursive bool) (*mdns.Msg, error) {
	s.questions++
	if s.questions > maxQuestions {
		return nil, errTooMany
	}
	if _, isName := mdns.IsDomainName(name); !isName {
		return nil, errors.New("this is no name")
	}
	question := new(mdns.Msg)
	question.SetQuestion(mdns.Fqdn(name), kind)
	question.RecursionDesired = recursive
	question.SetEdns0(udpBytes, false)
	answer, err := s.exchange("udp", server, question)
	if err == nil && answer.Rcode == mdns.RcodeFormatError {
		// A server from before EDNS (RFC 6891, section 7).
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
		return nil, errors.New("the answer is to another question")
	}
	return answer, nil
}

// isUsable reports whether an answer says something of the name, if only that it is
// not there.
func isUsable(answer *mdns.Msg) bool {
	return answer.Rcode == mdns.RcodeSuccess || answer.Rcode == mdns.RcodeNameError
}
