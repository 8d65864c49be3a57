import { buildTextMessage, type RunRequest } from '@millrace/contracts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeState } from '../testing/run-states.ts';
import { makeTextMessages } from '../settings/schema-texts.ts';
import { readSubmittedChange } from './submitted-changes.ts';

const clientTools = [
  {
    name: 'weather',
    description: 'Reads  the weather…\n',
    inputSchema: {
      type: 'object',
      title: 'A place',
      properties: {
        description: { type: 'string', description: 'Of the place.', default: 'none' },
        unit: { enum: ['C', 'F'], description: '°C or °F' },
      },
    },
  },
  { name: 'clock', description: 'The time.', inputSchema: { type: 'object' } },
];
const request: RunRequest = { ...makeState().request, clientTools };

/** Changes the texts of the messages as a processor would. */
function readWith(map: (text: string) => string) {
  const entries = makeTextMessages(request).map(({ message, texts }) => {
    const parts = texts.map((text, at) => ({
      type: 'text' as const,
      text: map(text) + (at < texts.length - 1 ? '\n' : ''),
    }));
    const changed = { ...buildTextMessage(message.id, 'user', ''), content: { format: 2 as const, parts } };
    return { source: 'input' as const, message: changed };
  });
  return readSubmittedChange({ request, conversation: { entries, system: [] } });
}
const replace = (from: string, to: string) => (text: string) => (text === from ? to : text);

describe("the texts of a caller's tools", () => {
  test('Unchanged texts change nothing', () => expect(readWith((text) => text)).toEqual({ members: undefined }));
  test.each([
    ['Reads  the weather…\n', 'Reads the weather...'],
    ['Of the place.', 'Of it.\nOf that place.'],
    ['°C or °F', ''],
    ['A place', 'Place'],
  ])('The model gets the changed prose %j', (from, to) => {
    const change = readWith(replace(from, to));
    const members = 'members' in change ? change.members : undefined;
    expect(JSON.stringify(members)).toBe(
      JSON.stringify({ clientTools }).replace(JSON.stringify(from), JSON.stringify(to)),
    );
  });
  test.each(['weather', 'unit', 'C', 'none'])('A change of the name or the value %s names the tool', (text) => {
    expect(readWith(replace(text, 'x'))).toEqual({ refused: { member: 'clientTools', tool: 'weather' } });
  });
  test('A change of any text is applied or refused', () => {
    const texts = makeTextMessages(request).flatMap((one) => one.texts);
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.string({ minLength: 1 }), (from, to) => {
        const change = readWith(replace(from, to));
        const isKept = to === from || 'refused' in change;
        expect(isKept || JSON.stringify(change).includes(JSON.stringify(to).slice(1, -1))).toBe(true);
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});
