// Nothing sleeps (docs/promises.md, 18): this table lists every wait on the clock with its reason. None of them delays
// a successful run.
import { expect, test } from 'vitest';
import { readFacts } from './source-facts.ts';
import { readSources } from './workspace.ts';

const WAITS: Record<string, string> = {
  'services/auth/src/keys/key-copy.ts': 'the bucket of keys is unavailable',
  'services/auth/src/callout/serve-callout.ts': 'the keys of connections cannot be read',
  'services/tools/src/mcp/mcp-server.ts': 'an MCP server is away or does not end',
  'services/orchestrator/src/erase/erase-verb.ts': 'waits for progress of an erasure, outside of the runs',
  'services/orchestrator/src/budgets/account.ts': 'the bucket is away, or another orchestrator has changed the account',
  'services/orchestrator/src/budgets/budgets.ts': 'calls in progress hold the room of a budget',
  'services/orchestrator/src/model/ask-model.ts': 'the provider set a time for the retry',
  'services/orchestrator/src/calls/ask-with-policy.ts': 'no replica is available, or all are at capacity',
  'services/orchestrator/src/calls/repeat-call.ts':
    'a call of an idempotent tool has failed, and the agent allows another attempt',
  'services/orchestrator/src/transcript/trim-log.ts': 'keeps room in the chunk log, outside of the runs',
  'services/orchestrator/src/streams/retry-outages.ts': 'the bus is away',
  'services/orchestrator/src/takeover/ask-owner.ts':
    'this process has just reconnected, and the owner of the run may not have',
  'services/orchestrator/src/takeover/watch-peers.ts': 'asks other orchestrators now and then, outside of the runs',
  'shared/bus/src/queue/consume-each.ts': 'the consumer is away',
  'shared/bus/src/streams/durable-publish.ts': 'the stream is away',
  'shared/bus/src/queue/guard-topology.ts': 'checks the streams periodically',
  'shared/bus/src/connection/open-connection.ts': 'no NATS server answers yet',
  'shared/bus/src/queue/stream-limits.ts': 'another orchestrator sets the limits of the streams at its start',
  'shared/bus/src/queue/watch-run-shards.ts': 'counts the commands of the queue, outside of the runs',
  'shared/client/src/client.ts': 'a bound on the request',
  'shared/client/src/run-result.ts': 'the run has not ended',
  'shared/client/src/retry-request.ts': 'the bus is away',
  'shared/stores/src/retry-short-outage.ts': 'the store is unavailable',
};

/** Excludes tests, tools and dev-model, which are not part of a run. */
const isProduct = (path: string): boolean =>
  /^(services|shared)\//.test(path) &&
  !/\.test\.ts$|\/testing\/|\/bench\/|^shared\/(testkit|check|cli|servers)\/|^services\/dev-model\//.test(path);
const hasWait = (path: string, text: string): boolean =>
  readFacts(path, text).names.some(
    ({ from, name }) => /^(node:)?timers\/promises$/.test(from) && name !== 'setImmediate',
  );

test('18: nothing sleeps: the table lists every wait on the clock', () => {
  const found = readSources().filter(({ path, text }) => isProduct(path) && hasWait(path, text));
  expect(found.map(({ path }) => path).toSorted()).toEqual(Object.keys(WAITS).toSorted());
});
