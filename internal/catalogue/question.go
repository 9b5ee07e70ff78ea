package catalogue

import (
	"context"
)

// question is the question of a caller, or the wish for a token. The scheduler knows only its endpoint.
type question struct {
	to  Endpoint
	ctx context.Context                                                 // of the first caller who asks it, without its end: loggers are among its values
	ask func(ctx context.Context, sent *attempt) (value any, err error) // makes one exchange
}
