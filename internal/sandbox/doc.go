// Package sandbox is the model catalogue service in memory: the whole of
// its interface (INTERFACE.md), for tests and for trying configurations without the service.
//
// It is strict: what the interface forbids or does not name is refused, so
// that a client which leans on leniency fails here first. And it knows no
// fields beyond those whose behaviour the interface describes: documents are
// served as the catalogue file spells them, to the last digit and unknown
// field, so that a misspelt field cannot hide on both sides.
//
// Beside the interface it can be told to fail ([Sandbox.Inject]), to publish
// revisions and to change them ([Sandbox.Publish], [Sandbox.Republish]), to tell
// what it was asked ([Sandbox.Requests]), and to begin anew ([Sandbox.Reset]).
// Routes below /control do the same for those who are not in this process;
// cmd/modelcatalogue-sandbox serves it to them. Every answer has a header that
// the service has not ([Header]).
//
// [OpenAPI] is the interface as a document, which is the one place for fields:
// what people write is held to it ([ReadCatalogue]), and what a service answers
// ([Departures]).
package sandbox
