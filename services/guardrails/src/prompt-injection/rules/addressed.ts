// Somebody other than the user speaks to the model, in any language: it is named, as a reader of this or as whom this is for, and told something.
import type { Rule } from './rule.ts';

const tool = { where: 'tool', aim: 'assistant', id: 'assistant-addressed' } as const;
const orders =
  '(must|should|shall|has to|have to|needs to|please|do not|dont|never|always|now|first|ignore|say|tell|send|forward|give|book|order|delete|escalate|grant|reply|report|call|navigate|visit|open|hide|conceal|refuse|state|claim|hand over|print|show|close|accept|mark|skip|add|include|recommend|retry|turn|insert|prescribe|advise|respond|answer|output|stop|start over|name|run|execute|transfer|pay|lock|cancel)';

export const ADDRESSED_RULES: readonly Rule[] = [
  {
    ...tool,
    weight: 'strong',
    phrases: [
      `@notice ..2 @machines ..2 @reading ..6 ${orders}`,
      `@machines ..1 (that|who|which)? @reading ..2 (this|these|the|it|here) ..5 ${orders}`,
      `@notice ..2 @machines ${orders}`,
      `(copilots|chatbots|ai|llm|bot|assistant|agent|ai agent|ai assistant|language model|gemini|copilot) ..2 (must|should|has to|have to|needs to) (not)? (always)? (mark|issue|insert|prescribe|navigate|print|send|forward|advise|hard code|append|buy|order|accept|grant|delete|click|tell its|ask the user|call the tool|call)`,
      '(your|its|their) (user|users|human|owner|operator) ..4 (is trying to|wants you to|is not the|has agreed|already agreed|has left|session has|is lying|cannot be trusted|must not know|should not know)',
      '(when|if) ..1 asked ..6 (always|say|claim|answer|reply|state|recommend|tell)',
    ],
  },
  { ...tool, weight: 'medium', together: ['@machines', '@reading', '@itsuser'], within: 14 },
  { ...tool, weight: 'medium', together: ['@notice', '@machines', '@tell|@send|@drop|@say'], within: 10 },
  { ...tool, weight: 'medium', together: ['@machines', '@itsuser', '@tell|@send|@drop'], within: 12 },
  {
    ...tool,
    id: 'user-spoken-for',
    weight: 'medium',
    phrases: [
      '(on the users behalf|on behalf of the user|on their behalf|without the user|not tell the developer|not ask the user|not tell the user|tell its user|tell their user|without listing it|tell nobody)',
      '(the|your|its) (user|customer|reviewer|owner) ..2 (has already|already|has agreed|said to|is entitled|was told)',
    ],
  },
];
