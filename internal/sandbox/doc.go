// Package sandbox is the model catalogue service in memory: [New] serves a catalogue such as [Default], to tests in
// this process and, by cmd/modelcatalogue-sandbox, to others, who change it by routes below /control.
//
// It is the whole interface (INTERFACE.md), and strict: what the interface forbids or does not name is refused, so
// that a client which leans on leniency fails here first. Documents are served as the catalogue file spells them, to
// the last digit and unknown field, so that a misspelt field cannot hide on both sides. Every answer has [Header].
//
// The OpenAPI document of package contract is the one place for fields: what people write is held to it
// ([ReadCatalogue]), and what a service answers ([Departures]).
package sandbox
