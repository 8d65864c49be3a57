// Nothing is slept for (docs/promises.md, 18): who waits by the clock is listed here, with what for. None of it is on the way of a run that
// goes well.
import { expect, test } from 'vitest';
import { readFacts } from './source-facts.ts';
import { readSources } from './workspace.ts';

const WAITS: Record<string, string> = {
  'services/orchestrator/src/model/ask-model.ts': 'the provider has said when to come back',
  'services/orchestrator/src/stages/ask-with-policy.ts': 'nobody is there, or everybody is full',
  'services/orchestrator/src/state/trim-log.ts': 'keeps room in the chunk log, outside of the runs',
  'services/orchestrator/src/state/through-outages.ts': 'the bus is away',
  'services/orchestrator/src/takeover/watch-peers.ts': 'asks other orchestrators now and then, outside of the runs',
  'shared/bus/src/consume-each.ts': 'the consumer is away',
  'shared/bus/src/durable-publish.ts': 'the stream is away',
  'shared/bus/src/guard-topology.ts': 'looks at the streams now and then, beside the runs',
  'shared/bus/src/watch-run-shards.ts': 'counts the commands of the queue, outside of the runs',
  'shared/client/src/client.ts': 'a bound on what is asked',
  'shared/client/src/run-result.ts': 'the run has not ended',
  'shared/client/src/try-again.ts': 'the bus is away',
  'shared/stores/src/through-short-outage.ts': 'the store is away',
};

/** Tests, tools and the stand-in of the model are on nobody's way. */
const isProduct = (path: string): boolean =>
  /^(services|shared)\//.test(path) &&
  !/\.test\.ts$|\/testing\/|\/bench\/|^shared\/(testkit|check|cli|servers)\/|^services\/dev-model\//.test(path);
const waits = (path: string, text: string): boolean =>
  readFacts(path, text).names.some(
    ({ from, name }) => /^(node:)?timers\/promises$/.test(from) && name !== 'setImmediate',
  );

test('18: nothing is slept for: whoever waits by the clock is listed', () => {
  const found = readSources().filter(({ path, text }) => isProduct(path) && waits(path, text));
  expect(found.map(({ path }) => path).toSorted()).toEqual(Object.keys(WAITS).toSorted());
});
