// Package sandbox is the model catalogue service in memory. A test serves what [New] makes of the [Default]
// catalogue with net/http/httptest, and reads it as any client reads the service.
//
// [Sandbox.Publish] and [Sandbox.Republish] change what it serves, [Sandbox.Inject] makes it fail,
// [Sandbox.Requests] lists its requests, and [Sandbox.Reset] begins anew. Routes below /control do the same for
// those who are not in this process; cmd/modelcatalogue-sandbox serves it to them.
//
// It is the whole interface (INTERFACE.md), and strict: what the interface forbids or does not name is refused, so
// that a client which leans on leniency fails here first. And it knows no fields beyond those whose behaviour the
// interface describes: documents are served as the catalogue file spells them, to the last digit and unknown field,
// so that a misspelt field cannot hide on both sides. Every answer has [Header], which the service has not.
//
// The OpenAPI document of package contract is the one place for fields: what people write is held to it
// ([ReadCatalogue]), and what a service answers ([Departures]).
package sandbox
