// Parses JSON that is still being written: open strings, lists and objects are closed, partial numbers, words and names
// are omitted. Pure; each character is read once, however many pieces the text has.
import { MAX_VALUE_NESTING, readJson, type JsonValue } from '@millrace/contracts';

export type PartialJson = {
  add(text: string): void;
  /** Returns undefined if the text is no JSON so far, or none that a message may carry. */
  readValue(): JsonValue | undefined;
};

type JsonFrame = { close: '}' | ']'; isName: boolean };
const HIGH_SURROGATE = /[\uD800-\uDBFF]/;

export function createPartialJson(): PartialJson {
  const frames: JsonFrame[] = [];
  let whole = '';
  /** The text is JSON up to `end`, followed by `behind`. */
  let good = { end: 0, behind: '' };
  /** The string that is being read. `escape`: number of missing characters of an escape. */
  const string = { isOpen: false, isName: false, escape: 0 };
  let isTooDeep = false;

  const mark = (end: number, quote = '') => {
    const closers = frames.map(({ close }) => close).toReversed();
    good = { end, behind: quote + closers.join('') };
  };
  const readString = (char: string, at: number) => {
    const { escape } = string;
    const isEscaped = whole.charAt(at - 1) === '\\' && escape === 1;
    if (escape > 0) string.escape = isEscaped && char === 'u' ? 4 : escape - 1;
    else if (char === '\\') string.escape = 1;
    else if (char === '"') string.isOpen = false;
    if (string.isName || string.escape > 0 || HIGH_SURROGATE.test(char)) return;
    mark(at + 1, string.isOpen ? '"' : '');
  };
  const readOutside = (char: string, at: number) => {
    const top = frames.at(-1);
    switch (char) {
      case '"':
        string.isOpen = true;
        string.isName = top?.isName === true;
        if (!string.isName) mark(at + 1, '"');
        return;
      case '{':
      case '[':
        frames.push(char === '{' ? { close: '}', isName: true } : { close: ']', isName: false });
        isTooDeep = frames.length > MAX_VALUE_NESTING;
        return mark(at + 1);
      case '}':
      case ']':
        frames.pop();
        return mark(at + 1);
      case ':':
        if (top) top.isName = false;
        return;
      case ',':
        if (top?.close === '}') top.isName = true;
        return mark(at);
      default:
        return;
    }
  };
  return {
    add(text) {
      const from = whole.length;
      whole += text;
      for (let at = from; at < whole.length; at++) {
        if (isTooDeep) return;
        const char = whole.charAt(at);
        if (string.isOpen) readString(char, at);
        else readOutside(char, at);
      }
    },
    readValue() {
      if (good.end === 0 || isTooDeep) return undefined;
      return readJson(whole.slice(0, good.end) + good.behind)?.value;
    },
  };
}
