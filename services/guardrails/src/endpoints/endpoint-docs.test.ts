// Tests that the examples of docs/http-guards.md fit the code.
import { TEST_RUN } from '@millrace/testkit';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { readEndpointConfigs } from './endpoint-config.ts';
import { buildRequestBody, parseReply, type EndpointRequest } from './endpoint-wire.ts';

const text = await readFile(join(import.meta.dirname, '../../../../docs/http-guards.md'), 'utf8');
const objectSchema = z.record(z.string(), z.unknown());
const examples = [...text.matchAll(/```json\n([^]*?)```/g)].map(([, json = '']) =>
  objectSchema.parse(JSON.parse(json)),
);
const [file] = examples;

test('the examples of docs/http-guards.md are the requests and replies of the code', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'endpoints-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  await writeFile(join(dir, 'guards.json'), JSON.stringify(file));
  const configs = await readEndpointConfigs(join(dir, 'guards.json'));
  const request: EndpointRequest = {
    stage: 'processInput',
    direction: 'request',
    run: TEST_RUN,
    entry: 'http-guard',
    texts: ['Hello.', 'My name is Ada.'],
  };
  const [litellm, millrace] = [configs.get('acme'), configs.get('internal')];
  if (!litellm || !millrace) throw new Error('the example defines two endpoints');
  const shapes = [millrace, litellm].map((config) => Object.keys(buildRequestBody(config, request)));
  const requests = examples.filter((example) => 'texts' in example && !('action' in example));
  expect(requests.map((example) => Object.keys(example))).toEqual(shapes);
  const replies = examples.filter((example) => 'action' in example);
  const read = replies.map((reply) => parseReply(millrace, request, reply) ?? parseReply(litellm, request, reply));
  expect(read.map((reply) => reply?.action)).toEqual(['allow', 'block', 'replace', 'replace']);
});
