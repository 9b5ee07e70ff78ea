package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// serve serves the groups group-0, group-1 and so on until stop is called. Their revisions are copies of the sandbox's
// richest model.
func serve(groups, models int, delay time.Duration) (url string, stop func(), err error) {
	model, err := richest()
	if err != nil {
		return "", nil, err
	}
	type object = map[string]any
	list := make([]object, groups)
	for i := range list {
		id := fmt.Sprintf("group-%d", i)
		revisions := make([]object, models)
		for revision := range revisions {
			copied := maps.Clone(model)
			copied["id"] = fmt.Sprintf("%s-%d", id, revision)
			copied["modelGroupId"] = id
			copied["revision"] = revision
			revisions[revision] = copied
		}
		list[i] = object{
			"owner":  "Bench",
			"group":  object{"id": id, "name": id, "public": true},
			"models": revisions,
		}
	}
	text, err := json.Marshal(object{
		"organisations": []object{{"name": "Bench", "clientId": "bench", "clientSecret": "bench"}},
		"modelGroups":   list,
	})
	if err != nil {
		return "", nil, err
	}
	catalogue, err := sandbox.ReadCatalogue(bytes.NewReader(text))
	if err != nil {
		return "", nil, err
	}
	c := &cached{sandbox: sandbox.New(catalogue), delay: delay, bodies: map[string][]byte{}}
	server := httptest.NewServer(c)
	return server.URL, server.Close, nil
}

// richest returns the sandbox's richest model.
func richest() (model map[string]any, err error) {
	text, err := sandbox.New(sandbox.Default()).Publish(sandbox.MainGroup, nil)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // some have more digits than a float64
	err = decoder.Decode(&model)
	delete(model, "isOwner") // the sandbox adds it
	return model, err
}

// cached is a sandbox that keeps its answers, so that a plan waits only for the delay.
type cached struct {
	sandbox *sandbox.Sandbox
	delay   time.Duration

	mu     sync.Mutex
	bodies map[string][]byte // by path
}

func (c *cached) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	time.Sleep(c.delay)
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
