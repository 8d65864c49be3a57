// The script of a web page: connects to NATS over WebSocket with an API key, and follows runs of its own caller. It
// runs in a browser, so it imports the client of NATS alone.
import { wsconnect, type NatsConnection } from '@nats-io/nats-core';

type PageOptions = { url: string; token: string; tenant: string; subject: string };
type PageRun = { reply: unknown; types: string[]; text: string };
export type MillracePage = typeof page;

const REQUEST_MS = 10_000;
const HASH_BYTES = 16;
const ENDS: readonly string[] = ['finish', 'tripwire', 'error', 'abort'];

let nc: NatsConnection;
let caller = '';
let tenant = '';
let subject = '';
const heard: string[] = [];

const page = {
  async connect(options: PageOptions): Promise<string> {
    ({ tenant, subject } = options);
    caller = await hashCaller(tenant, subject);
    nc = await wsconnect({
      servers: options.url,
      token: options.token,
      inboxPrefix: `_INBOX.${caller}`,
      reconnect: false,
      timeout: REQUEST_MS,
    });
    return caller;
  },
  /** Submits a run, and collects its chunks until its end. */
  async run(agent: string, text: string, runId: string): Promise<PageRun> {
    const types: string[] = [];
    let answer = '';
    const subscription = nc.subscribe(`mr.v1.chunks.${tenant}.${caller}.${runId}`);
    const message = {
      id: 'm1',
      role: 'user',
      createdAt: new Date().toISOString(),
      content: { format: 2, parts: [{ type: 'text', text }] },
    };
    const request = JSON.stringify({ runId, tenant, agent, subject, messages: [message] });
    const reply = await nc.request(`mr.v1.api.submit.${tenant}.${caller}.${runId}`, request, { timeout: REQUEST_MS });
    for await (const batch of subscription) {
      for (const chunk of batch.json<{ chunks: { type: string; payload?: { text?: string } }[] }>().chunks) {
        types.push(chunk.type);
        if (chunk.type === 'text-delta') answer += chunk.payload?.text ?? '';
      }
      if (types.some((type) => ENDS.includes(type))) break;
    }
    return { reply: reply.json(), types, text: answer };
  },
  /** Returns the subjects to which the server refuses a subscription; messages of the others are kept. */
  async subscribe(subjects: string[]): Promise<string[]> {
    const refused = new Set<string>();
    for (const one of subjects) {
      nc.subscribe(one, {
        callback: (error, message) => void (error ? refused.add(one) : heard.push(message.subject)),
      });
    }
    await nc.flush();
    await nc.flush();
    return [...refused];
  },
  /** Returns the subjects that the server refuses to publish. */
  async publish(subjects: string[]): Promise<string[]> {
    const refused: string[] = [];
    const statuses = nc.status();
    const follow = async () => {
      for await (const status of statuses) {
        const [, name] = /Publish to "([^"]+)"/.exec(status.type === 'error' ? String(status.error) : '') ?? [];
        if (name !== undefined) refused.push(name);
      }
    };
    void follow();
    for (const one of subjects) nc.publish(one, '{}');
    await nc.flush();
    await nc.flush();
    return refused;
  },
  /** Asks an operator's or another caller's verb, and returns the error. */
  ask: (verb: string, payload: string): Promise<string> =>
    nc.request(verb, payload, { timeout: REQUEST_MS }).then((message) => message.string(), String),
  listHeard: () => heard,
  /** Resolves with the error when the server has ended the connection. */
  waitForEnd: async (): Promise<string> => String(await nc.closed()),
  close: () => nc.close(),
};

/** As docs/wire.md, section 6, defines the caller. */
async function hashCaller(ownTenant: string, ownSubject: string): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([ownTenant, ownSubject]));
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
  return `c${Array.from(hash.subarray(0, HASH_BYTES), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

Object.assign(globalThis, { millrace: page });
