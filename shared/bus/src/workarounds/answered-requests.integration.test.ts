import { RequestOne } from '@nats-io/nats-core/internal';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { afterEach, describe, expect, test, vi } from 'vitest';

const nats = useNats();
const connection = useBus(nats, 'caller');

afterEach(() => void vi.restoreAllMocks());

const ask = (subject: string, timeout = 5_000) => connection.bus.nc.request(subject, 'question', { timeout });

describe('the answer of a request', () => {
  test('An answer settles its request without the cancellation that creates an error', async () => {
    const cancel = vi.spyOn(RequestOne.prototype, 'cancel');
    connection.bus.nc.subscribe('answered', { callback: (_error, message) => void message.respond('answer') });
    const answer = await ask('answered');
    expect([answer.string(), cancel.mock.calls.length]).toEqual(['answer', 0]);
  });

  test('A second answer to a request is ignored', async () => {
    let sent = 0;
    connection.bus.nc.subscribe('twice', {
      callback: (_error, message) => {
        message.respond('first');
        message.respond('second');
        sent += 2;
      },
    });
    expect((await ask('twice')).string()).toBe('first');
    await eventually(() => sent === 2);
    await connection.bus.nc.flush();
  });

  test('A request fails at once if its subject has no subscriber', async () => {
    await expect(ask('absent')).rejects.toMatchObject({ name: 'RequestError', cause: { name: 'NoResponders' } });
  });

  test('A request fails after its timeout if no answer arrives', async () => {
    connection.bus.nc.subscribe('silent', { callback: () => undefined });
    await expect(ask('silent', 50)).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});
