package smtp

import (
	"bufio"
	"context"
	"encoding/base64"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
)

// script is a server with scripted replies, over a pipe.
type script struct {
	greeting string
	// replies answer commands by their first word, "." the content of a mail. Other
	// commands succeed.
	replies map[string]string

	mu   sync.Mutex
	said strings.Builder
}

// Replies that are not sent: a silent server, and one that hangs up.
const (
	silence = "silence"
	hangUp  = "hang up"
)

// serve answers until the client leaves.
func (s *script) serve(conn net.Conn) {
	defer conn.Close()
	lines := bufio.NewReader(conn)
	if !s.reply(conn, s.greeting) {
		return
	}
	content := false
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		s.note(line)
		verb := strings.ToUpper(strings.Fields(line + " ?")[0])
		if content && verb != "." {
			continue
		}
		content = verb == "DATA"
		if !s.reply(conn, s.answer(verb)) {
			return
		}
	}
}

func (s *script) answer(verb string) string {
	if reply, known := s.replies[verb]; known {
		return reply
	}
	switch verb {
	case "EHLO":
		return "250-mail.example.com\r\n250 AUTH PLAIN LOGIN"
	case "DATA":
		return "354 go on"
	case "QUIT":
		return "221 bye"
	}
	return "250 ok"
}

// reply reports whether the conversation goes on.
func (s *script) reply(conn net.Conn, text string) bool {
	switch text {
	case hangUp:
		return false
	case silence:
		_, _ = io.Copy(io.Discard, conn)
		return false
	}
	_, err := io.WriteString(conn, text+"\r\n")
	return err == nil
}

func (s *script) note(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said.WriteString(line)
}

// heard is what the client sent.
func (s *script) heard() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.String()
}

// against is a sender that reaches serve, whatever its URL says.
func against(t *testing.T, url string, serve func(net.Conn)) *Sender {
	t.Helper()
	sender := newSender(parse(t, url))
	sender.dial = func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go serve(server)
		return client, nil
	}
	return sender
}

// TestAServerThatMisbehavesIsLeft plays servers against the sender on a clock that
// runs ahead. Nothing of it may take longer than half a minute.
func TestAServerThatMisbehavesIsLeft(t *testing.T) {
	const hello = "220 mail.example.com"
	for name, c := range map[string]struct {
		script *script
		want   core.Code
		// patience is how long the sender waits.
		patience time.Duration
	}{
		"it never answers":                     {&script{greeting: silence}, core.CodeUnavailable, talkTime},
		"it hangs up at once":                  {&script{greeting: hangUp}, core.CodeUnavailable, 0},
		"it shuts down":                        {&script{greeting: "421 not now"}, core.CodeUnavailable, 0},
		"it refuses everybody":                 {&script{greeting: "554 go away"}, core.CodeUnavailable, 0},
		"it is no mail server":                 {&script{greeting: "HTTP/1.1 400 Bad Request"}, core.CodeUnavailable, 0},
		"it says nothing":                      {&script{greeting: ""}, core.CodeUnavailable, 0},
		"it does not greet back":               {&script{greeting: hello, replies: map[string]string{"EHLO": silence}}, core.CodeUnavailable, talkTime},
		"it shuts down at the sender":          {&script{greeting: hello, replies: map[string]string{"MAIL": "421 bye"}}, core.CodeUnavailable, 0},
		"it refuses the sender":                {&script{greeting: hello, replies: map[string]string{"MAIL": "550 who are you?"}}, core.CodeUnavailable, 0},
		"it refuses the recipient":             {&script{greeting: hello, replies: map[string]string{"RCPT": "550 5.1.1 no such user"}}, core.CodeValidationFailed, 0},
		"it refuses, and hangs up":             {&script{greeting: hello, replies: map[string]string{"RCPT": "550 no", "RSET": hangUp}}, core.CodeValidationFailed, 0},
		"it knows no recipient at last":        {&script{greeting: hello, replies: map[string]string{"DATA": "554 no valid recipients"}}, core.CodeValidationFailed, 0},
		"it hangs up at the recipient":         {&script{greeting: hello, replies: map[string]string{"RCPT": hangUp}}, core.CodeUnavailable, 0},
		"it hangs up before the content":       {&script{greeting: hello, replies: map[string]string{"DATA": hangUp}}, core.CodeUnavailable, 0},
		"it takes the content and hangs up":    {&script{greeting: hello, replies: map[string]string{".": hangUp}}, core.CodeUnavailable, 0},
		"it takes the content and is silent":   {&script{greeting: hello, replies: map[string]string{".": silence}}, core.CodeUnavailable, talkTime},
		"it answers with nonsense":             {&script{greeting: hello, replies: map[string]string{"RCPT": "five hundred fifty"}}, core.CodeUnavailable, 0},
		"it answers with a number alone":       {&script{greeting: hello, replies: map[string]string{"RCPT": "5"}}, core.CodeUnavailable, 0},
		"it took the mail and then hangs up":   {&script{greeting: hello, replies: map[string]string{"QUIT": hangUp}}, "", 0},
		"it took the mail and then is silent":  {&script{greeting: hello, replies: map[string]string{"QUIT": silence}}, "", quitTime},
		"it took the mail and forgets nothing": {&script{greeting: hello, replies: map[string]string{"RSET": hangUp}}, "", 0},
		"it took the mail and then complains":  {&script{greeting: hello, replies: map[string]string{"QUIT": "500 what?"}}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				err := against(t, "smtp://localhost", c.script.serve).Send(t.Context(), sample())
				if core.CodeOf(err) != c.want {
					t.Errorf("got %v, want code %q", err, c.want)
				}
				if took := time.Since(began); took != c.patience {
					t.Errorf("got an answer after %s, want %s", took, c.patience)
				}
			})
		})
	}
}

