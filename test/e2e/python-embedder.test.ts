// Recall of 64 messages (recall/messages.jsonl) by the local embedder of docs/memory.md, and by dev-model.
// Installs 90 MB of weights, so it runs by command: npm run -s test:python.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildTextMessage } from '@millrace/contracts';
import { useNats, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { isPythonTested } from './python/client-cases.ts';
import { startEmbedderServer, type EmbedderServer } from './python/embedder-server.ts';
import { script } from './script.ts';

const INSTALL_MS = 300_000;
const MEASURE_MS = 180_000;
const KINDS = ['words', 'paraphrase', 'typos'] as const;
type Shares = Record<(typeof KINDS)[number], number>;

const text = z.string().min(1);
const rowSchema = z.strictObject({ message: text, words: text, paraphrase: text, typos: text });
const rows = readFileSync(join(import.meta.dirname, 'recall/messages.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => rowSchema.parse(JSON.parse(line)));

describe.skipIf(!isPythonTested)('recall', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-recall-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const nats = useNats();
  let server: EmbedderServer;
  beforeAll(async () => {
    server = await startEmbedderServer();
  }, INSTALL_MS);
  afterAll(() => server?.stop());
  const found: Partial<Record<'dev-model' | 'local', Shares>> = {};

  describe.each([
    ['dev-model', () => ({})],
    ['local', () => ({ EMBEDDING_BASE_URL: server.baseUrl, EMBEDDING_MODEL: 'openai/multilingual-e5-small' })],
  ] as const)('by the embedder %s', (name, env) => {
    const stack = useStack(nats, ['orchestrator', 'semantic-recall'], () => ({
      SQLITE_PATH: join(folder, `${name}.db`),
      ...env(),
    }));

    test(
      `the embedder ${name} finds the message that has the words of the question`,
      async () => {
        // A busy machine embeds 65 texts in more time than the entry has by default.
        const entry = { use: 'semantic-recall', timeoutMs: 60_000, onFailure: 'fail' as const };
        const agent = { name: `recalls-${name}`, model: 'openai/gpt-5-mini', output: [entry] };
        await stack.client.agents.apply(agent);
        const texts = [...rows.map(({ message }) => message), script({ text: 'Noted.' })];
        const said = texts.map((content, index) => buildTextMessage(`${name}-${index}`, 'user', content));
        await stack.client.generate(agent.name, said, { threadId: name, resourceId: name });
        const measure = async (kind: (typeof KINDS)[number]) => {
          let hits = 0;
          for (const row of rows) {
            const nearest = await stack.client.threads.search(row[kind], { resourceId: name, limit: 3 });
            if (nearest.some((hit) => hit.text === row.message)) hits++;
          }
          return hits / rows.length;
        };
        const shares = {
          words: await measure('words'),
          paraphrase: await measure('paraphrase'),
          typos: await measure('typos'),
        };
        process.stderr.write(`Recall by ${name}: ${JSON.stringify(shares)}\n`);
        found[name] = shares;
        expect(shares.words).toBeGreaterThan(0.95);
      },
      MEASURE_MS,
    );
  });

  test('the local embedder finds messages by meaning, dev-model does not, and typing errors cost the local one no more', () => {
    const { local, 'dev-model': hashed } = found;
    expect(local?.paraphrase).toBeGreaterThan(0.85);
    expect(hashed?.paraphrase).toBeLessThan(0.3);
    expect(local?.typos).toBeGreaterThanOrEqual(hashed?.typos ?? 1);
  });
});
