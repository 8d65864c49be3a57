"""Calls a gateway with the unchanged frameworks pydantic-ai, openai-agents and instructor, and prints one JSON object with the outcome of each case.

Environment: BASE_URL, API_KEY, OPEN, GUARDED (agents), SCRIPTS (prompts by name, JSON).
"""

import asyncio
import json
import os

import agents
import instructor
from openai import AsyncOpenAI
from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput, ToolOutput
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

BASE_URL = os.environ["BASE_URL"]
KEY = os.environ["API_KEY"]
OPEN, GUARDED = (os.environ[name] for name in ("OPEN", "GUARDED"))
SCRIPTS = json.loads(os.environ["SCRIPTS"])
agents.set_tracing_disabled(True)


class City(BaseModel):
    city: str


def weather(city: str) -> str:
    """Reads the weather."""
    return f"rain in {city}"


outcomes: dict[str, object] = {}


async def case(name, work):
    """Keeps the result of the coroutine, or the name and the status of its exception, as the outcome."""
    try:
        outcomes[name] = await work
    except Exception as error:
        outcomes[name] = [type(error).__name__, getattr(error, "status_code", None)]


def connect():
    return AsyncOpenAI(base_url=BASE_URL, api_key=KEY, max_retries=0)


async def test_pydantic_ai(protocol, create_model):
    provider = OpenAIProvider(openai_client=connect())

    async def ask(name, model=OPEN, history=None, **more):
        agent = Agent(create_model(model, provider=provider), instructions="Be short.", **more)
        return await agent.run(SCRIPTS[name], message_history=history)

    async def read(name, model=OPEN, **more):
        output = (await ask(name, model, **more)).output
        return output.city if isinstance(output, City) else output

    async def stream():
        agent = Agent(create_model(OPEN, provider=provider), tools=[weather])
        async with agent.run_stream(SCRIPTS["tools"]) as result:
            return "".join([piece async for piece in result.stream_text(delta=True)])

    async def read_history():
        first = await ask("plain")
        return await read("plain", history=first.all_messages())

    prefix = f"pydantic-ai {protocol}"
    await case(f"{prefix} plain", read("plain"))
    await case(f"{prefix} tools", read("tools", tools=[weather]))
    await case(f"{prefix} tools streamed", stream())
    await case(f"{prefix} structured", read("object", output_type=NativeOutput(City)))
    await case(f"{prefix} structured by a tool, repaired", read("repaired", output_type=ToolOutput(City, name="place")))
    await case(f"{prefix} history", read_history())
    await case(f"{prefix} blocked", read("attack", GUARDED))


async def test_openai_agents(protocol, create_model):
    def create(name="Helper", model=OPEN, **more):
        return agents.Agent(name=name, model=create_model(model=model, openai_client=connect()), **more)

    async def read(agent, name, **more):
        output = (await agents.Runner.run(agent, SCRIPTS[name], **more)).final_output
        return output.city if isinstance(output, City) else output

    async def stream():
        result = agents.Runner.run_streamed(create(tools=[agents.function_tool(weather)]), SCRIPTS["tools"])
        async for _ in result.stream_events():
            pass
        return result.final_output

    async def read_session():
        session = agents.SQLiteSession(protocol)
        await read(create(), "plain", session=session)
        return await read(create(), "plain", session=session)

    prefix = f"openai-agents {protocol}"
    await case(f"{prefix} plain", read(create(), "plain"))
    await case(f"{prefix} tools", read(create(tools=[agents.function_tool(weather)]), "tools"))
    await case(f"{prefix} tools streamed", stream())
    await case(f"{prefix} structured", read(create(output_type=City), "object"))
    await case(f"{prefix} handoff", read(create(handoffs=[create("Math")]), "handoff"))
    await case(f"{prefix} session", read_session())
    await case(f"{prefix} blocked", read(create(model=GUARDED), "attack"))


async def test_instructor():
    async def read(mode, name):
        client = instructor.from_openai(connect(), mode=mode)
        messages = [{"role": "user", "content": SCRIPTS[name]}]
        made = await client.chat.completions.create(model=OPEN, response_model=City, messages=messages, max_retries=1)
        return made.city

    for mode in (instructor.Mode.TOOLS, instructor.Mode.RESPONSES_TOOLS):
        await case(f"instructor {mode.name}", read(mode, "call"))
    for mode in (instructor.Mode.JSON, instructor.Mode.JSON_SCHEMA, instructor.Mode.MD_JSON):
        await case(f"instructor {mode.name}", read(mode, "object"))


async def main():
    await test_pydantic_ai("chat", OpenAIChatModel)
    await test_pydantic_ai("responses", OpenAIResponsesModel)
    await test_openai_agents("chat", agents.OpenAIChatCompletionsModel)
    await test_openai_agents("responses", agents.OpenAIResponsesModel)
    await test_instructor()
    print(json.dumps(outcomes))


asyncio.run(main())
