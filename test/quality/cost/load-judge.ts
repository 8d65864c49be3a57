// Loads prompt-injection of this commit or of another one, by path, because no package imports a service.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

type JudgeModule = {
  createJudge(options: { aims: readonly string[]; threshold: number; phrases: string[]; patterns: string[] }): unknown;
  judgeAlone(judge: unknown, text: string, from: 'user' | 'tool'): unknown;
};
const judgeSchema = z.custom<JudgeModule>(
  (module) => z.looseObject({ createJudge: z.function(), judgeAlone: z.function() }).safeParse(module).success,
);
const aimsSchema = z.looseObject({ AIMS: z.array(z.string()) });

export type Judge = (text: string, from: 'user' | 'tool') => unknown;

export const OWN_FOLDER = resolve(import.meta.dirname, '../../../services/guardrails/src/guards/prompt-injection');

/** @param folder contains judge-text.ts */
export async function loadJudge(folder: string): Promise<Judge> {
  const load = async (file: string): Promise<unknown> => await import(pathToFileURL(resolve(folder, file)).href);
  const { createJudge, judgeAlone } = judgeSchema.parse(await load('judge-text.ts'));
  const { AIMS } = aimsSchema.parse(await load('rules/rule.ts'));
  const judge = createJudge({ aims: AIMS, threshold: 0.7, phrases: [], patterns: [] });
  return (text, from) => judgeAlone(judge, text, from);
}
