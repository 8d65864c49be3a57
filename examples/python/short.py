"""Serves the processor of processor.py with the module millrace.py: it blocks input in capitals and masks a word of the answer."""

from millrace import Processor, abort, hold_back, serve


class Guard(Processor):
    id = "py-short"
    description = "Blocks input in capitals, masks a word of the answer."
    reads = ["input"]
    options_schema = {
        "type": "object",
        "properties": {
            "maxCapitals": {"type": "integer", "default": 20},
            "word": {"type": "string", "minLength": 1, "default": "secret"},
        },
    }

    def process_input(self, call):
        if sum(letter.isupper() for letter in call.text("input")) > self.options["maxCapitals"]:
            abort("Please do not shout.")

    def process_output_stream(self, chunk, call):
        word = self.options["word"]
        begun = lambda text: next(n for n in range(min(len(text), len(word) - 1), -1, -1) if text.endswith(word[:n]))
        judged = lambda text: len(text) - (0 if text.endswith(word) else begun(text))
        return hold_back(chunk, call.state.setdefault("held", {}), judged, lambda text: text.replace(word, "***"))


serve("py-short-service", [Guard])
