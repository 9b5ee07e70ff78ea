package provider

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"

	"github.com/modelcatalogue/terraform-provider-modelcatalogue/internal/explain"
)

// summaries are all that a user can meet: the constants of package explain, and those
// of the provider's arguments.
var summaries = func() []string {
	found := []string{
		explain.SummaryMissing(argBaseURL), explain.SummaryMissing(argClientID), explain.SummaryMissing(argClientSecret),
	}
	for _, argument := range providerArguments {
		found = append(found, explain.SummaryInvalid(argument))
	}
	file, err := parser.ParseFile(token.NewFileSet(), "../explain/summaries.go", nil, 0)
	if err != nil {
		panic(err)
	}
	for _, declaration := range file.Decls {
		constants, ok := declaration.(*ast.GenDecl)
		if !ok || constants.Tok != token.CONST {
			continue
		}
		for _, spec := range constants.Specs {
			literal, _ := spec.(*ast.ValueSpec).Values[0].(*ast.BasicLit)
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				panic(err)
			}
			found = append(found, text)
		}
	}
	return found
}()
