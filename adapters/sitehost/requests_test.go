package sitehost_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// head writes the head of a GET for a path of the site.
func head(path string, fields ...string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: " + siteHost + "\r\n" + strings.Join(append(fields, ""), "\r\n") + "\r\n"
}

// talk sends bytes over a connection of its own and reads answers, each with its status and
// body, or "closed".
func (s *studio) talk(t *testing.T, text string, answers int) (got []string) {
	t.Helper()
	conn, err := net.Dial("tcp", s.server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(conn)
	for range answers {
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			got = append(got, "closed")
			continue
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, response.Status+"\n"+string(body))
	}
	return got
}

// TestOddRequests sends requests that clients of the standard library cannot.
func TestOddRequests(t *testing.T) {
	s := newSite(t)
	const home, refused, missing = "home", "400 Bad Request", "404 Not Found"
	for name, c := range map[string]struct{ text, want string }{
		"a port":                    {"GET / HTTP/1.1\r\nHost: " + siteHost + ":8080\r\n\r\n", home},
		"a host in capitals":        {"GET / HTTP/1.1\r\nhOST:\t" + strings.ToUpper(siteHost) + " \r\n\r\n", home},
		"a long head":               {head("/", "X: "+strings.Repeat("y", 3000)), home},
		"a body":                    {head("/", "Content-Length: 5") + "hello", home},
		"HTTP/1.0":                  {"GET / HTTP/1.0\r\nHost: " + siteHost + "\r\n\r\n", home},
		"lines without returns":     {strings.ReplaceAll(head("/"), "\r\n", "\n"), home},
		"a whole address":           {"GET http://" + siteHost + "/ HTTP/1.1\r\nHost: " + siteHost + "\r\n\r\n", home},
		"an address without a path": {"GET http://" + siteHost + " HTTP/1.1\r\nHost: " + siteHost + "\r\n\r\n", home},
		"a host in the line":        {"GET http://" + siteHost + "/ HTTP/1.1\r\nHost: elsewhere.test\r\n\r\n", home},
		"another host":              {"GET / HTTP/1.1\r\nHost: studio.test\r\n\r\n", "the API"},
		"no site":                   {"GET / HTTP/1.1\r\nHost: nothing.sites.test\r\n\r\n", missing},
		"the domain itself":         {"GET / HTTP/1.1\r\nHost: sites.test\r\n\r\n", missing},
		"a way out":                 {head("/../../etc/passwd"), missing},
		"a path from the root":      {head("//" + siteHost + "/"), missing},
		"an expectation":            {head("/", "Expect: something"), "417 Expectation Failed"},
		"no host":                   {"GET / HTTP/1.1\r\n\r\n", refused},
		"two hosts":                 {head("/", "host: "+siteHost), refused},
		"a bad host":                {"GET / HTTP/1.1\r\nHost: " + siteHost + ":<b>\r\n\r\n", refused},
		"a bad escape":              {head("/%zz"), refused},
		"a name with a blank":       {head("/", "X : y"), refused},
		"no character":              {head("/", "X: \x00"), refused},
		"a return within a line":    {head("/", "X: y\rz"), refused},
		"a blank in the path":       {head("/a b"), refused},
		"a field without a colon":   {head("/", "Xy"), refused},
		"no request":                {"hello\r\n\r\n", refused},
	} {
		t.Run(name, func(t *testing.T) {
			if got := s.talk(t, c.text, 1)[0]; !strings.Contains(got, c.want) {
				t.Errorf("got %.300s, want %s", got, c.want)
			}
		})
	}
}

// TestNobodyIsAnsweredOutOfTurn sends text that looks like a request where none begins, and
// then a request.
func TestNobodyIsAnsweredOutOfTurn(t *testing.T) {
	s := newSite(t)
	page := head("/")
	put := fmt.Sprintf("PUT / HTTP/1.1\r\nHost: studio.test\r\nContent-Length: %d\r\n\r\n", len(page))
	bare := fmt.Sprintf("PUT / HTTP/1.1\nHost: studio.test\nContent-Length: %d\n\n\r\n\r\n", len(page)+4)
	ask := "GET / HTTP/1.1\nHost: studio.test\n\n"
	const api, site, refused, next = "the API", "home", "400 Bad Request", "User-agent: *"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a body":                             {put + page, []string{api, next}},
		"a body behind bare lines":           {bare + page, []string{api, next}},
		"a body of the second request":       {ask + bare + page, []string{api, api, next}},
		"a field of the second request":      {put + page + "GET / HTTP/1.1\r\nHost: studio.test\r\nX: " + page, []string{api, refused, "closed"}},
		"two requests in one, by bare lines": {strings.ReplaceAll(page, "\r\n", "\n") + page, []string{site, site, next}},
		"two requests, by bare returns":      {strings.ReplaceAll(page, "\r\n", "\r") + page, []string{refused, "closed"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.talk(t, c.text+head("/robots.txt"), len(c.want))
			for i, want := range c.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("answer %d: got %.300s, want %s", i+1, got[i], want)
				}
			}
		})
	}
}

func TestASiteServesWhatIsLive(t *testing.T) {
	s := newSite(t)
	robots := func() answer { return s.get(siteHost, "/robots.txt") }
	if got := robots(); got.body != "User-agent: *" {
		t.Errorf("got %q", got.body)
	}
	s.write("public/robots.txt", "User-agent: none")
	s.mustPublish()
	if got := robots(); got.body != "User-agent: none" {
		t.Errorf("got %q, want what was published last", got.body)
	}
	s.must(s.publish.Unpublish(t.Context(), s.owner, s.project))
	if got := robots(); got.StatusCode != http.StatusNotFound {
		t.Errorf("got %d, want nothing of a site that is gone", got.StatusCode)
	}
}
