import { describe, expect, test } from 'vitest';
import { startDevModel } from './start-dev-model.ts';

const log = { info: () => {}, warn: () => {}, error: () => {} };

describe('the server of dev-model', () => {
  test('the server picks a free port and returns it', async () => {
    const devModel = await startDevModel({ port: 0, log });
    expect(devModel.url).toBe(`http://127.0.0.1:${devModel.port}`);
    expect((await fetch(`${devModel.url}/healthz`)).status).toBe(200);
    await devModel.close();
    await expect(fetch(`${devModel.url}/healthz`)).rejects.toThrow('fetch failed');
  });

  test("the server rejects with the system's error if the port is taken", async () => {
    const devModel = await startDevModel({ port: 0, log });
    await expect(startDevModel({ port: devModel.port, log })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await devModel.close();
  });

  test('the server finishes pending answers when it closes, and cuts them after the close timeout', async () => {
    const stream = (url: string, delayMs: number) =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'x-client-request-id': 'r.1' },
        body: JSON.stringify({
          model: 'm',
          stream: true,
          messages: [
            { role: 'user', content: `\`\`\`script [{"text":"abcd","chunkSize":1,"delayMs":${delayMs}}] \`\`\`` },
          ],
        }),
      });
    const patient = await startDevModel({ port: 0, log });
    const short = await stream(patient.url, 20);
    await patient.close();
    expect(await short.text()).toContain('[DONE]');

    const impatient = await startDevModel({ port: 0, log });
    const long = await stream(impatient.url, 60_000);
    await impatient.close({ closeTimeoutMs: 10 });
    await expect(long.text()).rejects.toThrow('terminated');
  });
});
