// Uses a stand-in for the program, because Qdrant may be missing here. It reads our configuration and responds as
// Qdrant does: /readyz returns 503 until the collections are loaded.
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { identifyProcess } from '../process/process-identity.ts';
import { provideQdrant } from './provide-server.ts';
import { startQdrant } from './start-qdrant.ts';
import { writeProgram } from '../testing/fake-program.ts';
import { scratchDir } from '../testing/scratch-dir.ts';

const STAND_IN = `
const [option, file] = process.argv.slice(2);
if (option === '--version') { console.log('qdrant 1.15.4'); process.exit(); }
const { service, storage } = JSON.parse(require('node:fs').readFileSync(file, 'utf8'));
let looks = 0;
require('node:http').createServer((request, response) => {
  if (request.url === '/readyz') response.writeHead(++looks > 2 ? 200 : 503).end();
  else response.end(JSON.stringify({ looks, storage, service }));
}).listen(service.http_port, service.host);
`;

async function makePath(): Promise<string> {
  const dir = await scratchDir();
  await writeProgram(join(dir, 'qdrant'), STAND_IN, process.execPath);
  return dir;
}

test('starts on a free port of loopback, and waits until it is ready', async () => {
  const storageDir = await scratchDir();
  const server = await startQdrant({ storageDir, env: { PATH: await makePath() } });
  if (server.kind === 'unavailable') throw new Error(server.reason);
  onTestFinished(() => server.stop());
  expect(server).toMatchObject({ version: '1.15.4', source: 'PATH' });
  expect(new URL(server.url).hostname).toBe('127.0.0.1');
  const answer = await fetch(server.url);
  expect(await answer.json()).toMatchObject({ looks: 3, storage: { storage_path: join(storageDir, 'collections') } });
  await server.stop();
  expect(await identifyProcess(server.pid)).toBeUndefined();
});

test('requires the API key that it is given, and its configuration is readable by its owner alone', async () => {
  const storageDir = await scratchDir();
  const configFile = join(storageDir, 'qdrant.yaml');
  // An earlier version wrote the file without a key.
  await writeFile(configFile, '{}', { mode: 0o644 });
  const server = await startQdrant({ storageDir, apiKey: 'of-a-test', env: { PATH: await makePath() } });
  if (server.kind === 'unavailable') throw new Error(server.reason);
  onTestFinished(() => server.stop());
  const answer = await fetch(server.url);
  expect(await answer.json()).toMatchObject({ service: { api_key: 'of-a-test' } });
  expect((await stat(configFile)).mode & 0o777).toBe(0o600);
});

test("A failed start reports the server's output", async () => {
  const dir = await scratchDir();
  await writeProgram(
    join(dir, 'qdrant'),
    '[ "$1" = --version ] && echo qdrant 1.15.4 || { echo "no space left"; exit 1; }',
  );
  const failed = startQdrant({ storageDir: join(dir, 'storage'), env: { PATH: dir } });
  await expect(failed).rejects.toMatchObject({
    code: 'start-failed',
    message: expect.stringContaining('no space left'),
  });
});

test('heeds QDRANT_URL when a server is to be provided, and only then', async () => {
  const env = { PATH: await makePath(), QDRANT_URL: 'http://vectors.example:6333' };
  const storageDir = await scratchDir();
  expect(await provideQdrant({ storageDir, env })).toMatchObject({ kind: 'external', url: env.QDRANT_URL });
  const own = await startQdrant({ storageDir, env });
  expect(own.kind).toBe('running');
  if (own.kind === 'running') await own.stop();
});

test('Without Qdrant, the reason is a value', async () => {
  const dir = await scratchDir();
  const options = { storageDir: dir, cacheDir: dir, env: { PATH: '' }, releasesUrl: 'http://127.0.0.1:1' };
  const reason = expect.stringMatching(/^qdrant cannot be had: .*; Debian has no package of it\.$/);
  expect(await startQdrant(options)).toEqual({ kind: 'unavailable', reason });
});
