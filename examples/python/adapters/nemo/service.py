"""Serves NeMo Guardrails as the processor nemo-guardrails: an action masks words, and a model checks each text (config/)."""

import json
import os
import secrets
from pathlib import Path

os.environ["NEMO_GUARDRAILS_NO_USAGE_STATS"] = "1"  # no telemetry

from nemoguardrails import LLMRails, RailsConfig  # noqa: E402
from nemoguardrails.rails.llm.options import RailStatus, RailType  # noqa: E402

from millrace import Processor, abort, judge_texts, serve  # noqa: E402

WORDS = [word for word in os.environ.get("NEMO_WORDS", "secret").split(",") if word]
FAILED = "I'm sorry, an internal error has occurred."  # the answer of NeMo if an action raises


async def mask_words(text):
    for word in WORDS:
        text = text.replace(word, "***")
    return text


def make_rails():
    config = Path(__file__).resolve().parent / "config"
    settings = (config / "config.yml").read_text().replace("MARKER", secrets.token_hex(8))
    parsed = RailsConfig.from_content((config / "rails.co").read_text(), settings)
    parsed.models[0].parameters["base_url"] = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
    rails = LLMRails(parsed)
    rails.register_output_parser(lambda answer: [json.loads(answer)["block"] == "no"], "block_member")
    return rails.register_action(mask_words)


class NemoGuardrails(Processor):
    id = "nemo-guardrails"
    description = "Masks words and lets a model check texts with the rails of NeMo Guardrails."
    reads = ["input", "response"]
    judges_text = True
    policy = {"timeoutMs": 20_000, "attempts": 2, "onFailure": "fail"}
    rails = make_rails()

    def process_input(self, call):
        return judge_texts(call, "input", lambda text: self.judge(call, "user", text, RailType.INPUT))

    def process_output_result(self, call):
        return judge_texts(call, "response", lambda text: self.judge(call, "assistant", text, RailType.OUTPUT))

    async def judge(self, call, role, text, rail):
        result = await self.rails.check_async([{"role": role, "content": text}], rail_types=[rail])
        self.rails.events_history_cache.clear()  # NeMo keeps every text in it
        if result.status != RailStatus.BLOCKED:
            return result.content
        if result.content == FAILED:
            raise RuntimeError(f"The rail '{result.rail}' of NeMo Guardrails failed.")
        call.violation("A rail blocked the text.", rule=result.rail.replace(" ", "-"))
        abort(f"NeMo Guardrails blocked the text ({result.rail}).")


serve("nemo-guards", [NemoGuardrails])
