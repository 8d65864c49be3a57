// Streamed chat completions with an address that is masked, through our gateway and through an unmodified LiteLLM proxy:
// bare, with its own filter, and with our processors as its guard. Every side has the same model and the same pieces.
// A side that masks has to give the same text, with its own mark.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { needServices, type BenchContext, type Measure } from '../bench-context.ts';
import { MODEL, median, prose } from '../load.ts';
import { cpuMs, round, row } from '../measure.ts';
import { startLiteLlm } from '../../../e2e/python/litellm-proxy.ts';
import { openGateway } from './gateway.ts';

const AT_ONCE = 16;
const REQUESTS = 64;
const EVERY_MS = 5;
const PIECES = 200;
const PIECE_CHARS = 6;
const AGENT = 'bench-chat-pii';
const ADDRESS = 'ada.lovelace@example.com';
const MASK = '***@***.***';

/** The address spans several pieces. */
const TEXT = (() => {
  const plain = prose(PIECES);
  const at = PIECES * (PIECE_CHARS / 2);
  return `${plain.slice(0, at)} Write to ${ADDRESS} today. ${plain.slice(at)}`.slice(0, PIECES * PIECE_CHARS);
})();
const INPUT = `Go on.\n\`\`\`script\n${JSON.stringify([{ text: TEXT, chunkSize: PIECE_CHARS, delayMs: EVERY_MS }])}\n\`\`\``;

type Target = {
  url: string;
  key: string;
  model: string;
  /** Text that the client has to receive. */
  text: string;
  /** Processes whose time counts. */
  pids: readonly number[];
};
type Cost = { cpuMs: number; perSecond: number; firstMs: number; pieces: number };

type Read = { firstMs: number; pieces: number };

async function readChat({ url, key, model, text }: Target): Promise<Read> {
  const begun = performance.now();
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: INPUT }] }),
  });
  const read: Read = { firstMs: 0, pieces: 0 };
  let received = '';
  let rest = '';
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue;
      const content: unknown = JSON.parse(line.slice('data: '.length)).choices?.[0]?.delta?.content;
      if (typeof content !== 'string' || content === '') continue;
      if (read.pieces === 0) read.firstMs = performance.now() - begun;
      read.pieces += 1;
      received += content;
    }
  }
  if (received !== text) throw new Error(`${url} gave another text (${response.status}): ${received}`);
  return read;
}

async function measureChats(target: Target): Promise<Cost> {
  const readAll = async (total: number) => {
    const reads: Read[] = [];
    let left = total;
    const worker = async () => {
      while (left-- > 0) reads.push(await readChat(target));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return reads;
  };
  const readCpu = async () => (await Promise.all(target.pids.map(cpuMs))).reduce((sum, ms) => sum + ms, 0);
  await readAll(AT_ONCE);
  const before = await readCpu();
  const begun = performance.now();
  const reads = await readAll(REQUESTS);
  const seconds = (performance.now() - begun) / 1_000;
  const spent = (await readCpu()) - before;
  return {
    cpuMs: spent / REQUESTS,
    perSecond: REQUESTS / seconds,
    firstMs: median(reads.map(({ firstMs }) => firstMs)),
    pieces: reads.reduce((sum, { pieces }) => sum + pieces, 0) / REQUESTS,
  };
}

/** All processes of Millrace: the gateway, the orchestrator, the guards, auth and NATS. */
const listOwn = ({ stack, natsPid, redisPid }: BenchContext): number[] => [
  natsPid,
  ...(redisPid === undefined ? [] : [redisPid]),
  ...stack.pids().flatMap(({ service, pid }) => (service === 'dev-model' ? [] : [pid])),
];

async function openOwn(context: BenchContext): Promise<Target> {
  const { url, key } = await openGateway(context);
  await needServices(context, 'guardrails');
  await context.stack.client.agents.apply({ name: AGENT, model: MODEL, flushMs: 0, output: ['pii'] });
  return { url, key, model: AGENT, text: TEXT.replace(ADDRESS, MASK), pids: listOwn(context) };
}

/** The header names the call of the script. */
const MODELS = `
model_list:
  - model_name: assistant
    litellm_params:
      model: os.environ/MODEL
      api_base: os.environ/MODEL_URL
      api_key: none
      extra_headers: { X-Client-Request-Id: f.1 }
`;
/** LiteLLM's own filter, in its process. */
const OWN_FILTER = `
guardrails:
  - guardrail_name: filter
    litellm_params:
      guardrail: litellm_content_filter
      mode: post_call
      default_on: true
      patterns: [{ pattern_type: prebuilt, pattern_name: email, action: MASK }]
`;
/** Our processors as the proxy's guard, as in examples/litellm, for answers. */
const GUARDED = `
guardrails:
  - guardrail_name: millrace
    litellm_params:
      guardrail: generic_guardrail_api
      mode: post_call
      default_on: true
      api_base: os.environ/GUARD_URL
      api_key: os.environ/MILLRACE_API_KEY
      streaming_transform_mode: incremental_diff
      streaming_sampling_rate: 5
`;
/** `mark`: in the place of the address; absent: the side does not mask. */
type Side = { guardrails: string; mark?: string; usesOwn: boolean };
const SIDES = {
  bare: { guardrails: '', usesOwn: false },
  filter: { guardrails: OWN_FILTER, mark: '[EMAIL_REDACTED]', usesOwn: false },
  guarded: { guardrails: GUARDED, mark: MASK, usesOwn: true },
} satisfies Record<string, Side>;

/** Our gateway with the mask, and the proxy on one side as the baseline. */
export const chatAgainstLiteLlm =
  (side: keyof typeof SIDES): Measure =>
  async (context) => {
    const own = await openOwn(context);
    const { guardrails, mark = ADDRESS, usesOwn }: Side = SIDES[side];
    const folder = await mkdtemp(join(context.dir, 'litellm-'));
    const config = join(folder, 'config.yaml');
    await writeFile(config, MODELS + guardrails);
    const proxy = await startLiteLlm(folder, {
      CONFIG: config,
      MODEL: 'openai/stand-in',
      MODEL_URL: context.stack.modelUrl,
      MILLRACE_URL: own.url,
      MILLRACE_API_KEY: own.key,
      AGENT,
    });
    try {
      const ours = await measureChats(own);
      const theirs = await measureChats({
        url: proxy.url,
        key: proxy.key,
        model: 'assistant',
        text: TEXT.replace(ADDRESS, mark),
        pids: [proxy.pid, ...(usesOwn ? own.pids : [])],
      });
      return row(`chat-litellm-${side}`, 'ms of processor time a request', ours.cpuMs, theirs.cpuMs, {
        atOnce: AT_ONCE,
        requestsPerSecond: round(ours.perSecond),
        litellmPerSecond: round(theirs.perSecond),
        firstTextMs: round(ours.firstMs),
        litellmFirstTextMs: round(theirs.firstMs),
        pieces: round(ours.pieces),
        litellmPieces: round(theirs.pieces),
      });
    } finally {
      await proxy.stop();
    }
  };
