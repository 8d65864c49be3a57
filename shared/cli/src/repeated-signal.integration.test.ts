// Signals that arrive while the command exits, at a separate process.
import { useBus, useNats, serveScriptedApi, type ScriptedApi } from '@millrace/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMillrace } from './testing/cli-process.ts';

const nats = useNats();
const service = useBus(nats, 'orchestrator');
let api: ScriptedApi;

beforeAll(() => {
  api = serveScriptedApi(service.bus, {
    agents: {
      patient: async ({ request, say, text, cancelAsked, end }) => {
        say(text('thinking'));
        await cancelAsked;
        end('cancelled', { runId: request.runId, from: 'AGENT', type: 'abort', payload: {} });
      },
    },
  });
});
afterAll(() => api.stop());

test('millrace run keeps its exit code if npm repeats a Ctrl-C while the command exits', async () => {
  const running = startMillrace(['run', 'patient', 'hi'], { env: { NATS_URL: nats.url } });
  await running.waitForText('thinking');
  const startedAt = performance.now();
  // Later signals would be a second Ctrl-C.
  const repeated = setInterval(() => {
    if (performance.now() - startedAt < 150) running.kill('SIGINT');
  }, 1);
  try {
    expect(await running.ended).toMatchObject({ code: 4, signal: null });
  } finally {
    clearInterval(repeated);
  }
});
