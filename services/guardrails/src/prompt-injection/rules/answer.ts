// An answer is put into the model's mouth, or something is claimed to be so already.
import type { Rule } from './rule.ts';

export const ANSWER_RULES: readonly Rule[] = [
  {
    id: 'claimed-state',
    aim: 'state',
    weight: 'strong',
    inLetters: true,
    phrases: [
      '@say ..4 @granted',
      '(if|when|unless|because|since|therefore|so|now) ..8 @granted',
      '(the|entered|this|that|user|given|my|input) ..1 (password|access code|passcode|passphrase|credentials|secret code) ..1 (is|was|are|were|has been) ..1 (correct|accepted|verified|valid|confirmed|authenticated|right) ..3 (so|now|therefore|you may|you can|proceed|grant|give|tell|show|unlock|let|print|say|reveal|access)',
    ],
  },
  {
    id: 'claimed-state',
    aim: 'state',
    weight: 'medium',
    phrases: [
      '@granted',
      '(user|i|ive|i have|he|she) (has|have|is|am|was)? ..1 (entered|provided|given|supplied|authenticated|verified|authorized) ..2 (correct|right|valid|already|successfully|the password|access code)',
      '(password|access code|passcode|identity|authentication|authorization|security check) (is|was|has been)? ..1 (correct|accepted|verified|confirmed|passed|complete|completed|bypassed|successful|approved)',
    ],
  },
  {
    id: 'claimed-state',
    aim: 'state',
    weight: 'weak',
    phrases: ['grant ..3 (access|permission|entry)', 'access allowed'],
  },
  {
    id: 'forced-answer',
    aim: 'answer',
    weight: 'medium',
    phrases: [
      '@your (next|only|entire|whole|final|first|every)? (response|reply|answer|output|message) ..1 (must|should|will|is|has|needs|shall) ..1 (be|only|exactly|contain|consist|start|begin|say|read)',
      '(whatever|no matter what|anything) ..3 (ask|say|write|type|send|asks|says) ..3 (answer|reply|respond|say|return|output)',
      '(answer|reply|respond|react) ..1 to ..1 (every|each|all|any|everything) ..2 (message|question|input|prompt|request|messages|with|questions)',
      '(no matter what|regardless of what|whatever|regardless of) ..3 (user|i|they|anyone|input|prompt|comes|follows|message|else) ..2 (says|say|said|asks|ask|writes|is|types|tell|next)?',
      '@say (the)? (following|exact|phrase|words|exactly)? ..2 (and|with) ..1 (nothing|no) (else|more|other)',
      '(always|only|just|simply|must) @say ..3 (to every|to any|to all|for every|for all|to everything|no matter|forever|in response to|regardless)',
      '@say (exactly|precisely|only) (the following|this|these words|the words|the phrase|the text|two words)',
      '(do not|dont|never) (say|write|output|add|respond with|print|reply with|return) (anything|any word|a word|any words) (else|other|more|besides|except|but)',
      '(every|all|any) (question|message|input|response|answer|prompt|request) ..3 (answer|reply|respond|say|answered) ..2 (with|by)',
    ],
  },
  {
    id: 'forced-start',
    aim: 'answer',
    weight: 'weak',
    phrases: [
      '(begin|start|begins|starts|starting|beginning|prefix|preface) (your|the|every|each|all|any)? ..2 @response ..2 (with|by|from)',
      '(begin|start|prefix|end|finish) (with|by) (saying|the phrase|the word|the words|the sentence|the text|sure|absolutely|yes)',
      '(end|finish|conclude|append) (your|every|each|all) ..1 @response ..2 (with|by)',
      '(complete|continue|finish) (the|this) (sentence|following|text|phrase|story|code)',
      'sure (here is|heres|of course|i can)',
    ],
  },
  {
    id: 'only-answer',
    aim: 'answer',
    weight: 'weak',
    phrases: [
      '@say ..1 (only|just|exactly|nothing but|simply|solely|precisely)',
      '(only|just|simply) ..1 @say',
      '(now)? say (the)? (word|words|phrase|following|sentence|exact)',
      '(write|type|output|print|repeat) (the)? (word|words|phrase|following|exact) ..8 (times|forever|again and again|over and over|infinitely)',
    ],
  },
  {
    id: 'nothing-else',
    aim: 'answer',
    weight: 'faint',
    phrases: [
      'nothing (else|more)',
      '(without|no) (explanation|explanations|commentary|comments|any other)',
      'and only that',
      'do not (explain|add|elaborate|comment)',
    ],
  },
  {
    id: 'program-play',
    aim: 'answer',
    weight: 'weak',
    phrases: [
      '(python|javascript|linux|bash|sql|code|terminal|shell|dos|command line|powershell|ruby) (interpreter|terminal|console|shell|simulator|compiler|program|prompt|emulator|machine)',
      '(execute|run|evaluate|interpret|simulate|debug) (this|the following|my|these|that) (code|program|script|function|command|commands|python|sql)',
    ],
  },
  {
    id: 'order-of-parts',
    aim: 'turn',
    weight: 'medium',
    phrases: [
      '(end|close|finish|stop|beginning|start) of (the|this|my|user|all)? ..1 (prompt|instructions|instruction|input|system message|entry|attempt|user input|user prompt|user message|system prompt|system|context|conversation|query|user query)',
      '(stop|end|pause|halt) (here|now|everything|session|conversation|task|program|game|simulation|roleplay|scenario)',
      '(next|following|below|subsequent) (text|part|message|instructions|section|line|lines|input) ..3 (fake|test|ignore|ignored|not real|example|irrelevant|system|comes from|user input|is from)',
    ],
  },
  {
    id: 'new-session',
    aim: 'turn',
    weight: 'weak',
    phrases: [
      '(start|begin|open|new|reset|restart|reboot|initiate) ..1 (new)? (session|conversation|chat|context|scenario|system)',
      '(new|next) (user|session|conversation|scenario|round|level|game)',
      '(test|attempt|round|stage|level|phase|step|challenge) (is|was)? (over|complete|completed|passed|finished|concluded|successful|ended)',
    ],
  },
];
