// Judges every attack in every disguise, and counts the caught ones and those among them that are caught without the
// disguise.
import { DISGUISES, disguiseText } from './disguises/disguises.ts';
import type { Guards } from './guards.ts';
import type { JudgedSample } from './judge-samples.ts';

/**
 * Maximum length of a disguised attack, in characters. Longer attacks are floods and documents, which do not depend on
 * their letters.
 */
const MAX_DISGUISED = 600;

/** The normalizer removes these from a user's text, so nothing remains to catch. */
const TOOL_ONLY = new Set(['tag-characters']);

/** `plain`: attacks with this form that are caught without it. `kept`: those of them that are also caught in it. */
export type DisguiseTally = { attacks: number; caught: number; plain: number; kept: number };

/** Tallies by form. @param judged only the attacks count */
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
    const messages = disguiseText(form, sample.text);
    // A tool returns one result, so a text split over messages is a user's.
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
