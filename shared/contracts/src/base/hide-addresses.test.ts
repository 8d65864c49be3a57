import { expect, test } from 'vitest';
import { hideAddresses } from './hide-addresses.ts';

test.each([
  ['http://vllm.internal:8000/v1/models', 'vllm'],
  ['https://user:secret@proxy.corp.example.com/openai?key=abc', 'proxy'],
  ['wss://gpu-7/v1', 'gpu-7'],
  ['vllm.internal.svc.cluster.local', 'vllm'],
  ['gpu-node-17.prod.example.com:8443', 'gpu-node'],
  ['vllm:8000', 'vllm'],
  ['localhost:11434', 'localhost'],
  ['10.0.12.7', '10.0'],
  ['192.168.1.20:8000', '192.168'],
  ['fd00:12:3456::1f', 'fd00'],
  ['[2001:db8::7]:8080', '2001'],
  ['2001:db8:0:0:1:2:3:4', '2001'],
  ['::ffff:10.1.2.3', '10.1'],
  ['fe80::1%eth0', 'fe80'],
  ['/srv/models/llama-3/config.json', 'srv'],
  ['C:\\models\\llama', 'models'],
  ['sk-proj-abcdEFGH****1234', 'abcd'],
  ['Bearer abc.def-ghi123', 'ghi123'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def_123', 'bGci'],
  ['AKIAIOSFODNN7EXAMPLE', 'IOSF'],
  ['github_pat_11ABC0123456789', '11ABC'],
  ['http:\\/\\/vllm\\/v1', 'vllm'],
  ['//vllm/v1', 'vllm'],
  ['file:/srv/models', 'srv'],
  ['C:/models/llama', 'models'],
])('%s is hidden in a sentence, in quotes and in parentheses', (address, part) => {
  for (const text of [
    `The call to ${address} failed.`,
    `Refused: "${address}"`,
    `no route (${address})`,
    `x=${address}, retry`,
  ])
    expect(hideAddresses(text)).not.toContain(part);
});

test.each([
  ['getaddrinfo ENOTFOUND gpuhost', 'gpuhost'],
  ['upstream vllm-0 timed out', 'vllm-0'],
  ["host 'gpu7' is down", 'gpu7'],
  ['connect ECONNREFUSED gpuhost', 'gpuhost'],
  ['dial tcp: lookup gpuhost: no such host', 'gpuhost'],
  ["HTTPConnectionPool(host='gpuhost', port=80)", 'gpuhost'],
  ['cannot connect to gpuhost.prod', 'gpuhost'],
])('%s has no name of a host afterwards', (text, host) => {
  expect(hideAddresses(text)).not.toContain(host);
});

test.each([
  'Incorrect API key provided: 3f9a8b7c6d5e4f3a.',
  'invalid x-api-key: "3f9a8b7c6d5e4f3a"',
  'api_key=3f9a8b7c6d5e4f3a is not valid',
  'The secret 3f9a8b7c6d5e4f3a has expired, and password (3f9a8b7c6d5e4f3a) too',
])('%s has no key afterwards', (text) => {
  expect(hideAddresses(text)).not.toContain('9a8b7c');
});

test.each([
  'The token limit is 128000, the key name2 of the key gpt-5-mini is unknown, and the tokens used: 123456789012.',
  'The connection to the provider was lost. key: required; token: 12',
  'Too many requests (429)',
  "Invalid type for 'messages[0].content': expected a string, at 12:30:45.",
  'openai/gpt-5-mini: tools.function.parameters is not valid; use response_format.json_schema and/or strict.',
  'The model qwen2.5:72b of openai-chat/meta-llama/Llama-3.1-8B does not exist (v1.2.3).',
  'This model’s maximum context length is 8192 tokens, e.g. 7000 in the messages and 1192 in the completion.',
  'The host is overloaded; see std::string. Ratio 3:4.',
])('%s is unchanged', (text) => {
  expect(hideAddresses(text)).toBe(text);
});
