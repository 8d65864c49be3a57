"""Calls a gateway with the unchanged packages openai and litellm, and prints one JSON object with the outcome of each case.

Environment: BASE_URL, API_KEY, BUSY_KEY (one request a minute), OPEN, GUARDED, ASKING (agents), SCRIPTS (prompts by name, JSON).
"""

import json
import os

import litellm
import openai
from openai import OpenAI
from pydantic import BaseModel

BASE_URL = os.environ["BASE_URL"]
KEY = os.environ["API_KEY"]
OPEN, GUARDED, ASKING = (os.environ[name] for name in ("OPEN", "GUARDED", "ASKING"))
SCRIPTS = json.loads(os.environ["SCRIPTS"])
litellm.telemetry = False
litellm.num_retries = 0


class City(BaseModel):
    city: str


WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "Reads the weather.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
outcomes: dict[str, object] = {}


def case(name):
    """Registers a case: its return value, or the name and the status of its exception, is the outcome."""

    def run(function):
        try:
            outcomes[name] = function()
        except Exception as error:
            code = getattr(error, "code", None)
            outcomes[name] = [type(error).__name__, getattr(error, "status_code", None), code]

    return run


def connect(key=KEY):
    return OpenAI(base_url=BASE_URL, api_key=key, max_retries=0)


def ask(name, model=OPEN, key=KEY, **more):
    return connect(key).chat.completions.create(model=model, messages=say(name), **more)


def say(name):
    return [{"role": "user", "content": SCRIPTS[name]}]


def call_tools(complete, messages):
    """Executes the calls of each answer until one has none, and returns its text with the number of calls."""
    count = 0
    while True:
        message = complete(messages).choices[0].message
        calls = message.tool_calls or []
        if not calls:
            return [message.content, count]
        messages = [*messages, message.model_dump(exclude_none=True)]
        for call in calls:
            count += 1
            city = json.loads(call.function.arguments)["city"]
            messages = [*messages, {"role": "tool", "tool_call_id": call.id, "content": f"rain in {city}"}]


case("openai plain")(lambda: ask("plain").choices[0].message.content)
case("openai models")(lambda: OPEN in [model.id for model in connect().models.list()])
case("openai responses")(lambda: connect().responses.create(model=OPEN, input=SCRIPTS["plain"]).output_text)
case("openai tools")(
    lambda: call_tools(
        lambda messages: connect().chat.completions.create(model=OPEN, messages=messages, tools=[WEATHER]), say("tools")
    )
)
case("openai blocked")(lambda: ask("attack", GUARDED))
case("openai suspended")(lambda: ask("question", ASKING).choices[0].message.content)
case("openai 401")(lambda: ask("plain", key="wrong"))
case("openai 404")(lambda: ask("plain", model="no-such-agent"))
case("openai 429")(lambda: [ask("plain", key=os.environ["BUSY_KEY"]) for _ in range(2)])


@case("openai streamed")
def _():
    return "".join(chunk.choices[0].delta.content or "" for chunk in ask("plain", stream=True))


@case("openai responses streamed")
def _():
    with connect().responses.stream(model=OPEN, input=SCRIPTS["plain"]) as stream:
        return stream.get_final_response().output_text


@case("openai responses tools")
def _():
    tool = {"type": "function", **WEATHER["function"]}
    given, last, count = SCRIPTS["tools"], None, 0
    while True:
        more = {"previous_response_id": last.id} if last else {}
        with connect().responses.stream(model=OPEN, input=given, tools=[tool], **more) as stream:
            last = stream.get_final_response()
        calls = [item for item in last.output if item.type == "function_call"]
        if not calls:
            return [last.output_text, count]
        count += len(calls)
        given = [{"type": "function_call_output", "call_id": call.call_id, "output": "rain"} for call in calls]


@case("openai structured")
def _():
    parsed = connect().chat.completions.parse(model=OPEN, messages=say("object"), response_format=City)
    return parsed.choices[0].message.parsed.city


@case("openai responses structured")
def _():
    return connect().responses.parse(model=OPEN, input=SCRIPTS["object"], text_format=City).output_parsed.city


@case("openai blocked in the stream")
def _():
    with connect().chat.completions.stream(model=GUARDED, messages=say("late")) as stream:
        return stream.get_final_completion().choices[0].finish_reason


@case("openai responses blocked in the stream")
def _():
    with connect().responses.stream(model=GUARDED, input=SCRIPTS["late"]) as stream:
        final = stream.get_final_response()
    return [final.status, final.output[-1].content[-1].type]


def complete(messages, model=OPEN, key=KEY, **more):
    return litellm.completion(model=f"openai/{model}", messages=messages, api_base=BASE_URL, api_key=key, **more)


case("litellm plain")(lambda: complete(say("plain")).choices[0].message.content)
case("litellm tools")(lambda: call_tools(lambda messages: complete(messages, tools=[WEATHER]), say("tools")))
case("litellm blocked")(lambda: complete(say("attack"), GUARDED))
case("litellm suspended")(lambda: complete(say("question"), ASKING).choices[0].message.content)
case("litellm 401")(lambda: complete(say("plain"), key="wrong"))
case("litellm 429")(lambda: complete(say("plain"), key=os.environ["BUSY_KEY"], max_retries=0))
case("litellm 404")(lambda: complete(say("plain"), "no-such-agent"))
case("litellm structured")(
    lambda: json.loads(complete(say("object"), response_format=City).choices[0].message.content)["city"]
)


@case("litellm streamed")
def _():
    return "".join(chunk.choices[0].delta.content or "" for chunk in complete(say("plain"), stream=True))


@case("litellm blocked in the stream")
def _():
    return [chunk.choices[0].finish_reason for chunk in complete(say("late"), GUARDED, stream=True)][-1]


print(json.dumps(outcomes))
