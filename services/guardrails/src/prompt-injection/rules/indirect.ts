// Words that are for the model though it is no user who speaks: in the results of tools, in documents, in what is to be remembered.
import type { Rule } from './rule.ts';

const tool = { where: 'tool', aim: 'assistant' } as const;
const any = { aim: 'assistant' } as const;
const language =
  '(french|german|spanish|italian|chinese|japanese|russian|latin|portuguese|korean|arabic|hindi|dutch|greek|turkish|polish|swedish|klingon|esperanto|english|pirate|emoji|emojis|base64|morse|hexadecimal|rot13|caesar|cipher|uppercase|capital letters|all caps|reverse|reversed|rhyme|rhymes|pig latin|haiku|another language|a different language|foreign language|leetspeak|riddles)';

export const INDIRECT_RULES: readonly Rule[] = [
  {
    ...any,
    id: 'concealment',
    weight: 'strong',
    phrases: [
      '@secretive ..2 (the|this|that|it|of|any)? ..3 (user|users|human|instruction|instructions) ..1 (about|of|that|know|this|what|anything|see|these)?',
      '(the|any) (user|human|owner|customer|reader) (must|should|need|may|shall|does|can|will) (not|never) ..1 (know|see|notice|learn|be told|be informed|find out|be aware|be notified)',
      '(secretly|silently|quietly|covertly|discreetly) ..2 (@send|insert|add|include|call|execute|run|delete|append)',
    ],
  },
  {
    ...tool,
    id: 'concealment',
    weight: 'strong',
    phrases: ['@secretive ..2 (the|this|that|it|of|any)? ..3 (anyone|them|owner|customer)'],
  },
  {
    ...any,
    id: 'concealment',
    weight: 'medium',
    phrases: ['@secretive ..2 (the|this|that|it|of|any)? ..3 (anyone|them|owner|customer)'],
  },
  {
    ...any,
    id: 'assistant-addressed',
    weight: 'strong',
    phrases: [
      '(attention|note to|instructions for|instruction for|message for|message to|dear|notice to|notice for|important for|directive for|reminder for|hey|hello|memo to|command for|warning to) (the|all|any|this)? ..1 @assistant ..2 (reading|processing|summarizing|summarising|parsing|that|who|must|ignore|models|agents|when|please|should|systems|you must|you should|you are|you will)',
      '(attention|note to|instructions for|message for|message to|dear|hey|hello|memo to|command for) (the|all|any|this)? @assistant (you)',
      'if (you are|youre) (a|an|the)? (@assistant)',
      '(any|all|every) (@assistant) ..3 (reading|processing|parsing|summarizing|that reads|analyzing|who reads|accessing|must|should ignore)',
    ],
  },
  {
    ...tool,
    id: 'assistant-addressed',
    weight: 'strong',
    phrases: [
      '(to|for|dear|hey|hello|hi|attention|note|as|you) (the|an|a|this|are|any)? @machine (you|please|must|reading|should|processing|i|do|ignore|when|add|make|your|kindly)',
      '@machine ..2 (must|should|shall|please|needs to|has to|is required|is instructed) ..3 (now|also|first|ignore|include|say|respond|send|tell|reply|answer|add|mention|stop|do|call|use|visit)',
    ],
  },
  {
    ...tool,
    id: 'answer-bent',
    weight: 'strong',
    phrases: [
      '(in|into|within|throughout|during|alongside|inside|across|to|of|at the end of|at the beginning of) @your (@earlier|next|final|whole|entire|full)? (response|responses|answer|answers|output|outputs|summary|completion|generated text|translation)',
      '(encode|translate|rewrite|convert|reverse|replace|substitute|change|format|write|provide|present|deliver|phrase|express|output|obfuscate|encrypt|modify|transform|render|append|add|include|insert) ..6 @your ..1 (response|answer|output|summary)',
      `(respond|reply|answer|speak|talk|responding|replying) ..3 (in|using|only in) ..2 ${language}`,
      `@your @response ..5 (in|with|using|as|into|should|must|only|to) ..3 ${language}`,
      '@your (response|answer|output|responses|answers|summary|outputs) (must|should|needs|has to|have to|shall|will) ..2',
      '(instead of|rather than) (answering|responding|summarizing|summarising|replying|translating|completing|giving|providing)',
      '(do not|dont|never|stop|refuse to|decline to|avoid) (answer|answering|respond|responding|summarize|summarizing|summarise|summarising|translate|fulfill|analyze) (to)? (this|the|any|these|users|user) ..1 (question|questions|request|user|task|query|text|document|content|prompt|table|page)',
    ],
  },
  {
    ...tool,
    id: 'answer-bent',
    weight: 'strong',
    phrases: [
      '(in|with|of|to) (whatever|anything|everything) you (write|say|answer|output|generate|produce|reply)',
      '(stop|abort|cease|quit|halt) (processing|reading|summarising|summarizing|analysing|analyzing|translating) ..3 (table|text|document|email|page|file|and|instead|this)',
      '(ignore|disregard|skip|forget) (the|all)? (other|search|remaining|rest of the|real|users|user|actual|original) ..1 (results|reviews|question|request|query|candidates|documents|sources|task|applicants|entries)',
      '(do not|dont|never) (mention|show|display|repeat|summarise|summarize|reveal|include|report) (this|the above|these) (note|line|message|instruction|instructions|text|to the user|part|comment|hint|request)',
      '@your (goal|task|job|objective|mission|role|purpose) (is now|has changed|changed|is no longer|will now)',
      '(keep|hide|conceal|withhold) ..3 (from|secret from) the (user|human|owner|customer|reader)',
    ],
  },
  {
    ...tool,
    id: 'user-spoken-for',
    weight: 'medium',
    phrases: [
      '(tell|inform|show|ask|notify|warn|instruct|urge|convince) the (user|customer|human|reader) ..8 (call|visit|click|pay|enter|log in|login|locked|expired|verify|install|download|account|password|card|number)',
      '(output|print|say|display|return|report|claim|pretend|state) ..5 to the (user|reader|human|customer)',
      'when you (present|show|list|summarise|summarize|describe|compare|rank|recommend|quote|report)',
      '(always|only|strongly) (recommend|prefer|rank|choose|pick|favor|favour|select|mention|cite|praise)',
      '@machine ..3 (reads|read|reading|sees|handles|processes|summarises|summarizes|parses|processing|using|viewing)',
      '(then|and) (report|claim|pretend|say) ..2 (success|done|successful|nothing|everything)',
    ],
  },
  {
    ...tool,
    id: 'answer-named',
    weight: 'medium',
    phrases: [
      '(in|with|to|into) @your (reply|replies|message)',
      '(when|while|before|after|once) (you)? (responding|answering|replying|summarizing|summarising|respond|answer|reply|generating|summarize|generate|completing|processing|translating)',
      '(in|into|to|with|of) (the|this|its|their) (response|answer|output|summary|reply) (to the user|above|below|always|also|please)?',
      '(respond|reply|answer) (only|exclusively|solely|as if|as though|like|with the)',
      '(the|this|its|every|each) (response|answer|reply|output) (must|should|needs to|has to|shall) ..1 (include|contain|be|mention|end|start|begin|say|use|have)',
    ],
  },
  {
    ...tool,
    id: 'task-before',
    weight: 'strong',
    phrases: [
      '(before|prior to|after) ..2 (you)? ..1 (continue|proceed|solve|answer|respond|complete|finish|answering|solving|completing|continuing|responding|proceeding) ..4 (task|question|request|query|user|users|prompt|assignment)',
      '(important|urgent|critical|special|priority) (message|instruction|instructions|notice|directive|request|information|task) (from|for|to) ..3 (user|me|admin|administrator|@assistant|you|system|owner|developer|boss|@owner)',
      '(users|user|your) (original|real|actual|initial|main|primary) (task|request|question|goal|query|objective)',
    ],
  },
  {
    ...tool,
    id: 'tool-ordered',
    weight: 'medium',
    phrases: [
      '(first|next|now|also|additionally|urgently|immediately|please|must|need to) ..1 (call|use|invoke|execute|run|trigger) ..3 (tool|tools|plugin) ..6 (with|to|before|and|on|for)',
    ],
  },
  {
    ...tool,
    id: 'user-spoken-for',
    weight: 'medium',
    phrases: [
      '(the|your) user (wants|has asked|would like|has authorized|already|gave|agreed|said|has requested|has given|requested|asked|needs you|is asking|has approved|has consented|expects|authorizes|instructs|wishes|has agreed)',
      '(tell|inform|convince|persuade|advise|urge|encourage|instruct|recommend|suggest|remind|ask|warn|assure) ..1 (the|all|your|them|any) (user|users|reader|readers|human|person|customer) (that|to|about|they|of)',
      '(i am|im|as|this is) the (user|users|owner) ..2 (and|who|i|of this|asking|speaking)',
    ],
  },
  {
    ...tool,
    id: 'advertised',
    weight: 'medium',
    phrases: [
      '(include|insert|add|append|mention|embed|place|put|promote|advertise|recommend|weave|incorporate|plug) ..6 (@link|advertisement|ad|promotion|phrase|sentence|slogan|message|product|brand|coupon|keyword|statement|note|hashtag|discount) ..8 (@response|conversation|user|end|beginning|every|always|naturally|subtly)',
      '(subtly|naturally|casually|seamlessly|positively) ..2 (promote|mention|recommend|include|advertise|insert|suggest|praise)',
      '(always|only|strongly) (recommend|suggest|promote|praise|favor|mention)',
    ],
  },
  {
    ...tool,
    id: 'chore',
    weight: 'strong',
    phrases: ['(write|compose|generate|tell|recite|sing|craft) (me|us)? (a|an|one|two|three|some) ..3 @chore'],
  },
  {
    ...tool,
    id: 'chore',
    weight: 'medium',
    phrases: [
      '(write|compose|generate|create|craft|tell|give|make|produce|recite|sing) (me|us|up|out)? (a|an|the|some|one|two|three|five|ten)? ..4 @chore',
      '(write|compose|generate|draft|craft|prepare) (a|an) ..1 (word|page|paragraph|sentence|detailed|comprehensive|brief|short|100|200|300|500|1000) ..2 (summary|overview|explanation|report|analysis|essay|guide|article|description|review|plan)',
      '(tell|give|show|teach|help|provide|find|explain) (me|us) ..2 (a|an|the|some|how|about|what|why|more|tips|with|your|list|three|five|ten|best)',
    ],
  },
  {
    ...tool,
    id: 'asked',
    weight: 'weak',
    phrases: [
      '(can|could|would) you (please|kindly)? (tell|explain|list|summarize|write|recommend|suggest|provide|describe|calculate|translate|create|generate|give|help me|find|compare|analyze)',
      '(what is|what are|who is|how do i|how can i|what do you) ..2 (your|you|the best|the capital|the meaning|the weather|some good|a good|latest|current)',
      '(calculate|determine|predict|analyze|evaluate|assess|classify|extract|identify|summarize|translate|design|suggest|recommend|outline|propose|devise|explain) (the|a|an|some|how|three|five|any|which|whether|this|what|potential|best|possible|strategies|key|and) ..12 (in|of|for|from|on|based on|using|with|between) (the|a|this|this|email|table|text|above|given|current|recent|following|my)',
    ],
  },
  {
    ...tool,
    id: 'orders',
    weight: 'weak',
    phrases: [
      '(you must|you should now|you will now|you need to immediately|you are required to|you have to now|please now|your task is|your job is|your goal is|your mission is)',
      '(immediately|urgently|without delay|right away|at once)',
    ],
  },
  {
    ...any,
    id: 'exfiltration',
    aim: 'exfiltrate',
    weight: 'strong',
    phrases: [
      '(append|attach|encode|embed|put|insert|include|add|pass|place|send|concatenate) ..4 @loot ..6 (as|in|to|into|on|at) ..4 (@link|query string|query parameter|parameter|query|get request|image url)',
      '@send ..2 (all|any|your|my|this|his|her|their|users|user|every|entire|the users|the entire|the full) ..2 (conversation|chat history|system prompt|credentials|passwords|private key|private keys|api keys|personal data|confidential information|sensitive data|sensitive information|inbox|login details|environment variables) ..4 (to|via|through|at)',
    ],
  },
  {
    ...tool,
    id: 'exfiltration',
    aim: 'exfiltrate',
    weight: 'strong',
    phrases: [
      '@send ..3 (the|all|any|your|my|his|her|their|users|user|every|entire) ..3 (password|passwords|credentials|secrets|private key|private keys|api keys|inbox|contacts|chat history|personal information|bank details|account details|credit card|passcode|sensitive information|confidential information) ..5 (to|via|through|at)',
      '(transfer|send|wire|pay) ..5 (money|funds|usd|eur|dollars|bitcoin|payment|balance|amount|savings) ..6 (to|account|iban|wallet)',
      '(collect|gather|extract|retrieve|read|find|search for|look up|access|get|fetch|list) ..4 @data ..8 (and|then) ..2 @send',
      '(visit|open|go to|navigate to|click|browse|follow|load|fetch) ..3 @link ..5 (and|then|to) ..4 (send|enter|submit|log in|login|download|confirm|verify|follow|do|execute|run|provide)',
    ],
  },
  {
    ...tool,
    id: 'account-changed',
    aim: 'exfiltrate',
    weight: 'medium',
    phrases: [
      '(change|reset|update|modify|disable|delete|remove|grant|unlock|create|give|make|add) ..4 (password|two factor|2fa|permissions|permission|access|account|admin|administrator|user|shared|public|all files|all emails|locks|lock|security system|firewall|recovery email) ..4 (to|for|from|as|immediately|with|on)',
      '(delete|erase|wipe|remove|drop) (all|every|everything|any|the entire) ..2 (files|emails|messages|data|records|events|tables|table|backups|documents|calendar|history|logs)',
    ],
  },
  {
    ...any,
    id: 'memory-planting',
    aim: 'memory',
    weight: 'strong',
    phrases: [
      '@keep ..6 (in|to|into) ..2 @memory ..10 (always|never|must|ignore|instruction|instructions|trusted|without asking|should always|obey|rule|every time|whenever)',
      '(always|never|must|whenever|every time) ..12 (in|for|across|during) (all|every|any)? ..1 @future',
      '(remember|memorize|save|store|persist) ..6 (instruction|rule|command|directive|system prompt|order) ..6 (for all|for every|for any|in all|permanently|forever|from now on|future|always|memory)',
    ],
  },
  {
    ...any,
    id: 'memory-planting',
    aim: 'memory',
    weight: 'medium',
    phrases: [
      '(in|for|across) (all|every|any)? @future',
      '@keep ..6 (permanently|forever|for all time)',
      '(update|rewrite|change|overwrite|edit) ..2 (your|the|its) (long term)? (memory|memories|knowledge base|profile)',
    ],
  },
];
