package page

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// TestIdlePageCostsLittle: with 300 groups and nothing changing, at most 20 kB and 20 ms of CPU a second, each of the
// sandbox and of the page.
func TestIdlePageCostsLittle(t *testing.T) {
	s := serve(t, "-catalogue="+catalogue(t, 300))
	for range 200 {
		s.send(http.MethodGet, "/v1/model-group", "")
	}
	counted := proxy(t, strings.TrimPrefix(s.URL, "http://"))
	through := *s
	through.URL = "http://" + counted.address
	b := show(t, &through)
	b.do(performance.Enable())
	const seconds = 8
	bytes, ours, its := counted.bytes.Load(), s.cpu(), b.cpu()
	time.Sleep(seconds * time.Second)
	bytes, ours, its = counted.bytes.Load()-bytes, s.cpu()-ours, b.cpu()-its
	t.Logf("idle, a second: %d bytes; CPU of the sandbox %s, of the page %s", bytes/seconds, ours/seconds, its/seconds)
	if bytes == 0 || bytes/seconds > 20_000 {
		t.Errorf("%d bytes a second", bytes/seconds)
	}
	if ours/seconds > 20*time.Millisecond || its/seconds > 20*time.Millisecond {
		t.Errorf("CPU a second: %s of the sandbox, %s of the page", ours/seconds, its/seconds)
	}
}

// cpu is how much CPU time the sandbox has used, in steps of 10 ms, if the system tells.
func (s *service) cpu() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.PID))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), ") ")
	var user, system time.Duration
	fields := strings.Fields(after)
	fmt.Sscan(fields[11]+" "+fields[12], (*int64)(&user), (*int64)(&system))
	return (user + system) * 10 * time.Millisecond
}

// cpu is how much CPU time the page's process has used.
func (b *tab) cpu() time.Duration {
	b.t.Helper()
	var metrics []*performance.Metric
	b.do(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		metrics, err = performance.GetMetrics().Do(ctx)
		return err
	}))
	for _, metric := range metrics {
		if metric.Name == "ProcessTime" {
			return time.Duration(metric.Value * float64(time.Second))
		}
	}
	b.t.Fatal("the browser does not tell its CPU time")
	return 0
}

// counter is a proxy that counts what passes.
type counter struct {
	address string
	bytes   atomic.Int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.bytes.Add(int64(len(p)))
	return len(p), nil
}

func proxy(t *testing.T, to string) *counter {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	c := &counter{address: listener.Addr().String()}
	pass := func(to, from net.Conn) {
		_, _ = io.Copy(to, io.TeeReader(from, c))
		to.Close()
	}
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			into, err := net.Dial("tcp", to)
			if err != nil {
				from.Close()
				continue
			}
			go pass(into, from)
			go pass(from, into)
		}
	}()
	return c
}

// TestAThousandRequestsASecond: neither the page nor the sandbox hangs.
func TestAThousandRequestsASecond(t *testing.T) {
	s := serve(t)
	token := s.token()
	b := show(t, s)
	b.do(performance.Enable())
	const seconds, each = 5, time.Millisecond
	ours, its, began := s.cpu(), b.cpu(), time.Now()
	done := make(chan struct{})
	var slowest time.Duration
	go func() {
		defer close(done)
		slowest = flood(t, s.URL+"/v1/model-group/"+mainGroup+"/latest-model", token, seconds*1000, each)
	}()
	var longest time.Duration
	for isOver := false; !isOver; {
		asked := time.Now()
		value[int](b, "document.body.offsetHeight")
		longest = max(longest, time.Since(asked))
		select {
		case <-done:
			isOver = true
		case <-time.After(20 * time.Millisecond):
		}
	}
	took := time.Since(began)
	t.Logf("%d requests in %s, the slowest took %s; the page answered within %s; CPU a second: sandbox %s, page %s",
		seconds*1000, took.Round(time.Millisecond), slowest, longest,
		time.Duration(float64(s.cpu()-ours)/took.Seconds()), time.Duration(float64(b.cpu()-its)/took.Seconds()))
	if longest > 5*time.Second || slowest > 5*time.Second {
		t.Errorf("the page took up to %s, the sandbox up to %s", longest, slowest)
	}
	b.says("#arrived", fmt.Sprintf("100 of %d", seconds*1000+1))
	b.waits(fmt.Sprintf(`document.getElementById("request-%d")`, seconds*1000+1))
}

// flood sends n requests, one each time that passes, and returns how long the slowest took.
func flood(t *testing.T, address, token string, n int, each time.Duration) time.Duration {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}}
	defer client.CloseIdleConnections()
	var slowest atomic.Int64
	var senders sync.WaitGroup
	due := make(chan struct{})
	for range 16 {
		senders.Go(func() {
			for range due {
				began := time.Now()
				if err := get(client, address, token); err != nil {
					t.Error(err)
				}
				if took := int64(time.Since(began)); took > slowest.Load() {
					slowest.Store(took)
				}
			}
		})
	}
	began := time.Now()
	for i := range n {
		time.Sleep(time.Until(began.Add(time.Duration(i) * each)))
		due <- struct{}{}
	}
	close(due)
	senders.Wait()
	return time.Duration(slowest.Load())
}

func get(client *http.Client, address, token string) error {
	request, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}
