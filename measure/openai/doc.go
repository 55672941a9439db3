// Package openai asks a model behind an OpenAI-compatible server, such as OpenAI,
// vLLM, llama.cpp, Ollama and most gateways, without ever showing the key: a chat, or
// plain completion for base models. Batch files are written and read by the same
// rules.
//
// What it promises:
//
//   - The key reaches one place, the header of a request to the base URL's own
//     host. No error, log, printed value or answer holds it, even when the server
//     repeats it. The same goes for Config.Headers, and for the user info and the query
//     of the base URL.
//   - No redirect is followed.
//   - A secret travels over plain http to this machine alone, unless
//     Config.AllowPlainKey says otherwise.
//   - A call ends: it has a timeout, and reads an answer up to a limit.
//   - An answer is what the format says or an error; half an answer is an error.
package openai
