import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Part } from '../testing/foreign-classes.ts';
import { callForeign, streamForeign } from '../testing/foreign-rig.ts';
import { textChunks } from '@millrace/testkit';
import { foreignState } from './foreign-state.ts';

const roundTrip = (state: object) => foreignState.decode(JSON.parse(JSON.stringify(foreignState.encode(state))));

describe('the state of a foreign processor travels', () => {
  test('with sets, maps, dates and bytes in it, inside of each other too', () => {
    const state = {
      seen: new Set(['a', 1]),
      byId: new Map<unknown, unknown>([
        ['a', new Date('2026-01-01T00:00:00.000Z')],
        [{ key: 1 }, new Set([new Uint8Array([1, 2, 255])])],
      ]),
      plain: { list: [1, 'x', null, true, { deep: [] }] },
    };
    expect(roundTrip(state)).toEqual(state);
  });

  test('A state round-trips if it looks like a tagged value', () => {
    const state = { odd: { $foreign: 'set', value: ['a'] }, date: { $foreign: 'date' } };
    expect(roundTrip(state)).toEqual(state);
  });

  test('A state round-trips without undefined members, and with null for undefined in a list', () => {
    expect(roundTrip({ a: undefined, list: [undefined] })).toEqual({ list: [null] });
  });

  test.each([
    ['a function', { call: () => 1 }, 'state.call'],
    ['an object of a class', { inner: { db: new URLSearchParams() } }, 'state.inner.db'],
    ['not a number', { list: [Number.NaN] }, 'state.list[0]'],
    ['a function in a map', { map: new Map([['a', () => 1]]) }, 'state.map[0][1]'],
  ])('but not with %s: its place is named', (_what, state, path) => {
    expect(() => foreignState.encode(state)).toThrow(path);
  });

  test('but not with a circle in it', () => {
    const state: Record<string, unknown> = {};
    state['self'] = { state };
    expect(() => foreignState.encode(state)).toThrow('a circle at state.self.state');
  });
});

test('a state that cannot travel fails the call, after a stream as well', async () => {
  const keeping = {
    id: 'keeping',
    processInput: ({ state }: { state: object }) => void Object.assign(state, { socket: () => 1 }),
    processOutputStream: ({ state, part }: { state: object; part: Part }) => (
      Object.assign(state, { socket: () => 1 }),
      part
    ),
  };
  expect(await callForeign(keeping, 'processInput')).toMatchObject({ code: 'state-not-serializable' });
  const { verdict } = await streamForeign(keeping, textChunks(['a']));
  expect(verdict).toMatchObject({ type: 'failure', code: 'state-not-serializable' });
});

test('A foreign state is restored at the next call, and its timers are cleared', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const fired: string[] = [];
  const counting = {
    id: 'counting',
    processInputStep({ state }: { state: { seen?: Set<number>; timer?: unknown } }) {
      state.seen = new Set([...(state.seen ?? []), state.seen?.size ?? 0]);
      state.timer = setTimeout(() => fired.push('fired'), 1);
    },
  };
  const first = await callForeign(counting, 'processInputStep');
  const state = 'state' in first ? first.state : undefined;
  const second = await callForeign(counting, 'processInputStep', { ...(state && { state }) });
  expect(second).toMatchObject({ type: 'continue', state: { seen: { value: [0, 1] } } });
  expect(state).not.toHaveProperty('timer');
  vi.runAllTimers();
  expect(fired).toEqual([]);
});
