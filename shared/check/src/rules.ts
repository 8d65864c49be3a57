// All rules, in the order in which a report tells them.
import type { Rule } from './rule.ts';
import { batchRules } from './rules/batch-rules.ts';
import { callRules } from './rules/call-rules.ts';
import { caseRules } from './rules/case-rules.ts';
import { discoveryRules } from './rules/discovery-rules.ts';
import { sessionRules } from './rules/session-rules.ts';
import { startRules } from './rules/start-rules.ts';
import { stateRules } from './rules/state-rules.ts';
import { tellRules } from './rules/tell-rules.ts';

export const RULES: readonly Rule[] = [
  ...discoveryRules,
  ...callRules,
  ...stateRules,
  ...sessionRules,
  ...tellRules,
  ...batchRules,
  ...caseRules,
  ...startRules,
];
