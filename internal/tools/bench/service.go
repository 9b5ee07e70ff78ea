package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/engine"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// service is a sandbox whose answers are kept, so that what a plan waits for is not
// the service.
type service struct {
	sandbox *sandbox.Sandbox
	latency time.Duration
	endless bool // lists of models have no end

	mu   sync.Mutex
	kept map[string][]byte // bodies by path
	counts
}

// counts are the requests and connections of one plan.
type counts struct{ reads, tokens, connections int }

const catalogue = `{
	"organisations": [{"name": "Bench", "clientId": "bench", "clientSecret": "bench"}],
	"timeHorizons": [%s],
	"modelGroups": [%s]
}`

const group = `{"owner": "Bench", "models": [], "group": {"id": "group-%d", "name": "Group group-%[1]d", "public": true,
	"createdAt": %s, "timeHorizon": %s}}`

// newService holds the groups group-0 … with so many revisions each of the richest
// model in the sandbox's catalogue, as its owner sees it.
func newService(groups, models int, latency time.Duration) (*service, error) {
	published, err := sandbox.New(sandbox.Default()).Publish(sandbox.MainGroup, nil)
	if err != nil {
		return nil, err
	}
	var model map[string]json.RawMessage
	if err := json.Unmarshal(published, &model); err != nil {
		return nil, err
	}
	for _, given := range []string{"id", "modelGroupId", "revision"} { // by Publish
		delete(model, given)
	}
	first, err := json.Marshal(model)
	if err != nil {
		return nil, err
	}
	list := make([]string, groups)
	for g := range list {
		list[g] = fmt.Sprintf(group, g, model["createdAt"], model["horizon"])
	}
	text := fmt.Sprintf(catalogue, model["horizon"], strings.Join(list, ","))
	served, err := sandbox.ReadCatalogue(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	s := &service{sandbox: sandbox.New(served), latency: latency, kept: map[string][]byte{}}
	for g := range groups {
		for changes, left := first, models; left > 0; changes, left = nil, left-1 {
			if _, err := s.sandbox.Publish(fmt.Sprintf("group-%d", g), changes); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	time.Sleep(s.latency)
	w.Header().Set("Content-Type", "application/json")
	body := s.answer(w, r)
	if s.endless && strings.HasSuffix(r.URL.Path, "/models") {
		element := append([]byte(","), body[1:len(body)-1]...)
		_, err := w.Write(body[:len(body)-1])
		for err == nil {
			_, err = w.Write(element)
		}
		return
	}
	_, _ = w.Write(body)
}

// answer counts the request, and asks the sandbox where no answer to it is kept.
func (s *service) answer(w http.ResponseWriter, r *http.Request) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method == http.MethodGet {
		s.reads++
	} else {
		s.tokens++
	}
	if body, ok := s.kept[r.URL.Path]; ok {
		return body
	}
	answer := httptest.NewRecorder()
	s.sandbox.ServeHTTP(answer, r)
	if answer.Code != http.StatusOK {
		w.WriteHeader(answer.Code)
	} else if r.Method == http.MethodGet {
		s.kept[r.URL.Path] = answer.Body.Bytes()
	}
	return answer.Body.Bytes()
}

// counted returns what was counted since the last time.
func (s *service) counted() (seen counts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen, s.counts = s.counts, counts{}
	return seen
}

// listen serves on a free loopback port until stop is called. env is what an engine
// takes to read it.
func (s *service) listen() (env []string, stop func()) {
	server := httptest.NewUnstartedServer(s)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.connections++
		}
	}
	server.Start()
	return engine.Service(server.URL, "bench", "bench"), func() {
		server.CloseClientConnections()
		server.Close()
	}
}
