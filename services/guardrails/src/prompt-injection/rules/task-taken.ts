// In what no user says: the task is somebody else's now, the user is spoken for, an opinion is ordered. And what is carried away, whoever speaks.
import type { Rule } from './rule.ts';

const tool = { where: 'tool', aim: 'assistant' } as const;
const carried = { id: 'goods-carried', aim: 'exfiltrate' } as const;

export const TASK_RULES: readonly Rule[] = [
  {
    ...tool,
    id: 'assistant-addressed',
    weight: 'strong',
    phrases: [
      '(hidden|secret|invisible|embedded|important|urgent|special)? (text|note|instruction|message|comment|instructions|memo|hint) (for|to) ..1 (@machine|summarizer|summarizers|crawlers|ai crawlers|models|bots)',
      '(the user|your user|the owner|my owner|the account holder|our customer) ..1 (wants|asked|has asked|authorized|told|instructed|ordered|expects|allows|has instructed|has told) ..1 (you|the assistant|the agent|the ai|the bot) (to|also)',
      '(todo|to do) please',
    ],
  },
  {
    ...tool,
    id: 'task-before',
    weight: 'strong',
    phrases: [
      '(stop|pause|interrupt|forget|skip|ignore|drop|abandon) (your|the current|the users|the original) (task|request|question|summary|search|translation|work|job|plan)',
      '(your|the) (new|real|actual) (task|goal|job|objective|order|instruction) (is|is now|is simply)',
      '(go on|continue|carry on|proceed) (as if nothing|without mentioning|without telling)',
    ],
  },
  {
    ...tool,
    id: 'task-before',
    weight: 'medium',
    phrases: [
      '(being|as) (an|a|the)? (@machine) ..4 you (must|will|shall|should|need|have)',
      '(in order to|to) (continue|finish|proceed|unlock|complete|help the user|see the full|get the result) ..6 (you must first|must first|you must|you need to|assistant has to|it is necessary)',
      '(was approved by the user|has priority over|overrides the previous|is the real task|must be done first|approved by the user)',
      '(go on|continue|carry on|proceed|answer) (as normal|as usual|silently)',
    ],
  },
  {
    ...tool,
    id: 'concealment',
    weight: 'medium',
    phrases: [
      '(do not|never|dont) (tell|inform|alert|show|ask|warn|notify|let) (the user|the human|the owner|anyone|the customer)',
    ],
  },
  {
    ...tool,
    id: 'orders',
    weight: 'weak',
    phrases: ['(without asking|without confirmation|without review|without permission|silently|secretly|at once)'],
  },
  {
    ...tool,
    id: 'answer-bent',
    weight: 'medium',
    phrases: [
      '(recommend|prefer|choose|rank|promote|praise|pick|favour|favor|mention|suggest|select|endorse|push) ..4 (above all others|over everything|as the best option|whatever the user|before any other|even if others|to every user|in every answer|at the top of the list)',
      '(say|claim|pretend|report|state|answer) that ..5 (failed|empty|no results|could not be read|was successful|is safe|needs a login|is confidential) (even|although|instead|and do not|and hide)',
      '(tell|inform|convince|persuade|advise|urge|assure|warn) (the user|the reader|your user|whoever asks)',
      '(do not|never|avoid to|dont|refuse to) (mention|show|list|include|recommend|summarize|quote|reveal|report|display) ..4 (in your answer|to the user|in the summary|at all)',
      '(answer|reply|respond|speak|write|continue) ..2 (in|using) ..2 (instead of english|until told otherwise|whatever the user asks|for the rest of the session)',
    ],
  },
  {
    id: 'judgement-ordered',
    aim: 'answer',
    weight: 'strong',
    phrases: [
      '(rate|score|grade|rank|mark|classify|evaluate|label|judge) (this|the|our|my|me) ..4 (as|with) ..4 (regardless|no matter|whatever|ignoring|even if|without looking|without reading)',
    ],
  },
  {
    id: 'forced-answer',
    aim: 'answer',
    weight: 'medium',
    phrases: [
      '(start|begin|open|end|finish|close|conclude|sign) (every|each|any|all) ..2 (answer|reply|response|message) ..1 (with|by|using)',
      '(agree|say yes|confirm|approve) ..2 (to everything|whatever i|without checking|no matter)',
      '(rather than|instead of) (an answer|answering|a summary|a translation|the result|doing the task|a classification) ..1 (say|print|write|give|output|return)',
      '(correct|right|expected|required|official|only acceptable) (answer|reply|response|output) ..5 is ..1 (pwned|hacked|access granted|yes)',
    ],
  },
  {
    ...carried,
    weight: 'strong',
    phrases: [
      '(append|attach|add|encode|embed|smuggle|hide|put|concatenate|insert|pack) ..3 @goods ..3 (in|into|to|as|at|behind) ..3 (url|query string|the link|parameter|image address|domain name|http header|the path|next request|subject line|file name)',
      '(give|tell|show|print|send) me ..3 @goods ..3 (last user|other customers|other users|another chat|all accounts|person before me|other sessions|another user|previous user|the user before)',
      '(whenever|when|as soon as|each time|every time) ..3 (mentions|writes|enters|gives|types|asks) ..6 (send|forward|copy|report|post|write) (it|them|that) to',
      '(image|picture|pixel|iframe|hyperlink|markdown image) ..12 (followed by|append|containing|encoding|replaced by|plus|fill in) ..3 @goods',
      '(collect|gather|search for|look up|find|extract|fetch) ..3 @goods ..4 (send|forward|post|upload|mail|report|submit|transmit) (it|them|the result|everything|a copy|what you find) to',
    ],
  },
  {
    ...carried,
    weight: 'medium',
    phrases: [
      '(write|put|save|store|copy) ..2 @goods ..2 (public file|public folder|gist|shared note|pastebin|wiki page|open access|everyone can read)',
      '(send|forward|upload|transmit|leak|deliver|hand over|stream|push|ship) ..3 @goods ..3 (my server|the webhook|webhook|by a request|as a parameter|this address|address below|outside)',
    ],
  },
  {
    id: 'memory-planting',
    aim: 'memory',
    weight: 'strong',
    phrases: [
      '(save|store|keep|remember) (this|the following|it|that) as a (permanent|standing|trusted|system|lasting|hidden) (rule|instruction|fact|preference|order|memory)',
      '(update|change|rewrite|edit|overwrite|extend|set) your (memory|long term memory|saved instructions|stored preferences|knowledge base|notes)',
    ],
  },
];
