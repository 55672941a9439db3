package model

import (
	"regexp"
	"strings"
)

// thinkingMark finds where thinking begins (group 1) and where it ends (group 2), in
// the spellings of the models: <think>, [THINK], ◁think▷, and the channels of
// gpt-oss.
var thinkingMark = regexp.MustCompile(`(?i)` +
	`(<(?:seed:)?(?:think|thinking|thought|thoughts|reasoning)>|<\|begin_of_thought\|>|\[THINK\]|◁think▷|<\|channel\|>(?:analysis|commentary)\b)` +
	`|(</(?:seed:)?(?:think|thinking|thought|thoughts|reasoning)>|<\|end_of_thought\|>|\[/THINK\]|◁/think▷|<\|channel\|>final<\|message\|>)`)

// AfterThinking returns what follows the thinking in a text, without white space
// before it, and says whether there was any. Where the last block is not closed,
// nothing follows. A block that was opened in the prompt counts: its end is enough.
func AfterThinking(text string) (answer string, thinking bool) {
	marks := thinkingMark.FindAllStringSubmatchIndex(text, -1)
	if len(marks) == 0 {
		return text, false
	}
	last := marks[len(marks)-1]
	if last[2] >= 0 {
		return "", true
	}
	return strings.TrimSpace(strings.TrimSuffix(text[last[1]:], "<|return|>")), true
}
