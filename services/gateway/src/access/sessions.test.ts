// The store of the sessions: bounded, expiring, and unreadable without the id.
import { describe, expect, test, vi } from 'vitest';
import { createLocalStore, type SessionStore } from './session-store.ts';
import { createSessions } from './sessions.ts';

const identity = { tenant: 'default', scopes: ['read' as const] };

/** Records what a reader of the store sees. */
function createRecordedStore(): SessionStore & { seen: string[] } {
  const store = createLocalStore();
  const seen: string[] = [];
  return {
    ...store,
    seen,
    async set(name, entry) {
      seen.push(name, entry.sealed, entry.owner);
      await store.set(name, entry);
    },
  };
}

describe('sessions', () => {
  test('The store holds neither the key nor the id', async () => {
    const store = createRecordedStore();
    const { id } = await createSessions(store).open('mk_secret', identity);
    const all = store.seen.flatMap((text) => [text, Buffer.from(text, 'base64url').toString('latin1')]).join(' ');
    expect(store.seen).toHaveLength(3);
    expect(all).not.toContain('mk_secret');
    expect(all).not.toContain(id);
  });

  test('A stored session opens with its own id only', async () => {
    const store = createLocalStore();
    const sessions = createSessions(store);
    const first = await sessions.open('mk_first', identity);
    expect(await sessions.read(first.id)).toBe('mk_first');
    expect(await sessions.read('A'.repeat(43))).toBeUndefined();
    expect(await sessions.read('../../x')).toBeUndefined();
    await sessions.close(first.id);
    expect(await sessions.read(first.id)).toBeUndefined();
  });

  test('A session ends with its credential, and after twelve hours', async () => {
    vi.useFakeTimers();
    try {
      const sessions = createSessions(createLocalStore());
      const long = await sessions.open('mk_long', identity);
      const brief = await sessions.open('mk_brief', {
        ...identity,
        expiresAt: new Date(Date.now() + 60_000).toISOString(),
      });
      expect([long.seconds, brief.seconds]).toEqual([43_200, 60]);
      vi.advanceTimersByTime(61_000);
      expect([await sessions.read(long.id), await sessions.read(brief.id)]).toEqual(['mk_long', undefined]);
      vi.advanceTimersByTime(43_200_000);
      expect(await sessions.read(long.id)).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });

  test('The oldest session of a key with too many ends, and no session of another key', async () => {
    const sessions = createSessions(createLocalStore({ perOwner: 2, inProcess: 100 }));
    const other = await sessions.open('other', identity);
    const opened = [];
    for (let at = 0; at < 3; at += 1) opened.push(await sessions.open('mk_same', identity));
    const read = await Promise.all(opened.map(({ id }) => sessions.read(id)));
    expect([...read, await sessions.read(other.id)]).toEqual([undefined, 'mk_same', 'mk_same', 'other']);
  });

  test('The oldest session of a full process ends', async () => {
    const sessions = createSessions(createLocalStore({ perOwner: 100, inProcess: 2 }));
    const opened = [];
    for (const key of ['a', 'b', 'c']) opened.push(await sessions.open(key, identity));
    expect(await Promise.all(opened.map(({ id }) => sessions.read(id)))).toEqual([undefined, 'b', 'c']);
  });
});
