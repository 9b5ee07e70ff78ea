package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// serve serves the groups group-0, group-1 and so on until stop is called. Each
// has that number of revisions, which are copies of the sandbox's richest model.
func serve(groups, models int, latency time.Duration) (url string, stop func(), err error) {
	richest, err := sandbox.New(sandbox.Default()).Publish(sandbox.MainGroup, nil)
	if err != nil {
		return "", nil, err
	}
	var model map[string]json.RawMessage
	if err := json.Unmarshal(richest, &model); err != nil {
		return "", nil, err
	}
	for _, given := range []string{"id", "modelGroupId", "revision"} { // by Publish
		delete(model, given)
	}
	if richest, err = json.Marshal(model); err != nil {
		return "", nil, err
	}
	list := make([]string, groups)
	for i := range list {
		list[i] = fmt.Sprintf(`{"owner": "Bench", "group": {"id": "group-%d", "name": "Group %[1]d", "public": true}, "models": []}`, i)
	}
	catalogue, err := sandbox.ReadCatalogue(strings.NewReader(`{
		"organisations": [{"name": "Bench", "clientId": "bench", "clientSecret": "bench"}],
		"timeHorizons": [` + string(model["horizon"]) + `],
		"modelGroups": [` + strings.Join(list, ",") + `]}`))
	if err != nil {
		return "", nil, err
	}
	c := &cached{sandbox: sandbox.New(catalogue), latency: latency, bodies: map[string][]byte{}}
	for i := range groups {
		for range models {
			if _, err := c.sandbox.Publish(fmt.Sprintf("group-%d", i), richest); err != nil {
				return "", nil, err
			}
		}
	}
	server := httptest.NewServer(c)
	return server.URL, server.Close, nil
}

// cached is a sandbox whose answers are kept, so that a plan waits for the latency
// alone.
type cached struct {
	sandbox *sandbox.Sandbox
	latency time.Duration

	mu     sync.Mutex
	bodies map[string][]byte // by path
}

func (c *cached) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	time.Sleep(c.latency)
	w.Header().Set("Content-Type", "application/json")
	c.mu.Lock()
	defer c.mu.Unlock()
	body, ok := c.bodies[r.URL.Path]
	if !ok {
		answer := httptest.NewRecorder()
		c.sandbox.ServeHTTP(answer, r)
		body = answer.Body.Bytes()
		if answer.Code != http.StatusOK {
			w.WriteHeader(answer.Code)
		} else if r.Method == http.MethodGet {
			c.bodies[r.URL.Path] = body
		}
	}
	_, _ = w.Write(body)
}
