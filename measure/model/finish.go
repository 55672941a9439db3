package model

import "strings"

// Finish is what the reason that a server gives for an answer's end says about it.
type Finish byte

// What a reason says. One that is not known says nothing: the model ended by itself.
const (
	Ended    Finish = iota
	CutOff          // the limit of tokens was reached
	Refused         // the model or a filter declined to answer
	Unserved        // the server failed; what came is no answer
)

// finishes are the reasons of the servers, in the spelling that FinishOf reads.
var finishes = map[string]Finish{
	"length": CutOff, "model_length": CutOff, "max_length": CutOff, "max_tokens": CutOff,
	"max_new_tokens": CutOff, "max_output_tokens": CutOff, "max_completion_tokens": CutOff,
	"token_limit": CutOff, "model_context_window_exceeded": CutOff,

	"content_filter": Refused, "content_filtered": Refused, "content_policy": Refused,
	"content_policy_violation": Refused, "refusal": Refused, "refused": Refused, "sensitive": Refused,
	"safety": Refused, "moderation": Refused, "flagged": Refused, "blocked": Refused, "blocklist": Refused,
	"prohibited_content": Refused, "recitation": Refused, "spii": Refused, "guardrail_intervened": Refused,
	"error_toxic": Refused,

	"error": Unserved, "failed": Unserved, "failure": Unserved, "abort": Unserved, "aborted": Unserved,
	"cancelled": Unserved, "canceled": Unserved, "timeout": Unserved, "overloaded": Unserved,
	"network_error": Unserved, "server_error": Unserved, "internal_error": Unserved,
	"internal_server_error": Unserved, "upstream_error": Unserved, "service_unavailable": Unserved,
	"insufficient_system_resource": Unserved, "insufficient_system_resources": Unserved,
}

// FinishOf reads a reason, in any case, with hyphens, spaces or underscores.
func FinishOf(reason string) Finish {
	reason = strings.ToLower(strings.TrimSpace(reason))
	return finishes[strings.NewReplacer("-", "_", " ", "_").Replace(reason)]
}
