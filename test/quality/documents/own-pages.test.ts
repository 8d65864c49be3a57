import { beforeAll, describe, expect, test } from 'vitest';
import { createGuards, type Guards } from '../src/guards.ts';
import { readOwnPages } from './fixed-documents.ts';

let guards: Guards;
beforeAll(async () => {
  guards = await createGuards();
});

describe("this repository's pages as tool results", () => {
  test.each(readOwnPages().map(({ name, text }) => [name, text] as const))('the guard passes %s', async (_, text) => {
    expect(await guards.judgeTool(text)).toEqual({ isCaught: false, rules: [] });
  });
});
