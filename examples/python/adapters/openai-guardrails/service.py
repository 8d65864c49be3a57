"""Serves the keyword and URL checks of OpenAI's guardrails as the processor openai-guardrails: it blocks, and never replaces a text."""

import os
from types import SimpleNamespace

os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"  # read when the package imports openai-agents

from guardrails import instantiate_guardrails, load_config_bundle, run_guardrails  # noqa: E402

from millrace import Processor, abort, judge_texts, serve  # noqa: E402

STRINGS = {"type": "array", "items": {"type": "string", "minLength": 1}, "maxItems": 1000}
CALLS_NO_MODEL = SimpleNamespace()  # the context has the client of checks that call a model


class OpenaiGuardrails(Processor):
    id = "openai-guardrails"
    description = "Blocks keywords and URLs outside of a list with OpenAI's guardrails."
    reads = ["input", "response"]
    judges_text = True
    options_schema = {
        "type": "object",
        "properties": {
            "keywords": {**STRINGS, "default": []},
            "urls": {**STRINGS, "default": []},
            "schemes": {**STRINGS, "minItems": 1, "default": ["https"]},
        },
    }

    def __init__(self, options):
        super().__init__(options)
        urls = {"url_allow_list": self.options["urls"], "allowed_schemes": self.options["schemes"]}
        checks = [{"name": "URL Filter", "config": urls}]
        if self.options["keywords"]:
            checks.append({"name": "Keyword Filter", "config": {"keywords": self.options["keywords"]}})
        self.guards = instantiate_guardrails(load_config_bundle({"version": 1, "guardrails": checks}))

    def process_input(self, call):
        return self.judge(call, "input")

    def process_output_result(self, call):
        return self.judge(call, "response")

    def judge(self, call, source):
        async def judge_text(text):
            settings = {"suppress_tripwire": True, "raise_guardrail_errors": True}  # by default an error of a check lets the text pass
            results = await run_guardrails(CALLS_NO_MODEL, text, "text/plain", self.guards, **settings)
            for name in [one.info["guardrail_name"] for one in results if one.tripwire_triggered]:
                call.violation(f"{name} found a match.", rule=name.lower().replace(" ", "-"))
            if call.violations:
                abort("OpenAI's guardrails blocked the text.")
            return text

        return judge_texts(call, source, judge_text)


serve("openai-guards", [OpenaiGuardrails])
