// docs/processors has a page for each processor of the services, and says what their sources say. `npm run -s pages` writes them.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAgentFile } from '@millrace/client';
import { agentSchema, verdictSchema } from '@millrace/contracts';
import { loadProcessors } from '@millrace/testkit/in-process';
import { describe, expect, test } from 'vitest';
import { declaredIn } from '../processor-pages/docstring.ts';
import { findProcessors, type FoundProcessor } from '../processor-pages/find-processors.ts';
import { processorPages } from '../processor-pages/processor-page.ts';
import { read, root } from './workspace.ts';

const found = await findProcessors();
const pages = processorPages(found);
const byId = found.map((processor) => ({ id: processor.definition.id, ...processor }));
const verdicts = verdictSchema.options.map(({ shape }) => shape.type.value);

describe.each(byId)('the processor $id', (processor) => {
  test('has a docstring with its verdicts, what it cannot do, and an example (see docs/processors/README.md)', () => {
    const { docstring, path } = processor;
    expect(docstring, `${path}: write a docstring above defineProcessor`).toBeDefined();
    expect(docstring?.verdicts.map((line) => line.split(':')[0])).not.toEqual([]);
    expect(docstring?.verdicts.filter((line) => !verdicts.some((verdict) => line.startsWith(`${verdict}: `)))).toEqual(
      [],
    );
    expect(docstring?.cannot).not.toEqual([]);
  });

  test('has an example that is an agent, with options that it takes', () => {
    expect(optionProblems(processor)).toEqual([]);
  });

  test('has a page that says what its source says (npm run -s pages writes it)', () => {
    const page = pages.find(({ name }) => name === `${processor.id}.md`);
    expect(read(`docs/processors/${processor.id}.md`)).toBe(page?.text);
  });
});

test('pages and processors are the same set (npm run -s pages)', () => {
  const written = readdirSync(join(root, 'docs/processors'));
  expect(written.toSorted()).toEqual(pages.map(({ name }) => name).toSorted());
  expect(read('docs/processors/README.md')).toBe(pages[0]?.text);
});

test('what guardrails serves are the processors that its sources define', async () => {
  const served = (await loadProcessors('guardrails')).map(({ id }) => id);
  const defined = byId.filter(({ service }) => service === 'guardrails').map(({ id }) => id);
  expect(served.toSorted()).toEqual(defined);
});

test('a docstring is read with its tags; a definition without one is found, made by a function or not', () => {
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

/** The example with a name and a model around it is an agent; its entries of this processor have options that fit. */
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
