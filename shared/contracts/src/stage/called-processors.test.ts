import { describe, expect, test } from 'vitest';
import { PROCESSORS_HEADER, checkCalledProcessors, makeCallHeaders } from './called-processors.ts';

const entriesFor = (...processors: string[]) => processors.map((processor) => ({ processor }));

describe('the header of a stage request', () => {
  test('lists the processor of each entry in order, if there are several', () => {
    expect(makeCallHeaders(entriesFor('pii', 'keyword', 'pii'))).toEqual({ [PROCESSORS_HEADER]: 'pii,keyword,pii' });
    expect(makeCallHeaders(entriesFor('pii'))).toBeUndefined();
  });

  test.each<[string, string[], string | undefined]>([
    ['one entry without the header', ['pii'], undefined],
    ['one entry with the header', ['pii'], 'pii'],
    ['several entries', ['pii', 'keyword'], 'pii,keyword'],
    ['several entries of one processor', ['pii', 'pii'], 'pii,pii'],
  ])('is accepted: %s', (_what, processors, header) => {
    expect(() => checkCalledProcessors(entriesFor(...processors), 'pii', header)).not.toThrow();
  });

  test.each<[string, string[], string | undefined, string]>([
    ['several entries without it', ['pii', 'keyword'], undefined, PROCESSORS_HEADER],
    ['an entry that it omits', ['pii', 'keyword'], 'pii', PROCESSORS_HEADER],
    ['an entry that the body omits', ['pii'], 'pii,keyword', PROCESSORS_HEADER],
    ['another order', ['pii', 'keyword', 'secrets'], 'pii,secrets,keyword', PROCESSORS_HEADER],
    ['spaces between names', ['pii', 'keyword'], 'pii, keyword', PROCESSORS_HEADER],
    ['an empty value', ['pii'], '', PROCESSORS_HEADER],
    ['a subject of another processor', ['keyword'], undefined, 'entries[0].processor'],
    ['a subject of a later entry', ['keyword', 'pii'], 'keyword,pii', 'entries[0].processor'],
  ])('is rejected: %s', (_what, processors, header, path) => {
    expect(() => checkCalledProcessors(entriesFor(...processors), 'pii', header)).toThrow(
      expect.objectContaining({ code: 'message-invalid', path }),
    );
  });
});
