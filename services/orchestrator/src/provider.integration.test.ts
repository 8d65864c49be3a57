import { startService } from '@millrace/service';
import { useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { service } from './service.ts';

const nats = useNats();

test('An orchestrator without a model provider refuses to start, and takes no run from the others', async () => {
  const env = { NATS_URL: nats.url, LOG_LEVEL: 'silent' };
  await expect(startService(service, env)).rejects.toMatchObject({
    code: 'config-invalid',
    message: 'The orchestrator has no model provider.',
    remedy: expect.stringContaining('OPENAI_API_KEY'),
  });
  const running = await startService(service, { ...env, OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' });
  await running.stop();
});
