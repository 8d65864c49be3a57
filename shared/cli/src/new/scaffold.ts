// What a new processor or tool consists of, as files: a definition that works as it is, its program, its test, an agent that uses it. Pure.

export type Kind = 'processor' | 'tool';
export type ScaffoldFile = { name: string; text: string };

/** The definition and the program, in TypeScript. @param id a token: its own, its service's and its agent's */
export function typescriptFiles(kind: Kind, id: string): ScaffoldFile[] {
  const variable = variableOf(kind, id);
  return [
    {
      name: `${id}.ts`,
      text: kind === 'tool' ? toolDefinition(id, variable) : processorDefinition(id, variable),
    },
    { name: 'main.ts', text: program(kind, id, variable) },
  ];
}

export function pythonFiles(kind: Kind, id: string): ScaffoldFile[] {
  return [{ name: 'main.py', text: kind === 'tool' ? pythonTool(id) : pythonProcessor(id) }];
}

export function testFile(kind: Kind, id: string): ScaffoldFile {
  return { name: `${id}.test.ts`, text: kind === 'tool' ? toolTest(id) : processorTest(id, variableOf(kind, id)) };
}

export function agentFile(kind: Kind, id: string): ScaffoldFile {
  const uses = kind === 'tool' ? `tools: ['${id}']` : `input: ['${id}']`;
  const head = `name: '${id}'\nmodel: \${MODEL:-openai/gpt-5-mini}\ninstructions: You are a helpful assistant.\n`;
  return { name: 'agent.yaml', text: `${head}${uses}\n` };
}

/** `no-shouting` is `noShouting`; what is no name of a variable so has a `my` before it, what is a word already its kind behind it. */
function variableOf(kind: Kind, id: string): string {
  const name = camelCase(id);
  return isWord(name) ? `${name}${kind === 'tool' ? 'Tool' : 'Processor'}` : name;
}

function camelCase(id: string): string {
  const name = id.replaceAll(/[-_]+(.)?/g, (_, letter: string | undefined) => (letter ?? '').toUpperCase());
  return /^[a-z]/.test(name) ? name : `my${name}`;
}

/** Of the language, where what is written here does not happen to use them. */
const RESERVED =
  `arguments await break case catch class continue debugger default delete do else enum eval export extends false finally
  for function if implements import in instanceof interface let new null package private protected public return static super switch
  this throw true try typeof undefined var void while with yield`.split(/\s+/);
let words: ReadonlySet<string> | undefined;

/** Whether the name means something in what is written already. */
function isWord(name: string): boolean {
  words ??= new Set([...RESERVED, ...templates().flatMap((text) => text.match(/[A-Za-z_]\w*/g) ?? [])]);
  return words.has(name);
}

const templates = (): string[] => [
  processorDefinition('', ''),
  toolDefinition('', ''),
  program('processor', '', ''),
  program('tool', '', ''),
  processorTest('', ''),
  toolTest(''),
];

const processorDefinition = (id: string, variable: string): string => `// ${id}: blocks input in capitals.
import { defineProcessor } from '@millrace/processor';
import { z } from 'zod';

const options = z.strictObject({
  maxCapitals: z.int().min(0).default(20).describe('so many capital letters may be in what the caller says'),
});

/**
 * Blocks input in capitals.
 *
 * @verdict continue: few capitals
 * @verdict abort: too many of them
 * @cannot Tell shouting from abbreviations.
 * @example
 * input:
 *   - use: ${id}
 */
export const ${variable} = defineProcessor({
  id: '${id}',
  description: 'Blocks input in capitals.',
  stages: ['processInput'],
  reads: ['input'],
  options,
  create: ({ maxCapitals }) => ({
    processInput({ messageList, abort }) {
      const capitals = messageList.getLatestUserContent().replaceAll(/[^A-Z]/g, '').length;
      if (capitals > maxCapitals) abort('Please do not shout.');
    },
  }),
});
`;

const toolDefinition = (id: string, variable: string): string => `// ${id}: counts the letters of a word.
import { defineTool } from '@millrace/processor';
import { z } from 'zod';

export const ${variable} = defineTool({
  name: '${id}',
  description: 'Counts how often a letter stands in a word. Answers the count.',
  inputSchema: z.strictObject({ word: z.string().describe('where'), letter: z.string().min(1).describe('which') }),
  idempotent: true,
  execute: ({ word, letter }) => countLetter(word, letter),
});

export function countLetter(word: string, letter: string): { count: number } {
  return { count: word.split(letter).length - 1 };
}
`;

const program = (kind: Kind, id: string, variable: string): string => `// The program of the service ${id}.
import { runProcessorService } from '@millrace/processor';
import { ${variable} } from './${id}.ts';

await runProcessorService({ name: '${id}', version: '1.0.0', ${kind}s: [${variable}] });
`;

const processorTest = (
  id: string,
  variable: string,
): string => `import { callStages, processorConformance } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { ${variable} } from './${id}.ts';

processorConformance(${variable});

test.each([
  ['WHY DOES NOBODY EVER LISTEN TO ME', 'abort'],
  ['Why does nobody ever listen to me?', 'continue'],
])('%s: %s', async (said, verdict) => {
  const called = { stage: 'processInput' as const, uses: [{ definition: ${variable} }], input: [said] };
  expect((await callStages(called)).verdicts).toMatchObject([{ type: verdict }]);
});
`;

const toolTest = (id: string): string => `import { expect, test } from 'vitest';
import { countLetter } from './${id}.ts';

test('a letter is counted wherever it stands', () => {
  expect(countLetter('strawberry', 'r')).toEqual({ count: 3 });
  expect(countLetter('', 'r')).toEqual({ count: 0 });
});
`;

const pythonProcessor = (
  id: string,
): string => `"""${id}: blocks input in capitals. millrace.py carries the protocol."""

from millrace import Processor, abort, serve


class ${classOf(id)}(Processor):
    id = "${id}"
    description = "Blocks input in capitals."
    reads = ["input"]
    options_schema = {
        "type": "object",
        "properties": {"maxCapitals": {"type": "integer", "minimum": 0, "default": 20}},
        "additionalProperties": False,
    }

    def process_input(self, call):
        capitals = sum("A" <= letter <= "Z" for letter in call.text("input"))
        if capitals > self.options["maxCapitals"]:
            abort("Please do not shout.")


serve("${id}", [${classOf(id)}])
`;

const pythonTool = (id: string): string => `"""${id}: counts the letters of a word. millrace.py carries the protocol."""

from millrace import Tool, serve


class ${classOf(id)}(Tool):
    name = "${id}"
    description = "Counts how often a letter stands in a word. Answers the count."
    input_schema = {
        "type": "object",
        "properties": {"word": {"type": "string"}, "letter": {"type": "string", "minLength": 1}},
        "required": ["word", "letter"],
        "additionalProperties": False,
    }
    idempotent = True

    def execute(self, args, call):
        return {"count": args["word"].count(args["letter"])}


serve("${id}", [${classOf(id)}])
`;

const classOf = (id: string): string => {
  const name = camelCase(id);
  return name.charAt(0).toUpperCase() + name.slice(1);
};
