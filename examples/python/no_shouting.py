from millrace import Processor, abort, serve


class NoShouting(Processor):
    id, description, reads = "py-no-shouting", "Blocks input in capitals.", ["input"]

    def process_input(self, call):
        if sum(letter.isupper() for letter in call.text("input")) > 20:
            abort("Please do not shout.")


serve("py-no-shouting-service", [NoShouting])
