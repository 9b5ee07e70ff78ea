package catalogue

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandboxtest"
)

// oneRead is an attempt to list the model groups.
func oneRead(c *Client) *attempt {
	return &attempt{of: &question{to: c.to(http.MethodGet, ModelGroupsPath, "")}, token: &token{}}
}

// sendOnce sends a GET, reads the answer, and returns the fault if none came.
func sendOnce(t *testing.T, c *Client) *NetworkError {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), c.cfg.RequestTimeout)
	defer cancel()
	response, err := c.send(ctx, oneRead(c))
	if err != nil {
		fault, ok := errors.AsType[*NetworkError](err)
		if !ok {
			t.Fatalf("%T: %v", err, err)
		}
		return fault
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	return nil
}

// clientTo returns a client to that address. Fields missing from more have the values of most tests.
func clientTo(t *testing.T, address string, more Config) *Client {
	t.Helper()
	return New(configFor(t, address, more))
}

func configFor(t *testing.T, address string, more Config) Config {
	t.Helper()
	base, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	more.BaseURL, more.ReadTimeout = base, 10*time.Second
	if more.RequestTimeout == 0 {
		more.RequestTimeout = 10 * time.Second
	}
	return more
}

// keeping is a service whose connections a client keeps.
type keeping struct{ first func() } // is called before each answer

func (k *keeping) ServeHTTP(http.ResponseWriter, *http.Request) {
	if k.first != nil {
		k.first()
	}
}

// keep makes a client keep that many connections.
func (k *keeping) keep(t *testing.T, c *Client, count int) {
	t.Helper()
	var all, reads sync.WaitGroup
	all.Add(count)
	k.first = func() { all.Done(); all.Wait() } // so that each request needs a connection of its own
	for range count {
		reads.Go(func() { sendOnce(t, c) })
	}
	reads.Wait()
	k.first = nil
}

// unread is a network whose answers have a body to be closed, and not read.
type unread struct {
	*testing.T
	status int
	length int64
	closed bool
}

func (u *unread) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: u.status, ContentLength: u.length, Body: u}, nil
}

func (u *unread) Read([]byte) (int, error) {
	u.Errorf("the body with status %d was read", u.status)
	return 0, io.EOF
}

func (u *unread) Close() error {
	u.closed = true
	return nil
}

// A read does not wait for the body of an answer that is too large, or neither a success nor an error.
func TestABodyThatIsNotRead(t *testing.T) {
	t.Parallel()
	for status, length := range map[int]int64{101: -1, 206: 4, 302: 4, 200: MaxBody + 1} {
		network := &unread{T: t, status: status, length: length}
		_, err := clientTo(t, "http://localhost", Config{AccessToken: "t", Transport: network}).ModelGroup(t.Context(), "g")
		api, refused := apiError(err)
		large, isLarge := errors.AsType[*TooLargeError](err)
		isTold := refused && api.Status == status || isLarge && status == http.StatusOK && large.Size == length
		if !isTold || !network.closed {
			t.Errorf("%d: %v, closed: %t", status, err, network.closed)
		}
	}
}

// An error contains a host as configured, and the network gets it in the spelling of DNS.
func TestAHostIsShownAsItWasWritten(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	s := clientTo(t, "http://katalog-münchen.example/base", Config{
		DialContext: func(_ context.Context, _, address string) (net.Conn, error) {
			asked <- address
			return nil, io.EOF
		},
	})
	fault := sendOnce(t, s)
	if fault.String() != "GET http://katalog-münchen.example/base/v1/model-group" {
		t.Error(fault.String())
	}
	if address := <-asked; address != "xn--katalog-mnchen-osb.example:80" {
		t.Error(address)
	}
}

// mortal is a connection that can go dead: a write to it ends with an error, or is lost without a sign.
type mortal struct {
	net.Conn
	dead *atomic.Bool
	sign error // or nil
}

func (c mortal) Write(b []byte) (int, error) {
	switch {
	case !c.dead.Load():
		return c.Conn.Write(b)
	case c.sign != nil:
		return 0, c.sign
	}
	return len(b), nil
}

// A service that went away leaves every kept connection dead. The first failed attempt gives up all of them.
func TestDeadConnectionsAreNotTriedOneAfterAnother(t *testing.T) {
	t.Parallel()
	for name, sign := range map[string]error{"without a sign": nil, "with an error": syscall.EPIPE} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service, dead := &keeping{}, new(atomic.Bool)
				dial, closeAll := sandboxtest.Pipe(service)
				t.Cleanup(closeAll)
				s := clientTo(t, "http://localhost", Config{
					DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
						connection, err := dial(ctx, network, address)
						return mortal{Conn: connection, dead: dead, sign: sign}, err
					},
				})
				service.keep(t, s, 12)
				dead.Store(true)
				dead = new(atomic.Bool) // of the connections to come
				fault := sendOnce(t, s)
				if fault == nil || fault.TimedOut != (sign == nil) {
					t.Errorf("the first attempt: %+v", fault)
				}
				fault = sendOnce(t, s)
				if fault != nil {
					t.Errorf("the second attempt, which needs a new connection: %+v", fault)
				}
			})
		})
	}
}

// An answer may be too large without a Content-Length. A retry cannot help.
func TestALargeAnswer(t *testing.T) {
	t.Parallel()
	const limit = 100_000
	reads := 0
	c := clientTo(t, "http://localhost", Config{
		AccessToken: "t",
		MaxRetries:  4,
		Transport: answering(func(w http.ResponseWriter, _ *http.Request) {
			reads++
			_, _ = io.WriteString(w, "["+strings.Repeat(" ", limit))
		}),
	})
	c.maxBody = limit
	_, err := c.Models(t.Context(), "g")
	large, ok := errors.AsType[*TooLargeError](err)
	if !ok || large.Limit != limit || large.Size != 0 || large.Path != "/v1/model-group/g/models" || reads != 1 {
		t.Errorf("%v after %d reads", err, reads)
	}
}
