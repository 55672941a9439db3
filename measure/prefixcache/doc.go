// Package prefixcache models how much of a prompt a server takes from its cache: the
// beginnings of earlier prompts, in tokens. It asks nobody, and says what a server of
// that kind would do, not what one does.
//
// There are two models, since servers keep beginnings in two ways. A tree has every
// prompt's blocks once, under the blocks before them. So do vLLM's automatic prefix caching
// (Kwon et al., arXiv:2309.06180, and its design notes), SGLang's radix tree (Zheng et
// al., arXiv:2312.07104), and the providers as far as they tell. The other model keeps
// whole prompts, as llama.cpp's server does: the prompt in its one slot, and earlier ones
// in memory. One that is taken up again changes, and is no longer there as it was.
package prefixcache
