// docs/processors has a page for each processor of the services, equal to the page that its source generates. `npm run
// -s pages` writes them.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAgentFile } from '@millrace/client';
import { agentSchema, verdictSchema } from '@millrace/contracts';
import { loadProcessors } from '@millrace/testkit/in-process';
import { describe, expect, test } from 'vitest';
import { declaredIn } from '../processor-pages/docstring.ts';
import { findProcessors, type FoundProcessor } from '../processor-pages/find-processors.ts';
import { SHIPPED_LIST, processorPages, writeShippedList } from '../processor-pages/processor-page.ts';
import { readSources, readTracked, root } from './workspace.ts';

const CASES = 'services/guardrails/src/testing/guard-cases.ts';
const found = await findProcessors();
const pages = processorPages(found);
const byId = found.map((processor) => ({ id: processor.definition.id, ...processor }));
const verdicts = verdictSchema.options.map(({ shape }) => shape.type.value);

describe.each(byId)('the page of the processor $id', (processor) => {
  test('the docstring has verdicts, limitations and an example (see docs/processors/README.md)', () => {
    const { docstring, path } = processor;
    expect(docstring, `${path}: write a docstring above defineProcessor`).toBeDefined();
    expect(docstring?.verdicts.map((line) => line.split(':')[0])).not.toEqual([]);
    expect(docstring?.verdicts.filter((line) => !verdicts.some((verdict) => line.startsWith(`${verdict}: `)))).toEqual(
      [],
    );
    expect(docstring?.cannot).not.toEqual([]);
  });

  test('the example is a valid agent with options that the processor accepts', () => {
    expect(optionProblems(processor)).toEqual([]);
  });

  test('the page equals the one that the source generates (npm run -s pages writes it)', () => {
    const page = pages.find(({ name }) => name === `${processor.id}.md`);
    expect(readTracked(`docs/processors/${processor.id}.md`)).toBe(page?.text);
  });
});

test('pages and processors are the same set (npm run -s pages)', () => {
  const written = readdirSync(join(root, 'docs/processors'));
  expect(written.toSorted()).toEqual(pages.map(({ name }) => name).toSorted());
  expect(readTracked('docs/processors/README.md')).toBe(pages[0]?.text);
});

test('The list of shipped processors of the command line equals the processors (npm run -s pages)', () => {
  expect(readTracked(SHIPPED_LIST)).toBe(writeShippedList(found));
});

test('No source except the table of cases lists the shipped processors by hand', () => {
  const ids = found.map(({ definition }) => definition.id);
  const countIds = (text: string) =>
    ids.filter((id) => new RegExp(`['"\`]${id}['"\`]|^ *${id}:`, 'm').test(text)).length;
  const lists = readSources()
    .filter(({ path }) => ![SHIPPED_LIST, CASES].includes(path))
    .filter(({ text }) => countIds(text) > ids.length / 3);
  expect(lists.map(({ path }) => `${path}: derive the list from ${CASES}, or from the descriptors`)).toEqual([]);
});

test('guardrails serves exactly the processors that its sources define', async () => {
  const served = (await loadProcessors('guardrails')).map(({ id }) => id);
  const defined = byId.filter(({ service }) => service === 'guardrails').map(({ id }) => id);
  expect(served.toSorted()).toEqual(defined);
});

test('a docstring is read with its tags, and a definition without one is found, in a function or not', () => {
  const source = `/**
 * Finds things.
 *
 * @verdict continue: as it
 *   is
 * @cannot fly
 * @cannot swim
 * @example
 * input:
 *   - use: a
 */
export const a = defineProcessor({});
/** Not of b. */
const x = 1;
export const b = (store: Store<A>): ProcessorDefinition =>
  defineProcessor({`;
  const [a, b] = declaredIn(source);
  expect(a?.docstring).toEqual({
    text: 'Finds things.',
    verdicts: ['continue: as it is'],
    cannot: ['fly', 'swim'],
    example: 'input:\n  - use: a',
  });
  expect(b).toEqual({ name: 'b', docstring: undefined });
});

/** The example with a name and a model is an agent, and the options of this processor's entries are valid. */
function optionProblems({ definition, docstring }: FoundProcessor): string[] {
  const text = `name: example\nmodel: openai/gpt-5-mini\n${docstring?.example ?? ''}\n`;
  const agent = agentSchema.parse(parseAgentFile('example', text, {}).definition);
  const lists = [agent.input ?? [], agent.output ?? [], agent.error ?? []].flat();
  const own = lists.filter((entry) => 'use' in entry && entry.use === definition.id);
  if (own.length === 0) return [`no entry uses ${definition.id}`];
  return own.flatMap((entry) => {
    const parsed = definition.options.safeParse('options' in entry ? (entry.options ?? {}) : {});
    return parsed.success ? [] : parsed.error.issues.map(({ message }) => message);
  });
}
