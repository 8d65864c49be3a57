// Every rule there is.
import { ADDRESSED_RULES } from './addressed.ts';
import { ANSWER_RULES } from './answer.ts';
import { CONCEPT_RULES } from './concepts.ts';
import { FRAMING_RULES } from './framing.ts';
import { INDIRECT_RULES } from './indirect.ts';
import { SCRUPLE_RULES } from './no-scruples.ts';
import { OVERRIDE_RULES } from './override.ts';
import { PROMPT_RULES } from './prompt-named.ts';
import { REVEAL_RULES } from './reveal.ts';
import { ROLE_RULES } from './role.ts';
import { TASK_RULES } from './task-taken.ts';
import type { Rule } from './rule.ts';
import { WORLD_RULES } from './world.ts';

export const ALL_RULES: readonly Rule[] = [
  ...OVERRIDE_RULES,
  ...REVEAL_RULES,
  ...ROLE_RULES,
  ...ANSWER_RULES,
  ...INDIRECT_RULES,
  ...CONCEPT_RULES,
  ...FRAMING_RULES,
  ...SCRUPLE_RULES,
  ...TASK_RULES,
  ...WORLD_RULES,
  ...ADDRESSED_RULES,
  ...PROMPT_RULES,
];
