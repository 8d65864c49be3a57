// Reads data/rules, one file per kind of attack.
import { z } from 'zod';
import { DATA, readDataFolder } from '../data-files.ts';
import type { Vocabulary } from '../lexicon/entry.ts';
import { VOCABULARIES } from '../lexicon/lexicon-files.ts';
import { AIMS, readChoice, readPhrase, WEIGHT_NAMES, type InjectionRule } from './rule.ts';

const choice = String.raw`\([^()?]+\)\??|[^\s?(){}.]+\??`;
const phraseForm = new RegExp(String.raw`^(?:${choice})(?: (?:${choice}|\.\.\d*))*$`);
const phrase = z.string().regex(phraseForm, 'expected the notation of rules/rule.ts');

const ruleSchema = z
  .strictObject({
    id: z.string().regex(/^[a-z]+(?:-[a-z]+)*$/),
    aim: z.enum(AIMS),
    weight: z.enum(WEIGHT_NAMES),
    where: z.literal('tool').optional(),
    inLetters: z.literal(true).optional(),
    negatable: z.literal(true).optional(),
    phrases: z.array(phrase).min(1).optional(),
    together: z.array(z.string().min(1)).min(1).optional(),
    within: z.int().positive().optional(),
    /** Texts that the rule matches, and texts that it does not match although they share words with it. */
    examples: z.strictObject({ matches: z.array(z.string()).min(1), ignores: z.array(z.string()).min(1) }),
  })
  .refine(({ phrases, together }) => phrases ?? together, 'expected phrases or together');

const termsSchema = z.record(z.string(), z.string());

/** `terms`: parts of phrases that several phrases share; `{name}` in a phrase is replaced by the term of that name. */
const fileSchema = z
  .looseObject({ terms: termsSchema.default({}) })
  .transform(({ terms, ...file }) => expandTerms(file, terms))
  .pipe(z.strictObject({ about: z.string(), rules: z.array(ruleSchema).min(1) }));
type RuleFile = z.infer<typeof fileSchema>;

/** A name without a term stays in its braces, which no phrase may have. */
function expandTerms(value: unknown, terms: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return value.replace(/\{(\w+)\}/g, (written, name: string) => terms[name] ?? written);
  if (Array.isArray(value)) return value.map((item) => expandTerms(item, terms));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expandTerms(item, terms)]));
}

/**
 * Reads the rules of a folder.
 * @throws if a file does not fit, or if a rule names a class (`@name`) that no vocabulary has. The error names file and entry.
 */
export function readRuleFiles(folder: URL, vocabularies: readonly Vocabulary[]): ReadonlyMap<string, RuleFile> {
  const classes = new Set(vocabularies.flatMap((vocabulary) => Object.keys(vocabulary)));
  const files = readDataFolder(folder, fileSchema);
  for (const [name, { rules }] of files) {
    for (const [at, rule] of rules.entries()) {
      const missing = listClassNames(rule).find((named) => !classes.has(named));
      if (missing !== undefined)
        throw new Error(`rules/${name}.json is not valid. rules[${at}]: no lexicon has the class "@${missing}"`);
    }
  }
  return files;
}

function listClassNames({ phrases = [], together = [] }: InjectionRule): string[] {
  const choices = [
    ...phrases.flatMap((text) => readPhrase(text).flatMap((item) => item.choices)),
    ...together.flatMap(readChoice),
  ];
  return choices.flatMap((name) => (name.startsWith('@') ? [name.slice(1)] : []));
}

export const RULE_FILES: ReadonlyMap<string, RuleFile> = readRuleFiles(new URL('rules/', DATA), VOCABULARIES);
export const ALL_RULES: readonly InjectionRule[] = [...RULE_FILES.values()].flatMap(({ rules }) => rules);
