package rank

import (
	"context"
	"time"
)

// ReadScores is what reads an answer.
var ReadScores = readScores

// Sleep replaces the waiting between attempts.
func (h *HTTP) Sleep(sleep func(context.Context, time.Duration) error) { h.sleep = sleep }
