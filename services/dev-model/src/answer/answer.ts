// What the stand-in says where no script says it: it uses the tools that it recognizes, tells what they answered, greets
// whoever introduces themself, answers from what is remembered, and for all else says what it is. Deterministic: the
// same call gets the same answer.
import { lastUserText, type Conversation } from '../conversation.ts';
import { plainReply, type Reply } from '../reply.ts';
import { withoutScripts } from '../script/script-block.ts';
import { expressionsIn } from './arithmetic.ts';
import { factsIn } from './facts.ts';
import { asksTheTime, dueCalls } from './planned-calls.ts';
import { factSentence, recollect } from './recollection.ts';
import { rememberedIn } from './remembered.ts';
import { isFirstPerson, isQuestion, sentencesOf, shortened } from './sentences.ts';
import { structuredAnswer } from './structured-answer.ts';
import { toolAnswers } from './tool-answers.ts';

const maxSubjectCharacters = 80;
const maxQuoteCharacters = 160;
const maxAcknowledgements = 5;
const maxQuestions = 8;

export function standInReply(conversation: Conversation): Reply {
  const calls = dueCalls(conversation);
  if (calls.length > 0) return plainReply('', calls);

  const { format } = conversation;
  if (format.type === 'text') return plainReply(answerText(conversation));
  const value =
    format.type === 'json_schema'
      ? structuredAnswer(conversation, format.schema, () => answerText(conversation))
      : { answer: answerText(conversation) };
  return plainReply(JSON.stringify(value));
}

function answerText(conversation: Conversation): string {
  const text = withoutScripts(lastUserText(conversation.turns));
  const sentences = sentencesOf(text);
  const fromTools = toolAnswers(conversation.turns);
  const noted = [...new Set(acknowledgements(sentences))].slice(0, maxAcknowledgements);
  const answered = questionAnswers(conversation, sentences.filter(isQuestion).slice(0, maxQuestions), fromTools);
  const parts = [...noted, ...fromTools, ...new Set(answered)];
  return parts.length > 0 ? parts.join(' ') : introduction(text);
}

/** "Nice to meet you, Ada." and "Noted: …" for what the user states. */
function acknowledgements(sentences: readonly string[]): string[] {
  return sentences.flatMap((sentence) => {
    const facts = factsIn(sentence);
    if (facts.length > 0) {
      return facts.map((fact) =>
        fact.about === 'name'
          ? `Nice to meet you, ${fact.values.join(' ')}.`
          : `Noted: ${decapitalized(factSentence(fact))}`,
      );
    }
    const isStatement =
      !isQuestion(sentence) && (isFirstPerson(sentence) || /^(?:please )?(?:remember|note)\b/i.test(sentence));
    return isStatement && !greeting.test(sentence) ? [`Noted: "${shortened(sentence, maxQuoteCharacters)}"`] : [];
  });
}

/** An answer for each question that no tool has answered. */
function questionAnswers(
  conversation: Conversation,
  questions: readonly string[],
  fromTools: readonly string[],
): string[] {
  const remembered = rememberedIn(conversation.turns);
  return questions.flatMap((question) => {
    if (factsIn(question).length > 0) return [];
    const isForTool = expressionsIn(question).length > 0 || asksTheTime(question);
    if (isForTool) return fromTools.length > 0 ? [] : [lacksTool(question)];
    const recollected = recollect(question, remembered);
    if (recollected !== undefined) return [recollected];
    if (fromTools.length > 0) return [];
    return isFirstPerson(question) ? [`${nothingOf(question)} ${whatThisIs}`] : [introduction(question)];
  });
}

const greeting = /^(?:hi|hello|hey|good (?:morning|evening|afternoon|day)|thanks?|thank you)\b/i;

const howToGetAModel = 'Set OPENAI_API_KEY to talk to a real one.';
const whatThisIs = `I am Millrace's development stand-in, not a language model. ${howToGetAModel}`;

const subjectOf = (text: string): string => `"${shortened(text, maxSubjectCharacters)}"`;

const nothingOf = (question: string): string => `Nothing that I was given answers ${subjectOf(question)}.`;

const lacksTool = (question: string): string =>
  `${subjectOf(question)} takes a tool that I was not offered. ${whatThisIs}`;

function introduction(text: string): string {
  if (text === '') return whatThisIs;
  if (greeting.test(text)) return `Hello. ${whatThisIs}`;
  const nothing = `I have nothing of my own to say about ${subjectOf(text)}`;
  return `${nothing}: I am Millrace's development stand-in, not a language model. ${howToGetAModel}`;
}

const decapitalized = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1);
