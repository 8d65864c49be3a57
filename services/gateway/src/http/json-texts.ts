// Writes values of JSON with the text that they were read with, in the place of the value.
import { writeWithText, type JsonValue } from '@millrace/contracts';

class WrittenJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Returns the value, or an object that `writeJsonTexts` writes as the text of the value.
 * @param name of the member, for the error
 * @throws number-inexact
 */
export function withJsonText(value: JsonValue, text: string | undefined, name: string): unknown {
  const written = text === undefined ? undefined : writeWithText(value, text, name);
  return written === undefined || written === JSON.stringify(value) ? value : new WrittenJson(written);
}

/** Writes a value as JSON. A text may have line breaks between two values. */
export function writeJsonTexts(value: unknown): string {
  const texts: string[] = [];
  const mark = `${crypto.randomUUID()}:`;
  const json = JSON.stringify(value, (_, member: unknown) =>
    member instanceof WrittenJson ? `${mark}${texts.push(member.text) - 1}` : member,
  );
  if (texts.length === 0) return json;
  return json.replaceAll(new RegExp(`"${mark}(\\d+)"`, 'g'), (_, at: string) => texts[Number(at)] ?? 'null');
}
