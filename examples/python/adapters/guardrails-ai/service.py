"""Serves an own validator with Guardrails AI as the processor guardrails-ai: it masks words, or blocks texts that contain one."""

import os
import re
from pathlib import Path

os.environ["HOME"] = str(Path(__file__).resolve().parent)  # its .guardrailsrc turns telemetry off
os.environ["GUARDRAILS_RUN_SYNC"] = "true"  # validates without an event loop of its own
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # litellm, a dependency, downloads prices otherwise

from guardrails import Guard, OnFailAction  # noqa: E402
from guardrails.settings import settings  # noqa: E402
from guardrails.validators import FailResult, PassResult, register_validator  # noqa: E402

from millrace import Processor, abort, judge_texts, serve  # noqa: E402

if settings.rc.enable_metrics is not False:
    raise SystemExit("Guardrails AI would send telemetry: .guardrailsrc of this folder is missing.")
WORDS = {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1, "maxItems": 1000, "default": ["secret"]}
STRATEGY = {"enum": ["mask", "block"], "default": "mask"}


@register_validator(name="millrace/listed-words", data_type="string")
def listed_words(value, metadata):
    masked, count = metadata["pattern"].subn("***", value)
    return FailResult(error_message="A listed word.", fix_value=masked) if count else PassResult()


ACTIONS = {"mask": OnFailAction.FIX, "block": OnFailAction.NOOP}
GUARDS = {name: Guard(history_max_length=1).use(listed_words(on_fail=action)) for name, action in ACTIONS.items()}


class GuardrailsAi(Processor):
    id = "guardrails-ai"
    description = "Masks or blocks listed words with a validator of Guardrails AI."
    reads = ["input", "response"]
    judges_text = True
    options_schema = {"type": "object", "properties": {"words": WORDS, "strategy": STRATEGY}}

    def process_input(self, call):
        return self.judge(call, "input")

    def process_output_result(self, call):
        return self.judge(call, "response")

    def judge(self, call, source):
        words = "|".join(re.escape(word) for word in self.options["words"])
        pattern = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)

        def judge_text(text):
            outcome = GUARDS[self.options["strategy"]].validate(text, metadata={"pattern": pattern})
            if outcome.validation_passed:
                return outcome.validated_output
            call.violation("The text contains a listed word.", rule="listed-words")
            abort("Guardrails AI blocked the text.")

        return judge_texts(call, source, judge_text)


serve("guardrails-ai-guards", [GuardrailsAi])
