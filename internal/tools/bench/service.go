package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// service answers with documents rendered in advance, so that what a plan
// waits for is not the service. Their shape is that of the sandbox's richest
// model and its group.
type service struct {
	latency time.Duration
	answers map[string][]byte // by path
	endless bool              // lists of models have no end

	mu          sync.Mutex
	reads       int
	tokens      int
	connections int
}

const mainGroup = sandbox.MainGroup

// documents are the richest model and the group of the sandbox's catalogue, as
// their owner sees them.
func documents() (model, group map[string]json.RawMessage, err error) {
	catalogue := sandbox.New(sandbox.Default())
	published, err := catalogue.Publish(mainGroup, nil)
	if err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal(published, &model); err != nil {
		return nil, nil, err
	}
	group = map[string]json.RawMessage{
		"public": []byte("true"), "createdAt": model["createdAt"], "timeHorizon": model["horizon"],
	}
	return model, group, nil
}

// newService holds the groups group-0 … with that many models each.
func newService(groups, models int, latency time.Duration) (*service, error) {
	model, group, err := documents()
	if err != nil {
		return nil, err
	}
	s := &service{latency: latency, answers: map[string][]byte{}}
	var list []json.RawMessage
	for g := range groups {
		id := fmt.Sprintf("group-%d", g)
		var revisions, summaries []json.RawMessage
		for revision := range models {
			document := with(model, map[string]any{
				"id": fmt.Sprintf("%s-model-%d", id, revision), "modelGroupId": id, "revision": revision,
			})
			revisions = append(revisions, document)
			summaries = append(summaries, with(map[string]json.RawMessage{"createdAt": model["createdAt"]}, map[string]any{
				"id": fmt.Sprintf("%s-model-%d", id, revision), "revision": revision,
			}))
		}
		document := with(group, map[string]any{
			"id": id, "name": "Group " + id, "latestRevision": models - 1, "models": summaries, "axes": groupAxes(model["axes"]),
		})
		list = append(list, document)
		s.answers["/v1/model-group/"+id] = document
		s.answers["/v1/model-group/"+id+"/models"] = array(revisions)
		s.answers["/v1/model-group/"+id+"/latest-model"] = revisions[len(revisions)-1]
	}
	s.answers["/v1/model-group"] = array(list)
	return s, nil
}

// groupAxes gives a model's axes the shape that they have in a group.
func groupAxes(axes json.RawMessage) json.RawMessage {
	var list []map[string]json.RawMessage
	if json.Unmarshal(axes, &list) != nil {
		return nil
	}
	for _, axis := range list {
		var values, flagged []json.RawMessage
		if json.Unmarshal(axis["values"], &values) != nil {
			return nil
		}
		for _, value := range values {
			flagged = append(flagged, with(map[string]json.RawMessage{"value": value}, map[string]any{"historical": false}))
		}
		delete(axis, "default")
		axis["values"] = array(flagged)
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil
	}
	return text
}

func with(document map[string]json.RawMessage, more map[string]any) json.RawMessage {
	copied := map[string]any{}
	for name, value := range document {
		copied[name] = value
	}
	maps.Copy(copied, more)
	text, err := json.Marshal(copied)
	if err != nil {
		panic(err) // a document of this program's own making
	}
	return text
}

func array(elements []json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	out.WriteByte('[')
	for i, element := range elements {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(element)
	}
	out.WriteByte(']')
	return out.Bytes()
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	time.Sleep(s.latency)
	w.Header().Set("Content-Type", "application/json")
	body, known := s.answers[r.URL.Path]
	s.mu.Lock()
	switch {
	case strings.HasSuffix(r.URL.Path, "/token"):
		s.tokens++
		body, known = []byte(`{"access_token":"bench","token_type":"Bearer","expires_in":3600}`), true
	case known:
		s.reads++
	}
	s.mu.Unlock()
	if !known {
		w.WriteHeader(http.StatusNotFound)
		return
	}
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

// reset forgets what was counted.
func (s *service) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads, s.tokens, s.connections = 0, 0, 0
}

// listen serves on a free loopback port until stop is called.
func (s *service) listen() (url string, stop func()) {
	server := httptest.NewUnstartedServer(s)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.connections++
		}
	}
	server.Start()
	return server.URL, func() {
		server.CloseClientConnections()
		server.Close()
	}
}
