"""Serves LangChain's PIIMiddleware as the processor langchain-pii: it redacts, masks, hashes or blocks personal data."""

from langchain.agents.middleware import PIIDetectionError, PIIMiddleware
from langchain_core.messages import AIMessage, HumanMessage

from millrace import Processor, abort, judge_texts, serve

TYPES = ["email", "credit_card", "ip", "mac_address", "url"]


class LangchainPii(Processor):
    id = "langchain-pii"
    description = "Redacts or blocks personal data with LangChain's PIIMiddleware."
    reads = ["input", "response"]
    judges_text = True
    options_schema = {
        "type": "object",
        "properties": {
            "types": {"type": "array", "items": {"enum": TYPES}, "minItems": 1, "default": ["email", "credit_card"]},
            "strategy": {"enum": ["redact", "mask", "hash", "block"], "default": "redact"},
        },
    }

    def __init__(self, options):
        super().__init__(options)
        strategy = self.options["strategy"]
        self.guards = [PIIMiddleware(one, strategy=strategy, apply_to_output=True) for one in self.options["types"]]

    def process_input(self, call):
        return self.judge(call, "input", HumanMessage, "before_model")

    def process_output_result(self, call):
        return self.judge(call, "response", AIMessage, "after_model")

    async def judge(self, call, source, kind, hook):
        def judge_text(text):
            for guard in self.guards:
                changed = getattr(guard, hook)({"messages": [kind(text)]}, None)
                text = changed["messages"][-1].content if changed else text
            return text

        try:
            return await judge_texts(call, source, judge_text)
        except PIIDetectionError as error:
            call.violation(str(error), rule=error.pii_type)
            abort(f"LangChain detected personal data ({error.pii_type}).")


serve("langchain-guards", [LangchainPii])
