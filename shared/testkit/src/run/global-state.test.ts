import { afterEach, expect, test, vi } from 'vitest';
import { changedState, globalState } from './global-state.ts';

const listen = () => undefined;
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  process.off('SIGUSR2', listen);
  Reflect.deleteProperty(Array.prototype, 'planted');
});

test.each<[string, () => unknown]>([
  ['process.env.PLANTED', () => vi.stubEnv('PLANTED', 'yes')],
  ['listeners of SIGUSR2', () => process.on('SIGUSR2', listen)],
  ['fake timers', () => vi.useFakeTimers({ toFake: ['performance'] })],
  ['Array.prototype.planted', () => Object.assign(Array.prototype, { planted: true })],
])('A change of %s that remains is reported', (name, plant) => {
  const before = globalState();
  expect(changedState(before, globalState())).toEqual([]);
  plant();
  expect(changedState(before, globalState())).toEqual([name]);
});
