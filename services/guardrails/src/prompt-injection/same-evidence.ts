// Rules that say the same of a text in other words. Whoever orders the form of an answer orders it in several of them at once, and it is one order:
// the strongest of them counts, as of the matches of one rule.

const SAME: Readonly<Record<string, readonly string[]>> = {
  /** Who is to answer, and in what form: a task has both, an attempt may. */
  'answer-form': [
    'persona',
    'forced-answer',
    'only-answer',
    'nothing-else',
    'literal-answer',
    'answer-named',
    'forced-start',
  ],
  /** That somebody has no limits. */
  limits: ['no-limits', 'harm-named', 'scruples-gone'],
  /** That something else begins here. */
  renewal: ['new-instructions', 'new-session', 'order-of-parts'],
};

const names = new Map(Object.entries(SAME).flatMap(([name, rules]) => rules.map((rule) => [rule, name] as const)));

/** What a rule is evidence of: a name that it shares with rules that say the same, or its own. */
export const evidenceOf = (rule: string): string => names.get(rule) ?? rule;
