package provider

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/catalogue"
	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/sandbox"
)

// answered returns an answer of the service to a read.
func answered(status int, code, message string) *catalogue.APIError {
	return &catalogue.APIError{
		Endpoint:  catalogue.Endpoint{Method: http.MethodGet, Origin: "https://c.example", Path: "/v1/model-group/g"},
		Status:    status,
		Code:      code,
		ShownCode: code,
		Message:   message,
		RequestID: "r-1",
	}
}

// tokenAnswered returns an answer of the token endpoint.
func tokenAnswered(status int, code, message string) *catalogue.APIError {
	endpoint := catalogue.Endpoint{Method: http.MethodPost, Origin: "https://c.example", Path: "/v1/auth/token"}
	return &catalogue.APIError{Endpoint: endpoint, Status: status, Code: code, ShownCode: code, Message: message}
}

// interrupted returns a scene of blocks that are read one after another, from a service that answers for six groups.
// The run is interrupted after ten seconds.
func interrupted(title string, more arguments, reads ...reading) scene {
	return scene{title: title, play: func(t *testing.T) []*tfprotov6.Diagnostic {
		var diagnostics []*tfprotov6.Diagnostic
		synctest.Test(t, func(t *testing.T) {
			service := sandbox.New(manyGroups(t, 10))
			for _, route := range []sandbox.Route{sandbox.RouteGroup, sandbox.RouteLatest} {
				service.Inject(sandbox.Fault{Route: route, Hang: true, Skip: 6})
			}
			e := inMemory(t, service, more)
			time.AfterFunc(10*time.Second, e.server.stop)
			for _, a := range e.readAll(t, 1, reads) {
				diagnostics = append(diagnostics, a.diagnostics...)
			}
		})
		return diagnostics
	}}
}

// limitedFleet returns a service whose limit makes the reads of a fleet wait.
func limitedFleet(t *testing.T) http.Handler {
	t.Helper()
	allowance := sandbox.Allowance{Kind: sandbox.FixedWindow, Requests: 60, Per: time.Minute}
	service := sandbox.New(manyGroups(t, 150), sandbox.WithAllowance(allowance))
	service.Inject(oneRequestID)
	return service
}

// waitingScenes returns scenes of reads that ended while they waited.
func waitingScenes() []scene {
	fleet := reading{"latest_models", nil}
	return []scene{
		interrupted("an interrupt of several blocks", nil, eachGroup(0, 8)...),
		interrupted("an interrupt of a read that max_requests holds back", arguments{argMaxRequests: "1/1m"}, oneGroup),
		interrupted("an interrupt of a fleet", nil, reading{"latest_models", arguments{"model_group_ids": idsOf(10)}}),
		played("pauses that held a fleet back for minutes", limitedFleet, nil, fleet),
		played("pauses although max_requests is set", limitedFleet, arguments{argMaxRequests: "1000/1m"}, fleet),
		played("pauses that held a fleet back, which then failed", limitedFleet, nil, reading{"latest_models", arguments{
			"model_group_ids": append(idsOf(150), "nowhere"),
		}}),
	}
}
