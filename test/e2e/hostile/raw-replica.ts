// A processor without our packages, as an author of another language would write it: it advertises itself and answers
// its subjects with arbitrary JSON.
import type { TestBus } from '@millrace/testkit';

type RawJson = Record<string, unknown>;
export type RawProcessor = {
  id: string;
  /** Answers by stage, computed from the call. A string is sent unchanged. */
  stages: Record<string, (call: RawJson) => object | string>;
  reads?: readonly string[];
  timeoutMs?: number;
};

const LISTS: Record<string, string> = {
  processInput: 'input',
  processInputStep: 'input',
  processLLMRequest: 'input',
  processLLMResponse: 'input',
  processToolCall: 'input',
  processAPIError: 'error',
};
export const REPLICA = 'raw0';

/** Resolves when the server has the subscriptions. Returns a function that stops the replica. */
export async function serveRaw({ nc, subjects }: TestBus['bus'], service: string, processors: readonly RawProcessor[]) {
  const identity = { name: service, id: REPLICA, version: '1.0.0', metadata: {} };
  const endpoints = processors.flatMap((processor) =>
    Object.keys(processor.stages).map((stage) => ({
      name: `${stage}-${processor.id}`,
      subject: `${subjects.prefix}.stage.${stage}.${service}.${processor.id}`,
      queue_group: processor.id,
      metadata: {
        millrace: JSON.stringify({ kind: 'processor', protocol: 2, descriptor: buildDescriptor(processor), stage }),
      },
    })),
  );
  const answering = (subject: string, answer: (data: RawJson) => object | string) =>
    nc.subscribe(subject, {
      callback: (_error, message) => {
        const answered = answer(message.data.length > 0 ? message.json<RawJson>() : {});
        message.respond(typeof answered === 'string' ? answered : JSON.stringify(answered));
      },
    });
  const info = { type: 'io.nats.micro.v1.info_response', ...identity, description: 'raw', endpoints };
  const ping = { type: 'io.nats.micro.v1.ping_response', ...identity };
  const all = ['', `.${service}`, `.${service}.${REPLICA}`];
  const subscriptions = [
    ...all.map((tail) => answering(`$SRV.INFO${tail}`, () => info)),
    ...all.map((tail) => answering(`$SRV.PING${tail}`, () => ping)),
    ...processors.flatMap(({ id, stages }) =>
      Object.entries(stages).flatMap(([stage, answer]) =>
        ['', `.${REPLICA}`].map((tail) =>
          answering(`${subjects.prefix}.stage.${stage}.${service}.${id}${tail}`, answer),
        ),
      ),
    ),
  ];
  await nc.flush();
  return () => subscriptions.forEach((subscription) => subscription.unsubscribe());
}

function buildDescriptor({ id, stages, reads = ['input', 'response'], timeoutMs = 2_000 }: RawProcessor) {
  return {
    id,
    description: 'a raw processor',
    version: '1.0.0',
    stages: Object.keys(stages),
    reads,
    processDataParts: false,
    optionsSchema: { type: 'object' },
    aliases: [],
    lists: [...new Set(Object.keys(stages).map((stage) => LISTS[stage] ?? 'output'))],
    policy: { timeoutMs, attempts: 1, onFailure: 'fail' },
  };
}

/** Builds the answer of a stage call with these verdicts. */
export const makeStageAnswer = (...verdicts: object[]) => ({
  sequence: 0,
  verdicts,
  ms: verdicts.map(() => 0),
  replica: REPLICA,
});
