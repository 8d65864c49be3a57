// A parallel group of judges ends with its first abort, without waiting for the other members.
import { needPass, needServices, type Measure } from '../bench-context.ts';
import { median, MODEL } from '../load.ts';
import { round, row } from '../measure.ts';

const ABORTS_AFTER_MS = 30;
const OTHERS_MS = 100;
const RUNS = 40;
const GROUP = 'bench-group';
const ALONE = 'bench-alone';

/** The baseline is the aborting judge alone. */
export const group: Measure = async (context) => {
  await needServices(context, 'dev-model', 'orchestrator');
  await needPass(context, ['stops'], { DELAY_MS: String(ABORTS_AFTER_MS), ABORTS: '1' });
  await needPass(context, ['waits', 'waits-too'], { DELAY_MS: String(OTHERS_MS) });
  const { client } = context.stack;
  await client.agents.apply({ name: GROUP, model: MODEL, input: [{ parallel: ['waits', 'waits-too', 'stops'] }] });
  await client.agents.apply({ name: ALONE, model: MODEL, input: ['stops'] });
  const timeRun = async (agent: string): Promise<number> => {
    const started = performance.now();
    const { status } = await client.generate(agent, 'hello');
    if (status !== 'aborted') throw new Error(`a run of ${agent} came to "${status}": it was to be aborted`);
    return performance.now() - started;
  };
  const together: number[] = [];
  const alone: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    together.push(await timeRun(GROUP));
    alone.push(await timeRun(ALONE));
  }
  const detail = { slowest: round(Math.max(...together)) };
  const unit = `ms a run, aborted by a group of ${ABORTS_AFTER_MS} (aborts), ${OTHERS_MS} and ${OTHERS_MS} ms, p50`;
  return row('group', unit, median(together), median(alone), detail);
};
