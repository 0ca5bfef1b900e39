package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// client calls the service like any other client.
type client struct {
	base  string
	token string
	http  *http.Client
}

func newClient(base string) *client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = dialLocalhost
	return &client{base: strings.TrimSuffix(base, "/"), http: &http.Client{Transport: transport}}
}

// dialLocalhost resolves names below localhost to this machine, as browsers do. Go's
// resolver would ask the DNS for them.
func dialLocalhost(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err == nil && strings.HasSuffix(host, ".localhost") {
		address = net.JoinHostPort("127.0.0.1", port)
	}
	return new(net.Dialer).DialContext(ctx, network, address)
}

// call sends a JSON request and decodes the JSON answer into answer.
func (c *client) call(ctx context.Context, method, path string, body, answer any) error {
	response, err := c.send(ctx, method, c.base+path, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return json.NewDecoder(response.Body).Decode(answer)
}

// stream sends a JSON request and calls take for the data of each event.
func (c *client) stream(ctx context.Context, path string, body any, take func([]byte) error) error {
	response, err := c.send(ctx, http.MethodPost, c.base+path, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if data, isData := strings.CutPrefix(lines.Text(), "data: "); isData {
			if err := take([]byte(data)); err != nil {
				return err
			}
		}
	}
	return lines.Err()
}

// fetch returns the text at a URL.
func (c *client) fetch(ctx context.Context, url string) (string, error) {
	response, err := c.send(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return string(text), err
}

// send makes a request with a JSON body, if there is one.
func (c *client) send(ctx context.Context, method, url string, body any) (*http.Response, error) {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, url, content)
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return c.do(request)
}

// do makes a request and turns an unsuccessful answer into an error. The token goes to
// the service only, never to previews and sites.
func (c *client) do(request *http.Request) (*http.Response, error) {
	if c.token != "" && strings.HasPrefix(request.URL.String(), c.base+"/") {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.http.Do(request)
	var refused *net.OpError
	if errors.As(err, &refused) && refused.Op == "dial" {
		return nil, fmt.Errorf("the service does not answer at %s: start it with `make run`", c.base)
	}
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= 300 {
		defer response.Body.Close()
		return nil, newRefusal(request, response)
	}
	return response, nil
}

// refusal is an unsuccessful answer.
type refusal struct {
	status int
	// code is the error's code, "" if the answer has none.
	code string
	text string
}

func newRefusal(request *http.Request, response *http.Response) *refusal {
	text, _ := io.ReadAll(io.LimitReader(response.Body, 4<<10))
	var body struct{ Error string }
	_ = json.Unmarshal(text, &body)
	said := fmt.Sprintf("%s %s answered %s: %s", request.Method, request.URL, response.Status, bytes.TrimSpace(text))
	return &refusal{response.StatusCode, body.Error, said}
}

func (r *refusal) Error() string { return r.text }
