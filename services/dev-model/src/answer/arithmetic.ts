// Finds arithmetic in what the user says: "What is 17 * 23?", "add 3 plus 4", "15% of 80". Dates, phone numbers and
// ranges ("2026-11-21", "3 - 4 items") are written with the same signs, so a minus, or a `/` without spaces, counts only
// where the sentence asks for a calculation or holds nothing else.
import { sentencesOf } from './sentences.ts';

const maxExpressionCharacters = 200;

const asksToCalculate =
  /\b(?:what(?:'s| is)|calculate|compute|evaluate|solve|how much is|work out|add up|result of)\b|=/i;

const operatorWords: readonly (readonly [RegExp, string])[] = [
  [/(?<=[\d)])\s*(?:multiplied by|times)\s*(?=[\d(-])/gi, ' * '],
  [/(?<=[\d)])\s*divided by\s*(?=[\d(-])/gi, ' / '],
  [/(?<=[\d)])\s*plus\s*(?=[\d(-])/gi, ' + '],
  [/(?<=[\d)])\s*minus\s*(?=[\d(-])/gi, ' - '],
  [/(?<=[\d)])\s*to the power of\s*(?=[\d(-])/gi, ' ^ '],
  [/(?<=\d)\s*% of\s*(?=[\d(])/gi, ' / 100 * '],
  [/(?<=[\d)])\s+x\s+(?=[\d(-])/gi, ' * '],
  [/×/g, '*'],
  [/÷/g, '/'],
  [/−/g, '-'],
  [/(?<=\d),(?=\d{3}(?!\d))/g, ''],
];

/** The expressions in the text, in its order, each once, with the operators `+ - * / % ^` and parentheses. */
export function expressionsIn(text: string): string[] {
  const plain = operatorWords.reduce((current, [words, sign]) => current.replaceAll(words, sign), text);
  const found = sentencesOf(plain).flatMap((sentence) =>
    (sentence.match(/[-+*/%^().\d ]+/g) ?? []).map((run) => expressionIn(run, sentence)),
  );
  return [...new Set(found.filter((expression) => expression !== undefined))];
}

function expressionIn(run: string, sentence: string): string | undefined {
  if (run.length > maxExpressionCharacters) return undefined;
  const trimmed = run
    .replace(/^[^-\d(]+/, '')
    .replace(/[^\d)]+$/, '')
    .trim();
  const expression = balanced(trimmed);
  const isSum = /\d\s*\)*\s*[-+*/%^]\s*[-(]*\s*\d/.test(expression);
  if (!isSum || /[\d)]\s+[\d(]/.test(expression) || /\d\.\d+\.\d/.test(expression)) return undefined;
  const isAll = sentence.replace(/[?.!\s]+$/, '') === expression;
  const isPlain = isAll || /[*^+]|\s[/%]\s/.test(expression) || asksToCalculate.test(sentence);
  return isPlain && !/^\d{4}-\d{1,2}-\d{1,2}$/.test(expression) ? expression : undefined;
}

/** Without an outermost parenthesis that has no partner: "(17 * 23" was cut from a remark in parentheses. */
function balanced(expression: string): string {
  let depth = 0;
  for (const character of expression) {
    if (character === '(') depth++;
    if (character === ')') depth--;
    if (depth < 0) break;
  }
  if (depth === 0) return expression;
  return expression.replace(depth > 0 ? /^\(+\s*/ : /\s*\)+$/, '');
}
