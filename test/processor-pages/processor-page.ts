// Formats the Markdown page of a processor from its descriptor and docstring. Pure.
import { LIST_OF_STAGE, listOptionRows, type Positions, type ReadsByStage, type Stage } from '@millrace/contracts';
import type { Docstring } from './docstring.ts';
import type { FoundProcessor } from './find-processors.ts';

/** Meaning of each stage, in the words of docs/semantics.md. */
const STAGE_MEANING: Readonly<Record<Stage, string>> = {
  processInput: 'the messages of the caller, once per run',
  processInputStep: 'before each model call',
  processLLMRequest: 'the prompt in the form for the provider',
  processAPIError: 'a failed model call',
  processOutputStream: 'every chunk of the answer',
  processLLMResponse: 'the chunks of a complete model call',
  processOutputStep: 'a complete answer, before its tool calls',
  processToolCall: 'a tool call, before its execution',
  processToolResult: 'the result of a tool',
  processOutputResult: 'the end of the run',
};

export type ProcessorPage = { name: string; text: string };

/** Returns a page for each processor and their index. */
export function processorPages(found: readonly FoundProcessor[]): ProcessorPage[] {
  return [
    { name: 'README.md', text: indexPage(found) },
    ...found.flatMap((processor) => {
      const { definition, docstring } = processor;
      return docstring ? [{ name: `${definition.id}.md`, text: processorPage(processor, docstring) }] : [];
    }),
  ];
}

/** Path of the ids that `millrace new` rejects, from the root. */
export const SHIPPED_LIST = 'shared/cli/src/new/shipped-processors.ts';

/** Returns the source of the list: a published package reads no service. */
export const writeShippedList = (found: readonly FoundProcessor[]): string =>
  [
    '// The ids of the shipped processors. Written by `npm run -s pages`.',
    'export const SHIPPED_PROCESSORS: readonly string[] = [',
    ...found.map(({ definition }) => `  '${definition.id}',`),
    '];\n',
  ].join('\n');

function processorPage({ path, service, descriptor }: FoundProcessor, docstring: Docstring): string {
  const { id, description, stages, reads, aliases, policy, positions, optionsSchema } = descriptor;
  const { timeoutMs, attempts, onFailure, addedTimeout } = policy;
  const added = addedTimeout ? ` (with ${code(addedTimeout.when)}: ${code(addedTimeout.option)} in addition)` : '';
  const rows = listOptionRows(optionsSchema).map(({ name, type, required, fallback, meaning }) => [
    code(name),
    required ? 'required' : fallback === undefined ? 'none' : code(fallback),
    code(type),
    plain(meaning),
  ]);
  return sections([
    `# ${id}`,
    `<!-- Written by \`npm run -s pages\` from ${path}: change the docstring and the options there. -->`,
    `${description} Served by \`${service}\`${aliases.length > 0 ? `; also known as ${aliases.map(code).join(', ')}` : ''}.`,
    docstring.text,
    '## Stages',
    table(
      ['stage', 'list', 'input'],
      stages.map((stage) => [code(stage), code(LIST_OF_STAGE[stage]), STAGE_MEANING[stage]]),
    ),
    `${readsText(reads)} A call may take ${timeoutMs} ms${added} and is made up to ` +
      `${attempts === 1 ? 'once' : `${attempts} times`}; if it fails, ${onFailure === 'skip' ? 'the run continues without it' : 'the run fails'} (\`onFailure: ${onFailure}\`).${positionsText(positions)}`,
    '## Options',
    rows.length > 0 ? table(['option', 'default', 'type', 'meaning'], rows) : 'None.',
    '## Verdicts',
    list(docstring.verdicts.map((verdict) => verdict.replace(/^([a-z]+):/, '`$1`:'))),
    '## Limitations',
    'The processor cannot:',
    list(docstring.cannot),
    '## Example',
    `\`\`\`yaml\n${docstring.example}\n\`\`\``,
  ]);
}

function positionsText(positions: Positions = {}): string {
  const each = Object.entries(positions).map(([name, position]) => `\`${name}\` ${position}`);
  return each.length === 0 ? '' : ` Default position: ${each.join(', ')}.`;
}

function indexPage(found: readonly FoundProcessor[]): string {
  const rows = found.map(({ definition: { id }, descriptor: { description, stages }, service }) => [
    `[${id}](${id}.md)`,
    code(service),
    stages.map(code).join(' '),
    description,
  ]);
  return sections([
    '# Processors',
    '<!-- Written by `npm run -s pages`. -->',
    'One page per processor of the services in this repository: stages, options with their defaults, verdicts, limitations, an ' +
      'example. `npm run -s pages` generates the pages from the advertised description of a processor and from the docstring above ' +
      'its `defineProcessor`, which has free text and the tags `@verdict`, `@cannot` and `@example` (the lists of an agent, in YAML). ' +
      'A test compares pages and sources. `millrace processors show ID` prints the description of a running processor.',
    table(['processor', 'service', 'stages', 'description'], rows),
  ]);
}

const sections = (parts: readonly string[]): string => `${parts.filter((part) => part !== '').join('\n\n')}\n`;
const list = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');
/** Escapes a bar, which would end the cell even in code. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
/** Escapes Markdown emphasis and tags. Code stays code. */
const plain = (text: string): string => text.replaceAll(/[*<]/g, '\\$&');
const code = (text: string): string => `\`${text.replaceAll('`', "'")}\``;
const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

function readsText(reads: ReadsByStage): string {
  const formatNames = (names: readonly string[]) => (names.length > 0 ? names.map(code).join(', ') : 'no messages');
  if (Array.isArray(reads)) return `It reads ${formatNames(reads)}.`;
  const each = Object.entries(reads).map(([stage, names]) => `in ${code(stage)} ${formatNames(names)}`);
  return `It reads ${each.join('; ')}.`;
}
