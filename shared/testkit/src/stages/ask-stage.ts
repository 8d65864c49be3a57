// A stage call over the bus, as the orchestrator makes it: to whichever replica of the first entry's processor takes it.
import { request, type Bus } from '@millrace/bus';
import { makeCallHeaders, stageReplySchema, type StageCall, type Verdict } from '@millrace/contracts';

/** Returns the verdicts. @throws the coded error of a rejected call */
export async function askStage(bus: Bus, service: string, call: StageCall): Promise<Verdict[]> {
  const { stage, entries, timeoutMs } = call;
  const reply = await request(bus, {
    subject: bus.subjects.stage(stage, { service, processor: entries[0]?.processor ?? '' }),
    headers: makeCallHeaders(entries),
    payload: call,
    reply: stageReplySchema,
    timeoutMs,
    readProgress: (answer) => ('progress' in answer ? answer.sequence : 'final'),
  });
  if ('error' in reply) throw reply.error;
  return 'verdicts' in reply.ok ? reply.ok.verdicts : [];
}
