// Package sandbox is an in-memory copy of the model catalogue service. [New] serves a catalogue such as [Default] to
// the tests of this process. The program cmd/modelcatalogue-sandbox serves it to others, who change it by routes
// below /control.
//
// It is the whole interface (INTERFACE.md), and it is strict: it refuses what the interface forbids, and a method, a
// query or a body that a route does not have, so a lenient client fails here first. It serves documents as the
// catalogue file spells them, to the last digit and unknown field, so a misspelt field cannot hide on both sides. Every
// answer has [Header].
//
// The OpenAPI document of package contract is the one place for fields. [ReadCatalogue] checks catalogue files against
// it, and [Departures] the answers of a service.
package sandbox
