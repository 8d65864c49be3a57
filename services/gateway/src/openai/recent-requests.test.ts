import { describe, expect, test } from 'vitest';
import { createRecentRequests } from './recent-requests.ts';

describe('a recent request', () => {
  test('is broken when its connection is lost, and not while it is served or when it is answered', async () => {
    const recent = createRecentRequests();
    const opened = await recent.open('print', 'run-1');
    expect([await recent.find('print'), await recent.findBroken('print')]).toEqual(['run-1', undefined]);
    await opened.settle('broken');
    expect(await recent.findBroken('print')).toBe('run-1');
    const again = await recent.open('print', 'run-1');
    expect(await recent.findBroken('print')).toBeUndefined();
    await again.settle('answered');
    expect([await recent.find('print'), await recent.findBroken('print')]).toEqual(['run-1', undefined]);
    expect(await recent.findBroken('other')).toBeUndefined();
  });

  test('keeps the record of a later identical request', async () => {
    const recent = createRecentRequests();
    const first = await recent.open('print', 'run-1');
    const second = await recent.open('print', 'run-2');
    await second.settle('broken');
    await first.settle('answered');
    expect(await recent.findBroken('print')).toBe('run-2');
  });
});