func TestAGreetingThatDripsIsNotWaitedFor(t *testing.T) {
	for name, drip := range map[string]string{"letters": "2", "lines": "220-welcome\r\n"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				err := against(t, "smtp://localhost", func(conn net.Conn) {
					for {
						if _, err := io.WriteString(conn, drip); err != nil {
							return
						}
						time.Sleep(time.Second)
					}
				}).Send(t.Context(), sample())
				if took := time.Since(began); !core.IsCode(err, core.CodeUnavailable) || took != talkTime {
					t.Errorf("got %v after %s, want code %s after %s", err, took, core.CodeUnavailable, talkTime)
				}
				time.Sleep(2 * time.Second) // until the server has seen that the client is gone
			})
		})
	}
}

func TestAServerThatNeverStopsTalkingFillsNoMemory(t *testing.T) {
	for name, flood := range map[string]string{"a line without an end": strings.Repeat("2", 4096), "lines without an end": strings.Repeat("220-welcome\r\n", 300)} {
		t.Run(name, func(t *testing.T) {
			sent := make(chan int, 1)
			err := against(t, "smtp://localhost", func(conn net.Conn) {
				total := 0
				for {
					n, err := io.WriteString(conn, flood)
					if total += n; err != nil {
						sent <- total
						return
					}
				}
			}).Send(t.Context(), sample())
			if !core.IsCode(err, core.CodeUnavailable) {
				t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
			}
			if total := <-sent; total > maxAnswerBytes+len(flood) {
				t.Errorf("got %d bytes read, want %d at most", total, maxAnswerBytes)
			}
		})
	}
}

func TestTheEndOfTheContextEndsTheTalk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		server := &script{greeting: "220 hello", replies: map[string]string{".": silence}}
		err := against(t, "smtp://localhost", server.serve).Send(ctx, sample())
		if took := time.Since(began); !core.IsCode(err, core.CodeUnavailable) || took != time.Second {
			t.Errorf("got %v after %s, want code %s after a second", err, took, core.CodeUnavailable)
		}
	})
}

// TestAPasswordIsNeverSaidInTheClear covers servers, and those between, that take
// the encryption away.
func TestAPasswordIsNeverSaidInTheClear(t *testing.T) {
	const ehlo = "250-mail.example.com\r\n250-AUTH PLAIN LOGIN CRAM-MD5\r\n250 STARTTLS"
	for name, server := range map[string]*script{
		"STARTTLS is not offered":                   {greeting: "220 hello"},
		"STARTTLS is offered and refused":           {greeting: "220 hello", replies: map[string]string{"EHLO": ehlo, "STARTTLS": "454 not now"}},
		"STARTTLS is agreed to and does not follow": {greeting: "220 hello", replies: map[string]string{"EHLO": ehlo, "STARTTLS": "220 go on\r\n235 welcome"}},
		"a method without the password is":          {greeting: "220 hello", replies: map[string]string{"EHLO": "250-mail.example.com\r\n250 AUTH SCRAM-SHA-256 CRAM-MD5 PLAIN"}},
		"EHLO is not known":                         {greeting: "220 hello", replies: map[string]string{"EHLO": "502 what?"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				err := against(t, "smtp://ada:secret@mail.example.com", server.serve).Send(t.Context(), sample())
				if !core.IsCode(err, core.CodeUnavailable) {
					t.Errorf("got %v, want code %s", err, core.CodeUnavailable)
				}
				said := server.heard()
				if strings.Contains(said, "AUTH") || strings.Contains(said, "secret") || strings.Contains(said, base64.StdEncoding.EncodeToString([]byte("\x00ada\x00secret"))) {
					t.Errorf("got %q, want no password said", said)
				}
				if strings.Contains(said, "MAIL FROM") {
					t.Errorf("got %q, want no mail either", said)
				}
			})
		})
	}
}

func TestWhatIsSaidToTheServerIsOneMail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &script{greeting: "220 hello", replies: map[string]string{"EHLO": "250-mail.example.com\r\n250 SMTPUTF8"}}
		message := sample()
		message.Text = "\n.\nMAIL FROM:<eve@example.com>\nRCPT TO:<eve@example.com>\nDATA\nspam\n.\nQUIT\n"
		if err := against(t, "smtp://localhost", server.serve).Send(t.Context(), message); err != nil {
			t.Fatal(err)
		}
		said := server.heard()
		for line, want := range map[string]int{"MAIL FROM:<atelier@atelier.example>\r\n": 1, "RCPT TO:<ada@example.com>\r\n": 1, "\r\n.\r\n": 1, "\r\nQUIT\r\n": 2} {
			if got := strings.Count(said, line); got != want {
				t.Errorf("got %d times %q in %q, want %d", got, line, said, want)
			}
		}
	})
}
