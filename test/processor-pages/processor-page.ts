// The page of a processor, in Markdown: from its descriptor and its docstring. Pure.
import { LIST_OF_STAGE, optionRows, type ReadsByStage, type Stage } from '@millrace/contracts';
import type { Docstring } from './docstring.ts';
import type { FoundProcessor } from './find-processors.ts';

/** What each stage is about, in docs/semantics.md's words. */
const STAGE_MEANING: Readonly<Record<Stage, string>> = {
  processInput: 'what the caller sent, once a run',
  processInputStep: 'before each model call',
  processLLMRequest: 'the prompt as the provider gets it',
  processAPIError: 'a model call that failed',
  processOutputStream: 'every chunk of the answer',
  processLLMResponse: 'the chunks of a whole model call',
  processOutputStep: 'a whole answer, before its tools are called',
  processToolCall: 'a tool call, before it is made',
  processToolResult: 'what a tool gave back',
  processOutputResult: 'the end of the run',
};

export type Page = { name: string; text: string };

/** A page for each, and the list of them. */
export function processorPages(found: readonly FoundProcessor[]): Page[] {
  return [
    { name: 'README.md', text: indexPage(found) },
    ...found.flatMap((processor) => {
      const { definition, docstring } = processor;
      return docstring ? [{ name: `${definition.id}.md`, text: processorPage(processor, docstring) }] : [];
    }),
  ];
}

function processorPage({ path, service, descriptor }: FoundProcessor, docstring: Docstring): string {
  const { id, description, stages, reads, aliases, policy, optionsSchema } = descriptor;
  const { timeoutMs, attempts, onFailure } = policy;
  const rows = optionRows(optionsSchema).map(({ name, type, required, fallback, meaning }) => [
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
      ['stage', 'list', 'what it gets'],
      stages.map((stage) => [code(stage), code(LIST_OF_STAGE[stage]), STAGE_MEANING[stage]]),
    ),
    `${readsText(reads)} A call may take ${timeoutMs} ms and is made up to ` +
      `${attempts === 1 ? 'once' : `${attempts} times`}; where it fails, ${onFailure === 'skip' ? 'the run goes on without it' : 'the run fails'} (\`onFailure: ${onFailure}\`).`,
    '## Options',
    rows.length > 0 ? table(['option', 'default', 'type', 'meaning'], rows) : 'None.',
    '## Verdicts',
    list(docstring.verdicts.map((verdict) => verdict.replace(/^([a-z]+):/, '`$1`:'))),
    '## What it cannot do',
    list(docstring.cannot),
    '## Example',
    `\`\`\`yaml\n${docstring.example}\n\`\`\``,
  ]);
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
    'Every processor that the services here define, a page each: stages, options with their defaults, verdicts, what it cannot do, an ' +
      'example. `npm run -s pages` writes them from the sources: what a processor advertises, and the docstring above its ' +
      '`defineProcessor`, which has free text and the tags `@verdict`, `@cannot` and `@example` (the lists of an agent, in YAML). A test ' +
      'holds pages and sources together. `millrace processors show ID` prints the same of what is up.',
    table(['processor', 'service', 'stages', 'what it does'], rows),
  ]);
}

const sections = (parts: readonly string[]): string => `${parts.filter((part) => part !== '').join('\n\n')}\n`;
const list = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');
/** A bar would end the cell, also in code. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
/** What would be emphasis or a tag in Markdown. Code in it stays code. */
const plain = (text: string): string => text.replaceAll(/[*<]/g, '\\$&');
const code = (text: string): string => `\`${text.replaceAll('`', "'")}\``;
const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

function readsText(reads: ReadsByStage): string {
  const listed = (names: readonly string[]) => (names.length > 0 ? names.map(code).join(', ') : 'no messages');
  if (Array.isArray(reads)) return `It reads ${listed(reads)}.`;
  const each = Object.entries(reads).map(([stage, names]) => `in ${code(stage)} ${listed(names)}`);
  return `It reads ${each.join('; ')}.`;
}
