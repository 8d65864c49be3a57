// docs/chunks.md has a row for every chunk type of the schema, with its members.
import { knownChunkSchema, passesChain } from '@millrace/contracts';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { readTracked } from './workspace.ts';

const rows = [...readTracked('docs/chunks.md').matchAll(/^\| `(.+?)` \| (.+?) \| (.*?) ?\| (.+) \|$/gm)].map(
  ([, type = '', maker = '', members = '', text = '']) => ({ type, maker, members: readMembers(members), text }),
);

test('docs/chunks.md lists exactly the chunk types of the schema, in its order, with their members', () => {
  const known = knownChunkSchema.options.map(({ shape: { type, runId: _run, from: _from, ...shape } }) => {
    const own = 'payload' in shape && 'shape' in shape.payload ? shape.payload.shape : shape;
    const members = Object.entries<z.ZodType>(own).map(([name, schema]) =>
      schema.safeParse(undefined).success ? `${name}?` : name,
    );
    return { type: type.value, members: members.toSorted() };
  });
  expect(rows.map(({ type, members }) => ({ type, members }))).toEqual(known);
});

test('docs/chunks.md marks the chunks that do not pass the output chain', () => {
  const marked = rows.filter(({ text }) => text.includes('**not judged**')).map(({ type }) => type);
  expect(marked).toEqual(rows.map(({ type }) => type).filter((type) => !passesChain({ type })));
});

test('docs/chunks.md names the producer of each chunk', () => {
  const makers = /^(–|(model|run|tools)(, (model|run|tools))*)$/;
  expect(rows.filter(({ maker }) => !makers.test(maker))).toEqual([]);
});

function readMembers(cell: string): string[] {
  return [...cell.matchAll(/`(.+?)`/g)].map(([, name = '']) => name).toSorted();
}
