"""Asks three times at once, through a balancer that changes the gateway, and prints the answers as one JSON object.

Environment: BASE_URL, KEYS (API keys by case, JSON), OPEN (agent), SCRIPT (prompt).
"""

import json
import os
from concurrent.futures import ThreadPoolExecutor

import litellm
from openai import OpenAI

BASE_URL, OPEN, SCRIPT = (os.environ[name] for name in ("BASE_URL", "OPEN", "SCRIPT"))
KEYS = json.loads(os.environ["KEYS"])
MESSAGES = [{"role": "user", "content": SCRIPT}]
litellm.telemetry = False


def ask_chat(key):
    client = OpenAI(base_url=BASE_URL, api_key=key)
    return client.chat.completions.create(model=OPEN, messages=MESSAGES).choices[0].message.content


def ask_response(key):
    return OpenAI(base_url=BASE_URL, api_key=key).responses.create(model=OPEN, input=SCRIPT).output_text


def ask_litellm(key):
    answer = litellm.completion(model=f"openai/{OPEN}", messages=MESSAGES, api_base=BASE_URL, api_key=key)
    return answer.choices[0].message.content


CASES = {"openai-chat": ask_chat, "openai-responses": ask_response, "litellm": ask_litellm}
with ThreadPoolExecutor(len(CASES)) as pool:
    asked = {name: pool.submit(ask, KEYS[name]) for name, ask in CASES.items()}
    print(json.dumps({name: answer.result() for name, answer in asked.items()}))
