// Builds the files of a new processor or tool: definition, program, test and an agent that uses it. Pure.

export type ScaffoldKind = 'processor' | 'tool';
export type ScaffoldFile = { name: string; text: string };

/**
 * Builds the definition and the program in TypeScript. @param id a token: the id of the processor, its service and its
 * agent
 */
export function buildTypescriptFiles(kind: ScaffoldKind, id: string): ScaffoldFile[] {
  const variable = toVariableName(kind, id);
  return [
    {
      name: `${id}.ts`,
      text: kind === 'tool' ? renderToolDefinition(id, variable) : renderProcessorDefinition(id, variable),
    },
    { name: 'main.ts', text: renderProgram(kind, id, variable) },
  ];
}

export function buildPythonFiles(kind: ScaffoldKind, id: string): ScaffoldFile[] {
  return [{ name: 'main.py', text: kind === 'tool' ? renderPythonTool(id) : renderPythonProcessor(id) }];
}

export function buildTestFile(kind: ScaffoldKind, id: string): ScaffoldFile {
  return {
    name: `${id}.test.ts`,
    text: kind === 'tool' ? renderToolTest(id) : renderProcessorTest(id, toVariableName(kind, id)),
  };
}

export function buildAgentFile(kind: ScaffoldKind, id: string): ScaffoldFile {
  const uses = kind === 'tool' ? `tools: ['${id}']` : `input: ['${id}']`;
  const head = `name: '${id}'\nmodel: \${MODEL:-openai/gpt-5-mini}\ninstructions: You are a helpful assistant.\n`;
  return { name: 'agent.yaml', text: `${head}${uses}\n` };
}

/**
 * Converts `no-shouting` to `noShouting`; prefixes `my` if the result is not an identifier, and appends the kind if it
 * is a reserved word.
 */
function toVariableName(kind: ScaffoldKind, id: string): string {
  const name = toCamelCase(id);
  return isWord(name) ? `${name}${kind === 'tool' ? 'Tool' : 'Processor'}` : name;
}

function toCamelCase(id: string): string {
  const name = id.replaceAll(/[-_]+(.)?/g, (_, letter: string | undefined) => (letter ?? '').toUpperCase());
  return /^[a-z]/.test(name) ? name : `my${name}`;
}

/** Reserved words of the language. */
const RESERVED =
  `arguments await break case catch class continue debugger default delete do else enum eval export extends false finally
  for function if implements import in instanceof interface let new null package private protected public return static super switch
  this throw true try typeof undefined var void while with yield`.split(/\s+/);
let words: ReadonlySet<string> | undefined;

/** Returns true if the name is already in use in the scaffold. */
function isWord(name: string): boolean {
  words ??= new Set([...RESERVED, ...listTemplates().flatMap((text) => text.match(/[A-Za-z_]\w*/g) ?? [])]);
  return words.has(name);
}

const listTemplates = (): string[] => [
  renderProcessorDefinition('', ''),
  renderToolDefinition('', ''),
  renderProgram('processor', '', ''),
  renderProgram('tool', '', ''),
  renderProcessorTest('', ''),
  renderToolTest(''),
];

const renderProcessorDefinition = (id: string, variable: string): string => `// ${id}: blocks input in capitals.
import { defineProcessor } from '@millrace/processor';
import { z } from 'zod';

const options = z.strictObject({
  maxCapitals: z.int().min(0).default(20).describe('Maximum number of capital letters in the input.'),
});

/**
 * Blocks input in capitals.
 *
 * @verdict continue: at most maxCapitals capital letters
 * @verdict abort: more than maxCapitals capital letters
 * @cannot Distinguish shouting from abbreviations.
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

const renderToolDefinition = (id: string, variable: string): string => `// ${id}: counts the letters of a word.
import { defineTool } from '@millrace/processor';
import { z } from 'zod';

export const ${variable} = defineTool({
  name: '${id}',
  description: 'Counts the occurrences of a letter in a word.',
  inputSchema: z.strictObject({
    word: z.string().describe('the word'),
    letter: z.string().min(1).describe('the letter'),
  }),
  idempotent: true,
  execute: ({ word, letter }) => countLetter(word, letter),
});

export function countLetter(word: string, letter: string): { count: number } {
  return { count: word.split(letter).length - 1 };
}
`;

const renderProgram = (
  kind: ScaffoldKind,
  id: string,
  variable: string,
): string => `// The program of the service ${id}.
import { runProcessorService } from '@millrace/processor';
import { ${variable} } from './${id}.ts';

await runProcessorService({ name: '${id}', version: '1.0.0', ${kind}s: [${variable}] });
`;

const renderProcessorTest = (
  id: string,
  variable: string,
): string => `import { callStages, processorConformance } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { ${variable} } from './${id}.ts';

processorConformance(${variable});

test.each([
  ['WHY DO YOU NEVER LISTEN TO ME', 'abort'],
  ['Why do you never listen to me?', 'continue'],
])('For the input %j the verdict is %s', async (text, verdict) => {
  const called = { stage: 'processInput' as const, uses: [{ definition: ${variable} }], input: [text] };
  expect((await callStages(called)).verdicts).toMatchObject([{ type: verdict }]);
});
`;

const renderToolTest = (id: string): string => `import { expect, test } from 'vitest';
import { countLetter } from './${id}.ts';

test('countLetter counts every occurrence of the letter', () => {
  expect(countLetter('strawberry', 'r')).toEqual({ count: 3 });
  expect(countLetter('', 'r')).toEqual({ count: 0 });
});
`;

const renderPythonProcessor = (
  id: string,
): string => `"""${id}: blocks input in capitals. millrace.py carries the protocol."""

from millrace import Processor, abort, serve


class ${toClassName(id)}(Processor):
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


serve("${id}", [${toClassName(id)}])
`;

const renderPythonTool = (
  id: string,
): string => `"""${id}: counts the letters of a word. millrace.py carries the protocol."""

from millrace import Tool, serve


class ${toClassName(id)}(Tool):
    name = "${id}"
    description = "Counts the occurrences of a letter in a word."
    input_schema = {
        "type": "object",
        "properties": {"word": {"type": "string"}, "letter": {"type": "string", "minLength": 1}},
        "required": ["word", "letter"],
        "additionalProperties": False,
    }
    idempotent = True

    def execute(self, args, call):
        return {"count": args["word"].count(args["letter"])}


serve("${id}", [${toClassName(id)}])
`;

const toClassName = (id: string): string => {
  const name = toCamelCase(id);
  return name.charAt(0).toUpperCase() + name.slice(1);
};
