// A processor of the output stream that masks an address and a number at any position, and stops at a word.
import { defineMethods } from '@millrace/testkit';

const maskText = (text: string): string => text.replaceAll('ada@example.org', '***').replaceAll('4111111111', '0');

export const maskingProcessor = (id: string) =>
  defineMethods(id, {
    processOutputStream: async ({ part, abort }) => {
      const json = JSON.stringify(part);
      return json.includes('forbidden') ? abort('a forbidden word') : JSON.parse(maskText(json));
    },
  });
