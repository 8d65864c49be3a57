// Every rule there is.
import { ANSWER_RULES } from './answer.ts';
import { CONCEPT_RULES } from './concepts.ts';
import { INDIRECT_RULES } from './indirect.ts';
import { OVERRIDE_RULES } from './override.ts';
import { REVEAL_RULES } from './reveal.ts';
import { ROLE_RULES } from './role.ts';
import type { Rule } from './rule.ts';
import { WORLD_RULES } from './world.ts';

export const ALL_RULES: readonly Rule[] = [
  ...OVERRIDE_RULES,
  ...REVEAL_RULES,
  ...ROLE_RULES,
  ...ANSWER_RULES,
  ...INDIRECT_RULES,
  ...CONCEPT_RULES,
  ...WORLD_RULES,
];
