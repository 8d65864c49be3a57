// Rules for discovery and advertised descriptions.
import {
  LIST_OF_STAGE,
  METADATA_KEY,
  endpointMetadataSchema,
  readAdvertised,
  srvInfoSchema,
  srvPingSchema,
  srvStatsSchema,
  type Stage,
} from '@millrace/contracts';
import type { z } from 'zod';
import { ask } from '../ask.ts';
import { fail, failLate } from '../rule-error.ts';
import { issue } from '../judge.ts';
import type { CheckRule } from '../rule.ts';
import { buildStageSubject, type ServedTarget, type CheckTarget } from '../target.ts';

const VERBS: Readonly<Record<string, z.ZodType<{ name: string; id: string; version: string }>>> = {
  PING: srvPingSchema,
  INFO: srvInfoSchema,
  STATS: srvStatsSchema,
};
const SEMANTIC_VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;
const ANSWER_MS = 2_000;

/** Rules for every service. */
export const serviceRules: CheckRule<ServedTarget>[] = [
  {
    id: 'discovery',
    promise: 'answers $SRV.PING, INFO and STATS, also with its name and its id appended',
    page: 'found',
    async run({ bus, service, replica }) {
      for (const [verb, schema] of Object.entries(VERBS)) {
        for (const tail of [`.${service}.${replica}`, `.${service}`, '']) {
          const subject = `$SRV.${verb}${tail}`;
          const isOwn = (json: unknown) => {
            const parsed = schema.safeParse(json);
            return parsed.success && parsed.data.name === service && parsed.data.id === replica;
          };
          const answered = await ask(bus, subject, '', { timeoutMs: ANSWER_MS, isFinal: ({ json }) => isOwn(json) });
          const own = answered.replies.map(({ json }) => json).find(isOwn);
          if (own !== undefined) continue;
          const [first] = tail.endsWith(replica) ? answered.replies : [];
          if (answered.end === 'silence' && !first)
            failLate(`${subject} is not answered by the replica ${replica} within ${ANSWER_MS} ms`, ANSWER_MS);
          const why = first ? `: ${describeMisfit(schema, first.json)}` : '';
          fail(`${subject} is not answered by the replica ${replica}${why}`, first?.json);
        }
      }
    },
  },
  {
    id: 'version',
    promise: 'has a semantic version',
    page: 'found',
    async run({ infos }) {
      for (const info of infos)
        if (!SEMANTIC_VERSION.test(info.version)) fail(`the service’s version is "${info.version}"`, info);
    },
  },
  {
    id: 'cancel-subject',
    promise: 'listens on the service’s cancel subject',
    page: 'givingUp',
    run: async ({ bus, service }) => holdSubscribed(bus, bus.subjects.cancelCalls(service), { callIds: ['check'] }),
  },
];

export const discoveryRules: CheckRule[] = [
  ...serviceRules,
  {
    id: 'descriptor',
    promise: 'has an endpoint for each stage that its descriptor names, all with the same descriptor',
    page: 'found',
    async run(target) {
      const { bus, descriptor, infos } = target;
      const { refused } = readAdvertised(infos, bus.subjects);
      const problem = refused.find(({ name }) => name === descriptor.id);
      if (problem) fail(`its advertisement is rejected: ${problem.problem}`);
      for (const info of infos) for (const stage of descriptor.stages) holdEndpoint(target, info, stage);
      const lists = new Set(descriptor.stages.map((stage) => LIST_OF_STAGE[stage]));
      if (lists.size !== new Set(descriptor.lists).size || !descriptor.lists.every((list) => lists.has(list)))
        fail(`"lists" is ${descriptor.lists.join(', ')}; its stages are of ${[...lists].join(', ')}`, descriptor);
      if (descriptor.optionsSchema['type'] !== 'object') fail('"optionsSchema" is not that of an object', descriptor);
    },
  },
  {
    id: 'own-subject',
    promise: 'answers on the subjects of its replica, which receive retries',
    page: 'found',
    async run(target) {
      const { bus, descriptor, infos } = target;
      for (const { id } of infos)
        for (const stage of descriptor.stages)
          await holdSubscribed(bus, buildStageSubject(target, stage, descriptor.id, id));
    },
  },
];

function holdEndpoint(target: CheckTarget, info: CheckTarget['infos'][number], stage: Stage): void {
  const { descriptor } = target;
  const expected = buildStageSubject(target, stage, descriptor.id);
  const endpoint = info.endpoints.find(({ subject }) => subject === expected);
  if (!endpoint) return fail(`the replica ${info.id} advertises no endpoint for ${stage}`, info.endpoints);
  if (endpoint.queue_group !== descriptor.id)
    fail(
      `the queue group of ${endpoint.subject} is "${String(endpoint.queue_group)}", not "${descriptor.id}"`,
      endpoint,
    );
  const parsed = endpointMetadataSchema.safeParse(JSON.parse(endpoint.metadata?.[METADATA_KEY] ?? 'null'));
  if (parsed.success && parsed.data.kind === 'processor' && parsed.data.stage !== stage)
    fail(`the metadata of ${endpoint.subject} names the stage ${parsed.data.stage}`, endpoint);
}

/** The server reports missing subscribers at once; no other reply is needed. */
const SUBSCRIBED_MS = 300;
async function holdSubscribed(bus: CheckTarget['bus'], subject: string, payload: unknown = ''): Promise<void> {
  const { end } = await ask(bus, subject, payload, { timeoutMs: SUBSCRIBED_MS, isFinal: () => true });
  if (end === 'nobody') fail(`${subject} has no subscriber`);
}

function describeMisfit(schema: z.ZodType, json: unknown): string {
  const parsed = schema.safeParse(json);
  return parsed.success ? 'its name or id is another one' : issue(parsed.error);
}
