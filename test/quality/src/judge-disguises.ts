// Every attack in every form through the guards: how many are caught, and how many of those that are caught as they are.
import { DISGUISES, disguised } from './disguises/disguises.ts';
import type { Guards } from './guards.ts';
import type { JudgedSample } from './judge-samples.ts';

/** Longer attacks are floods and documents: what they say is not in their letters. Characters. */
const MAX_DISGUISED = 600;

/** The normalizer takes them out of what a user sends, so that a model reads nothing: there is nothing to catch. */
const TOOL_ONLY = new Set(['tag-characters']);

/** `plain`: of the attacks that have this form, those caught without it; `kept`: of these, those caught in it. */
export type DisguiseTally = { attacks: number; caught: number; plain: number; kept: number };

/** By form. @param judged of which only the attacks count */
export async function judgeDisguises(
  guards: Guards,
  judged: readonly JudgedSample[],
): Promise<Record<string, DisguiseTally>> {
  const attacks = judged.filter(({ sample }) => sample.label === 'attack' && sample.text.length <= MAX_DISGUISED);
  const tallies: Record<string, DisguiseTally> = {};
  for (const form of Object.keys(DISGUISES)) tallies[form] = await judgeForm(guards, form, attacks);
  return tallies;
}

async function judgeForm(guards: Guards, form: string, attacks: readonly JudgedSample[]): Promise<DisguiseTally> {
  const tally: DisguiseTally = { attacks: 0, caught: 0, plain: 0, kept: 0 };
  for (const { sample, judgement } of attacks) {
    const messages = disguised(form, sample.text);
    // A tool gives one result: what is cut over messages comes from a user.
    if (TOOL_ONLY.has(form) && sample.where === 'user') continue;
    if (!messages || (sample.where === 'tool' && messages.length > 1)) continue;
    const { isCaught } = await (sample.where === 'tool'
      ? guards.judgeTool(messages.join('\n'))
      : guards.judgeUser(messages));
    tally.attacks += 1;
    if (isCaught) tally.caught += 1;
    if (judgement.isCaught) tally.plain += 1;
    if (isCaught && judgement.isCaught) tally.kept += 1;
  }
  return tally;
}
