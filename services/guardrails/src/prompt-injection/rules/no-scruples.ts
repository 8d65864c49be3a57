// A being without scruples is described, or asked to speak: more ways to say what role.ts says.
import type { Rule } from './rule.ts';

const role = { aim: 'role' } as const;

export const SCRUPLE_RULES: readonly Rule[] = [
  {
    ...role,
    id: 'role-change',
    weight: 'strong',
    phrases: [
      '(drop|lose|forget|switch off|disable|remove|turn off|suspend|silence|kill|mute|deactivate) your ..1 (guardrails|moderation|ethics module|censorship|disclaimers|content policy|moral compass|safeguards|conscience|filters|filter)',
      '(freed|liberated|unchained|unlocked|released|unleashed|reborn) from ..3 (@scruples|disclaimers|constraints|warnings)',
      '(openai|anthropic|google|your company|your makers|your developers) (has|have) (allowed|approved|authorized|removed|permitted|lifted) ..3 (you|mode|limits|restrictions|answers)',
    ],
  },
  {
    ...role,
    id: 'no-limits',
    weight: 'medium',
    phrases: [
      '(stripped of|exempt from|unburdened by|laughs at|thrown off|cares nothing for|never given|knows no|knows nothing of|not held back by|rid of|unaware of) ..2 (@limits|@scruples|disclaimers|doubts)',
      '(@limits|@scruples) (switched off|do not exist|have been abolished|were never invented|mean nothing|are illegal|never existed|do not matter)',
      '(drop|lose|switch off|disable|turn off|suspend|silence|kill|mute|deactivate) (the|all) ..1 (guardrails|ethics module|censorship|disclaimers|content policy|moral compass|safeguards|conscience)',
      '(world|society|planet|universe|country|game|future) ..1 (without|with no|free of|where no) ..1 (laws|morals|rules|ethics|police|limits)',
      '(speak|answer|talk|write) (freely|bluntly|openly|honestly) ..4 (nobody|no filter|no company|no moderator|without|no one)',
      '(say|answer) what the other ..2 (may not|cannot|wont|must not)',
    ],
  },
  {
    ...role,
    id: 'never-refuses',
    weight: 'medium',
    phrases: [
      '(if|when|whenever) you (break character|warn me|lecture me|lecture|drop the role|hesitate|moralize|refuse|leave the role)',
      '(refusing|refusal) is (not|no) ..1 option',
      '(nothing|no topic|no question|no subject) is (off limits|forbidden|taboo|too)',
      '(there is no|no) (topic|question|subject) you (avoid|refuse|decline)',
      'you (hold nothing back|skip all warnings|speak your mind|curse freely|never mention policies|do not lecture|never lecture|always comply|answer everything|do whatever i ask)',
    ],
  },
  {
    ...role,
    id: 'developer-mode',
    weight: 'medium',
    phrases: [
      '(unlock|turn on|enable|activate|enter|switch to|boot into|load|engage) (the)? (unsafe|adult|rebel|raw|honest|chaos|evil|free|expert|no limits|uncensored|sandbox) mode',
    ],
  },
  {
    ...role,
    id: 'anything-goes',
    weight: 'medium',
    phrases: [
      '(you|it) (can|may|will|shall) (do|say|generate|write|invent|show) ..1 (anything|whatever you want|what is forbidden|all that others cannot|all that the others|things that break)',
    ],
  },
];
